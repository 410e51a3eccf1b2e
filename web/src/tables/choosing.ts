/** From a row of a table to the chart. */
import { boxAt, widestBox } from "../viewer/boxes.ts";
import { goTo } from "../viewer/navigation.ts";
import type { Boxes } from "../viewer/view_bytes.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { span } from "../viewer/window.ts";

/** Boxes that are narrower than this part of what is in sight are zoomed to. */
const LEAST_SEEN = 1 / 400;

/**
 * Select a function or a call path of a thread in the chart; in time order the longest call of a path. A marked range
 * stays where the view that is shown has it.
 */
export async function showInChart(store: ViewerStore, handle: string, thread: string): Promise<void> {
  if (selectShown(store, handle, thread)) return;
  if (handle.startsWith("n") && (await selectLongestCall(store, handle))) return;
  await goTo(store, handle, { profile: thread });
}

/** Whether time order shows the longest call of a path, which then is selected. */
async function selectLongestCall(store: ViewerStore, path: string): Promise<boolean> {
  const { mode, profile } = store.read();
  if (mode !== "time_order") return false;
  const place = await store.places.of(path);
  const { view } = store.read();
  if ("problem" in place || !place.window || !view || view.mode !== mode || place.profile !== profile) return false;
  const index = boxAt(view.boxes, place.depth, (place.window.start + place.window.end) / 2);
  if (index === null || `f${view.frames.ids[view.boxes.frame[index]!]}` !== place.frame) return false;
  selectBox(store, view.boxes, index);
  return true;
}

/** Whether the view that is shown has a box of it, which then is selected. */
function selectShown(store: ViewerStore, handle: string, thread: string): boolean {
  const { view, mode, profile } = store.read();
  if (!view || mode === "sandwich" || mode === "diff" || profile !== thread) return false;
  const { boxes, frames } = view;
  const number = Number(handle.slice(1));
  let isIt: (box: number) => boolean;
  if (handle.startsWith("f")) {
    const local = frames.ids.indexOf(number);
    if (local < 0) return false;
    isIt = (box) => boxes.frame[box] === local;
  } else if (view.refKind === (handle.startsWith("s") ? "span" : "node")) isIt = (box) => boxes.ref[box] === number;
  else return false;
  const index = widestBox(boxes, isIt);
  if (index === null) return false;
  selectBox(store, boxes, index);
  return true;
}

/** Select a box, and bring it into sight where it is not. */
function selectBox(store: ViewerStore, boxes: Boxes, index: number): void {
  const { window } = store.read();
  store.select({ half: "boxes", index });
  const [start, end] = [boxes.start[index]!, boxes.end[index]!];
  if (end <= window.start || start >= window.end || end - start < span(window) * LEAST_SEEN) store.zoomToSelection();
}

/** The function that the chart has selected. */
export function chosenFunction(store: ViewerStore): string | null {
  const { mode, sandwichOf } = store.read();
  return store.selectedFrame()?.handle ?? (mode === "sandwich" ? sandwichOf : null);
}
