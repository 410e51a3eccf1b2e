/** An answer as it grows: each block is rendered once, only the last one again and again. */
import { useMemo } from "preact/hooks";
import type { Check } from "../protocol.ts";
import { claimsOf, claimsOfBlocks, type Claim } from "./claims.ts";
import { blocksOf, renderBlock } from "./markdown.ts";

const UNCHECKED: Check[] = [];
const NO_CLAIMS: Claim[] = [];

interface AnswerTextProps {
  text: string;
  growing: boolean;
  /** Claims of this text, to be marked in it. */
  checks?: Check[];
  /** What it may cite, when that is known. */
  handles?: ReadonlySet<string> | null;
}

export function AnswerText({ text, growing, checks = UNCHECKED, handles = null }: AnswerTextProps) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  const claims = useMemo(
    () => (checks.length ? claimsOfBlocks(blocks, claimsOf(text, checks)) : []),
    [blocks, text, checks],
  );
  return (
    <div class="prose">
      {blocks.map((source, index) => (
        <Block
          key={index}
          source={source}
          growing={growing && index === blocks.length - 1}
          claims={claims[index] ?? NO_CLAIMS}
          handles={handles}
        />
      ))}
    </div>
  );
}

interface BlockProps {
  source: string;
  growing: boolean;
  claims: Claim[];
  handles: ReadonlySet<string> | null;
}

function Block({ source, growing, claims, handles }: BlockProps) {
  // Preact leaves this vnode alone while its inputs are the same ones.
  return useMemo(
    () => <div class="block" dangerouslySetInnerHTML={{ __html: renderBlock(source, growing, claims, handles) }} />,
    [source, growing, claims, handles],
  );
}
