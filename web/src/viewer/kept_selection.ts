/** What stays selected when another view takes a view's place. */
import { boxAt, rowOf, widestBox } from "./boxes.ts";
import type { View } from "./view_bytes.ts";
import type { BoxAddress, ViewerSnapshot } from "./viewer_store.ts";

/** The selected function, where another view of the same profile shows it. */
export function sameFrame(view: View, handle: string | null): BoxAddress | null {
  const local = handle === null ? -1 : view.frames.ids.indexOf(Number(handle.slice(1)));
  const index = local < 0 ? null : widestBox(view.boxes, (box) => view.boxes.frame[box] === local);
  return index === null ? null : { half: "boxes", index };
}

/** What lies in the place of the selected box. */
export function samePlace(before: ViewerSnapshot, view: View): BoxAddress | null {
  const previous = before.selection && before.view?.boxes;
  if (!previous) return null;
  const middle = (previous.start[before.selection!.index]! + previous.end[before.selection!.index]!) / 2;
  const index = boxAt(view.boxes, rowOf(previous, before.selection!.index), middle);
  return index === null ? null : { half: "boxes", index };
}
