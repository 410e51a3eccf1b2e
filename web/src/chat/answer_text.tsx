/** An answer as it grows: each block is rendered once, only the last one again and again. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Check } from "../protocol.ts";
import { claimsOf, claimsOfBlocks, type Claim } from "./claims.ts";
import { blocksOf, renderBlock } from "./markdown.ts";
import type { Mending } from "./mending.ts";

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
  const mend = useMending(growing);
  return (
    <div class="prose">
      {blocks.map((source, index) => (
        <Block
          key={index}
          source={source}
          mend={growing && index === blocks.length - 1 ? mend : null}
          claims={claims[index] ?? NO_CLAIMS}
          handles={handles}
        />
      ))}
    </div>
  );
}

interface BlockProps {
  source: string;
  mend: Mending | null;
  claims: Claim[];
  handles: ReadonlySet<string> | null;
}

function Block({ source, mend, claims, handles }: BlockProps) {
  // Preact leaves this vnode alone while its inputs are the same ones.
  return useMemo(
    () => <div class="block" dangerouslySetInnerHTML={{ __html: renderBlock(source, mend, claims, handles) }} />,
    [source, mend, claims, handles],
  );
}

const nothingYet: Mending = () => "";
const asItIs: Mending = (source) => source;

/** Closes what a growing text leaves open; until that is fetched its last block is not shown. */
function useMending(growing: boolean): Mending {
  const [mend, setMend] = useState<Mending>(() => nothingYet);
  useEffect(() => {
    if (!growing) return;
    import("./mending.ts").then(
      (loaded) => setMend(() => loaded.mended),
      () => setMend(() => asItIs),
    );
  }, [growing]);
  return mend;
}
