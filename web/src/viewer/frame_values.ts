/** Self and total value per frame of a view, in one walk without recursion. */
import { rowCount } from "./boxes.ts";
import type { Boxes } from "./view_bytes.ts";

export interface FrameValues {
  self: Float64Array;
  /** A frame below itself is counted once. */
  total: Float64Array;
  count: Int32Array;
  profileTotal: number;
}

export function frameValues(boxes: Boxes, frameCount: number): FrameValues {
  const values = {
    self: new Float64Array(frameCount),
    total: new Float64Array(frameCount),
    count: new Int32Array(frameCount),
    profileTotal: 0,
  };
  const rows = rowCount(boxes);
  const cursor = Int32Array.from(boxes.rowOffsets);
  const open = new Int32Array(frameCount);
  const path: number[] = [];
  for (;;) {
    const depth = path.length;
    const parent = path[depth - 1];
    const next = depth < rows ? cursor[depth]! : -1;
    const isChild =
      depth < rows &&
      next < boxes.rowOffsets[depth + 1]! &&
      (parent === undefined || boxes.start[next]! < boxes.end[parent]!);
    if (isChild) {
      enter(next, parent);
      cursor[depth]! += 1;
      path.push(next);
    } else if (parent === undefined) {
      return values;
    } else {
      path.pop();
      const frame = boxes.frame[parent]!;
      if (frame >= 0) open[frame]! -= 1;
    }
  }

  function enter(box: number, parent: number | undefined): void {
    const frame = boxes.frame[box]!;
    const value = boxes.end[box]! - boxes.start[box]!;
    if (parent === undefined) values.profileTotal += value;
    else if (boxes.frame[parent]! >= 0) values.self[boxes.frame[parent]!]! -= value;
    if (frame < 0) return;
    values.self[frame]! += value;
    values.count[frame]! += 1;
    if (open[frame] === 0) values.total[frame]! += value;
    open[frame]! += 1;
  }
}

/** What a box spent itself: its width without that of its children. */
export function selfOf(boxes: Boxes, index: number, row: number): number {
  let self = boxes.end[index]! - boxes.start[index]!;
  if (row + 1 >= rowCount(boxes)) return self;
  let low = boxes.rowOffsets[row + 1]!;
  const last = boxes.rowOffsets[row + 2]!;
  for (let high = last; low < high;) {
    const middle = (low + high) >> 1;
    if (boxes.start[middle]! >= boxes.start[index]!) high = middle;
    else low = middle + 1;
  }
  for (let child = low; child < last && boxes.start[child]! < boxes.end[index]!; child++)
    self -= boxes.end[child]! - boxes.start[child]!;
  return self;
}
