/** A citation under the pointer is marked in the chart, and citations of the box under the pointer in the answers. */
import type { Turn } from "../chat/turn.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { addressesOf, addressIn } from "./subject.ts";

/** Mark both ways, within the element that has the chart and the answers; returns what ends it. */
export function markBothWays(room: HTMLElement, turns: () => Turn[], viewer: ViewerStore): () => void {
  const { places, pointing } = viewer;
  let under: HTMLAnchorElement | null = null;
  const point = async (link: HTMLAnchorElement | null) => {
    if (link === under) return;
    under = link;
    if (!link) return pointing.cite(null);
    const turnId = link.closest<HTMLElement>(".turn")?.dataset.turn;
    const turn = turns().find((one) => one.turnId === turnId);
    const handle = link.hash.slice(1);
    const profile = link.dataset.profile ?? null;
    const address = addressIn(turn, { handle, profile });
    const place = await places.of(address, turn ? addressesOf(turn) : []);
    if (under === link) pointing.cite("problem" in place ? null : place);
  };
  const over = (event: Event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a.citation") : null;
    void point(link).catch(() => pointing.cite(null)); // a click says why there is no place
  };
  const marked = new Set<Element>();
  const mark = () => {
    for (const link of marked) link.removeAttribute("data-pointed");
    marked.clear();
    for (const handle of pointing.read().boxed)
      for (const link of room.querySelectorAll(`.turn a.citation[href="#${handle}"]`)) {
        link.setAttribute("data-pointed", "");
        marked.add(link);
      }
  };
  const stop = new AbortController();
  const { signal } = stop;
  for (const name of ["pointerover", "focusin"] as const) room.addEventListener(name, over, { signal });
  room.addEventListener("pointerleave", () => void point(null), { signal });
  signal.addEventListener("abort", pointing.watch(mark));
  return () => stop.abort();
}
