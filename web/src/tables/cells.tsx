/** What cells of tables show: names of a recording, which may be anything, and figures with their shares. */
import { formatShare, formatValue } from "../viewer/values.ts";
import type { Unit } from "../viewer/view_bytes.ts";

const LONGEST_SHOWN = 300;
const LONGEST_TITLE = 2_000;

/**
 * A name in one line, isolated from what stands around it, as it may run from right to left; a very long one without
 * its middle.
 */
export function NameText({ text }: { text: string }) {
  return <bdi title={cut(text, LONGEST_TITLE)}>{cut(text, LONGEST_SHOWN)}</bdi>;
}

/** A thread's own name before its process's: many threads are of one process. */
export function threadLabel(name: string): string {
  const match = /^(.+) \(pid [^()]*\), (.+)$/.exec(name);
  return match ? `${match[2]} · ${match[1]}` : name;
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = Math.floor(longest * 0.66);
  return `${text.slice(0, head)}…${text.slice(text.length - (longest - head - 1))}`;
}

export function Amount({ value, unit, of }: { value: number; unit: Unit; of: number }) {
  const share = of > 0 ? value / of : 0;
  return (
    <>
      <span class="grid-bar" style={{ width: `${Math.min(1, Math.max(0, share)) * 100}%` }} aria-hidden="true" />
      <span>
        {formatValue(value, unit)} <i>{formatShare(share)}</i>
      </span>
    </>
  );
}
