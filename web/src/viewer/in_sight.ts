/** Whether the chart shows a place now, wide enough to be seen. */
import type { Place } from "./places.ts";
import type { ViewerStore } from "./viewer_store.ts";
import { span } from "./window.ts";

/** Of the chart's width: narrower boxes have no name in them and are hard to find. */
const NARROWEST = 1 / 200;

/** A view that is not there yet shows nothing. */
export function isInSight(store: ViewerStore, place: Place): boolean {
  const { view, profile, mode, sandwichOf, window } = store.read();
  if (!view || profile !== place.profile) return false;
  if (!place.frame) return true;
  if (mode === "sandwich") return sandwichOf === place.frame;
  const local = view.frames.ids.indexOf(Number(place.frame.slice(1)));
  if (local < 0) return false;
  const { start, end, frame } = view.boxes;
  const least = span(window) * NARROWEST;
  for (let box = 0; box < frame.length; box++)
    if (frame[box] === local && Math.min(end[box]!, window.end) - Math.max(start[box]!, window.start) >= least)
      return true;
  return false;
}
