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
