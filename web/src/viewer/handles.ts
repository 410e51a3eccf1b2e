/** Handles: the short names of things in a trace, the same in citations, tool results, pictures and addresses. */

import type { View } from "./view_bytes.ts";
import type { BoxAddress } from "./viewer_store.ts";

export interface Handle {
  kind: "frame" | "profile" | "node" | "span";
  index: number;
}

const KINDS = { f: "frame", p: "profile", n: "node", s: "span" } as const;
/** A handle, or the address of a figure about one, with the thread that is its scope: `#p1.f12.self/f9`. */
const ADDRESS = /^#?(?:(p\d{1,10})\.)?(([fpns])(\d{1,10}))(?:\..{1,100})?$/;

/** `f12`, `#f12`: null for anything else. */
export function parseHandle(text: string): Handle | null {
  const match = /^#?([fpns])(\d{1,10})$/.exec(text);
  return match ? { kind: KINDS[match[1] as keyof typeof KINDS], index: Number(match[2]) } : null;
}

/** What an address is about, and the thread that it names; null for what is no address of a thing of the trace. */
export function parseAddress(text: string): { handle: Handle; text: string; scope: string | null } | null {
  const match = ADDRESS.exec(text);
  if (!match) return null;
  const handle: Handle = { kind: KINDS[match[3] as keyof typeof KINDS], index: Number(match[4]) };
  return { handle, text: match[2]!, scope: match[1] ?? null };
}

/** The handles of a box: of its call or path, where it is one, and of its function. */
export function handlesOf(view: View, { half, index }: BoxAddress): string[] {
  const local = view[half]?.frame[index] ?? -1;
  const ref = view[half]?.ref[index];
  const isOne = ref !== undefined && ref >= 0 && view.mode !== "sandwich";
  return [
    ...(isOne ? [`${view.refKind === "span" ? "s" : "n"}${ref}`] : []),
    ...(local >= 0 ? [`f${view.frames.ids[local]}`] : []),
  ];
}

/** The handles in a tool's text, which are those outside of quoted names. */
export function handlesIn(text: string): { at: number; handle: string }[] {
  const found: { at: number; handle: string }[] = [];
  for (const match of text.matchAll(/"(?:[^"\\\n]|\\.)*"|(?<![\w.$-])([fns]\d{1,10})(?![\w.$-])/g))
    if (match[1]) found.push({ at: match.index, handle: match[1] });
  return found;
}
