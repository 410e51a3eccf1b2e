/** Citations read the other way: from a thing in the chart to the answers that speak of it. */
import type { Turn } from "../chat/turn.ts";

export interface Citing {
  turnId: string;
  question: string;
  handle: string;
}

/** The turns whose answers cite one of these handles, in order, each once. */
export function citing(turns: Turn[], handles: string[]): Citing[] {
  return turns.flatMap((turn) => {
    const cited = turn.citations?.find((citation) => handles.includes(citation.handle));
    return cited
      ? [{ turnId: turn.turnId, question: turn.prompt?.replaceAll("`", "") ?? "An answer", handle: cited.handle }]
      : [];
  });
}

/** Bring a citation of a turn into sight and put the focus on it. */
export function showCitation({ turnId, handle }: Citing): void {
  const turn = document.querySelector(`.turn[data-turn="${CSS.escape(turnId)}"]`);
  const link = turn?.querySelector<HTMLElement>(`a.citation[href="#${CSS.escape(handle)}"]`) ?? null;
  (link ?? turn)?.scrollIntoView({ block: "center" });
  link?.focus({ preventScroll: true });
}

/** A handle with the profile that the tool looked at which named it in this turn, as `p1.f12`; alone where it named none. */
export function inItsProfile(turn: Turn, handle: string): string {
  const isNamed = new RegExp(`(?<![\\w.])${handle}(?!\\w)`);
  const tool = turn.parts.find((part) => part.kind === "tool" && part.text !== null && isNamed.test(part.text));
  const profile = tool?.kind === "tool" ? tool.args.profile : null;
  return typeof profile === "string" && /^p\d{1,10}$/.test(profile) && !handle.includes(".")
    ? `${profile}.${handle}`
    : handle;
}
