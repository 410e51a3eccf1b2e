/** What a click in an answer leads to: a citation, a picture in the chart, or its drawing. */
import type { Window } from "../protocol.ts";
import type { Pictured } from "./pictured.ts";

export interface Clicked {
  /** Called for each click on a citation, also the second on the same one. */
  cite: (handle: string, turnId: string | null, profile: string | null, window: Window | null) => void;
  /** Called for a picture that is to be shown in the chart. */
  show: (pictured: Pictured) => void;
  /** Called for a picture that is to be downloaded as SVG. */
  draw: (pictured: Pictured) => void;
  /** Called for an answer whose findings are to be noted on the trace. */
  note: (turnId: string) => void;
}

export function clicked(event: MouseEvent, { cite, show, draw, note }: Clicked): void {
  if (!(event.target instanceof Element)) return;
  const drawn = event.target.closest<HTMLElement>("[data-drawn]");
  if (drawn) return draw(JSON.parse(drawn.dataset.drawn!) as Pictured);
  const pictured = event.target.closest<HTMLElement>("[data-pictured]");
  if (pictured) return show(JSON.parse(pictured.dataset.pictured!) as Pictured);
  const noted = event.target.closest<HTMLElement>("[data-notes-of]");
  if (noted) return note(noted.dataset.notesOf!);
  const link = event.target.closest<HTMLAnchorElement>("a.citation");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const handle = link.hash.slice(1);
  const { profile = null, window } = link.dataset;
  const [start, end] = window?.split(",").map(Number) ?? [];
  const range = start === undefined || end === undefined ? null : { start, end };
  cite(handle, link.closest<HTMLElement>(".turn")?.dataset.turn ?? null, profile, range);
}
