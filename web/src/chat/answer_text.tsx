/** An answer as it grows: each block is rendered once, only the last one again and again. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Check } from "../protocol.ts";
import { claimsOf, claimsOfBlocks, type Claim } from "./claims.ts";
import { blocksOf, renderBlock } from "./markdown.ts";
import type { Closing } from "./unclosed.ts";

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
  const close = useClosing(growing);
  return (
    <div class="prose">
      {blocks.map((source, index) => (
        <Block
          key={index}
          source={source}
          close={growing && index === blocks.length - 1 ? close : null}
          claims={claims[index] ?? NO_CLAIMS}
          handles={handles}
        />
      ))}
    </div>
  );
}

interface BlockProps {
  source: string;
  close: Closing | null;
  claims: Claim[];
  handles: ReadonlySet<string> | null;
}

function Block({ source, close, claims, handles }: BlockProps) {
  // Preact leaves this vnode alone while its inputs are the same ones.
  return useMemo(
    () => <div class="block" dangerouslySetInnerHTML={{ __html: renderBlock(source, close, claims, handles) }} />,
    [source, close, claims, handles],
  );
}

const nothingYet: Closing = () => "";
const asItIs: Closing = (source) => source;

/** Closes what a growing text leaves open; until that is fetched its last block is not shown. */
function useClosing(growing: boolean): Closing {
  const [close, setClose] = useState<Closing>(() => nothingYet);
  useEffect(() => {
    if (!growing) return;
    import("./unclosed.ts").then(
      (loaded) => setClose(() => loaded.closed),
      () => setClose(() => asItIs),
    );
  }, [growing]);
  return close;
}
