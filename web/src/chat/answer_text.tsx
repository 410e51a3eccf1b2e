/** An answer as it grows: each block is rendered once, only the last one again and again. */
import { useMemo } from "preact/hooks";
import { blocksOf, renderBlock } from "./markdown.ts";

export function AnswerText({ text, growing }: { text: string; growing: boolean }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <div class="prose">
      {blocks.map((source, index) => (
        <Block key={index} source={source} growing={growing && index === blocks.length - 1} />
      ))}
    </div>
  );
}

function Block({ source, growing }: { source: string; growing: boolean }) {
  // Preact leaves this vnode alone while its inputs are the same ones.
  return useMemo(
    () => <div class="block" dangerouslySetInnerHTML={{ __html: renderBlock(source, growing) }} />,
    [source, growing],
  );
}
