/** Handles: the short names of things in a trace, the same in citations, tool results, pictures and addresses. */

export interface Handle {
  kind: "frame" | "profile" | "node" | "span";
  index: number;
}

const KINDS = { f: "frame", p: "profile", n: "node", s: "span" } as const;

/** `f12`, `#f12`: null for anything else. */
export function parseHandle(text: string): Handle | null {
  const match = /^#?([fpns])(\d{1,10})$/.exec(text);
  return match ? { kind: KINDS[match[1] as keyof typeof KINDS], index: Number(match[2]) } : null;
}
