/** What the chart shows, in the words of the wire: for the tools that the page answers. */
import type { ShownBox, ShownView } from "../protocol.ts";
import { firstEndingAfter, rowCount } from "./boxes.ts";
import type { Boxes, View } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";
import type { AxisWindow } from "./window.ts";

const MOST_BOXES = 20;
/** Of the 2,048 bytes that a context may have. */
const MOST_BYTES = 1_900;
const LONGEST_TEXT = 80;

/** Null while there is no view. */
export function shownView(store: ViewerStore): ShownView | null {
  const { mode, profile, window, view, search, transforms } = store.read();
  if (!view) return null;
  const boxes = widest(view.boxes, window, MOST_BOXES);
  const shown: ShownView = {
    profile,
    view: mode,
    window: { start: window.start, end: window.end },
    depth: rowsWith(view.boxes, window),
    selection: store.selectedHandle(),
    search: search.words.slice(0, LONGEST_TEXT) || null,
    filters: transforms.slice(0, 5).map((one) => one.slice(0, LONGEST_TEXT)),
  };
  return fitted(
    shown,
    boxes.flatMap(({ index, row }) => boxOf(view, index, row)),
  );
}

function boxOf(view: View, index: number, row: number): ShownBox[] {
  const local = view.boxes.frame[index]!;
  if (local < 0) return [];
  const [start, end] = [view.boxes.start[index]!, view.boxes.end[index]!].map((at) => Math.round(at * 1000) / 1000);
  return [{ frame: `f${view.frames.ids[local]}`, row, start: start!, end: end! }];
}

function fitted(shown: ShownView, boxes: ShownBox[]): ShownView {
  for (let kept = boxes.length; kept > 0; kept--) {
    const one = { ...shown, boxes: boxes.slice(0, kept) };
    if (new TextEncoder().encode(JSON.stringify(one)).length <= MOST_BYTES) return one;
  }
  return { ...shown, boxes: [] };
}

/** The boxes that take most of the window, the widest first; of equal ones the outer. */
export function widest(boxes: Boxes, window: AxisWindow, most: number): { index: number; row: number }[] {
  const found: { index: number; row: number; width: number }[] = [];
  for (let row = 0; row < rowCount(boxes); row++) {
    const last = boxes.rowOffsets[row + 1]!;
    for (let index = firstEndingAfter(boxes, boxes.rowOffsets[row]!, last, window.start); index < last; index++) {
      if (boxes.start[index]! >= window.end) break;
      const width = Math.min(boxes.end[index]!, window.end) - Math.max(boxes.start[index]!, window.start);
      if (found.length === most && width <= found.at(-1)!.width) continue;
      const place = found.findIndex((one) => one.width < width);
      found.splice(place < 0 ? found.length : place, 0, { index, row, width });
      if (found.length > most) found.pop();
    }
  }
  return found.map(({ index, row }) => ({ index, row }));
}

function rowsWith(boxes: Boxes, window: AxisWindow): number {
  let rows = 0;
  for (let row = 0; row < rowCount(boxes); row++) {
    const last = boxes.rowOffsets[row + 1]!;
    const index = firstEndingAfter(boxes, boxes.rowOffsets[row]!, last, window.start);
    if (index < last && boxes.start[index]! < window.end) rows += 1;
  }
  return rows;
}
