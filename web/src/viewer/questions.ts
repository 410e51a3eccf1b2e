/** Questions about what is seen in the chart, ready to be asked or changed. */
import { formatPlaceOnAxis } from "./ruler_text.ts";
import { formatValue } from "./values.ts";
import type { Unit } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";
import { span, type AxisWindow } from "./window.ts";

export function aboutFunction(name: string, handle: string): string {
  return `Why does \`${name}\` (${handle}) take this long?`;
}

/** About one call (`s12`) or one path of calls (`n12`). */
export function aboutBox(name: string, handle: string, value: string): string {
  const what = handle.startsWith("s") ? "this call of" : "the path to";
  return `Why does ${what} \`${name}\` (${handle}) take ${value}?`;
}

/** "1.20 s to 1.48 s", counted from the beginning of the axis. */
export function spokenRange(range: AxisWindow, origin: number, unit: Unit): string {
  const [start, end] = [range.start - origin, range.end - origin].map((place) =>
    formatPlaceOnAxis(place, span(range) / 20, unit),
  );
  return `${start} to ${end}`;
}

/** `threads` names others than the one in sight. */
export function aboutRange(range: AxisWindow, origin: number, unit: Unit, threads = ""): string {
  const where = threads && ` in ${threads}`;
  return `What happens${where} from ${spokenRange(range, origin, unit)}, and what takes the time there?`;
}

/** The name, the handle of the very box, and what it weighs; null without a selection. */
export function selectedBox(store: ViewerStore): { name: string; frame: string; box: string; value: string } | null {
  const { selection, view } = store.read();
  const frame = store.selectedFrame();
  const boxes = selection && view?.[selection.half];
  if (!frame || !view || !boxes) return null;
  return {
    name: view.frames.names[frame.local]!,
    frame: frame.handle,
    box: store.selectedHandle() ?? frame.handle,
    value: formatValue(boxes.end[selection.index]! - boxes.start[selection.index]!, view.unit),
  };
}

/** The question that the chart suggests now: about the marked range, the selected box, or what is seen of the axis. */
export function questionHere(store: ViewerStore): string | null {
  const { range, view } = store.read();
  const box = selectedBox(store);
  if (box && !range)
    return box.box === box.frame ? aboutFunction(box.name, box.frame) : aboutBox(box.name, box.box, box.value);
  const window = store.askedWindow();
  return window && view ? aboutRange(window, store.axis().start, view.unit) : null;
}
