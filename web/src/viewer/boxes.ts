/** Finding boxes: by place, by kinship, and those worth drawing. Everything is a binary or galloping search within a row. */
import type { Boxes } from "./view_bytes.ts";
import type { AxisWindow } from "./window.ts";

export function rowCount(boxes: Boxes): number {
  return Math.max(0, boxes.rowOffsets.length - 1);
}

/** The row of a box. */
export function rowOf(boxes: Boxes, index: number): number {
  let low = 0;
  let high = rowCount(boxes) - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (boxes.rowOffsets[middle]! <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** First box of a part of a row that ends after `at`; `to` when there is none. */
export function firstEndingAfter(boxes: Boxes, from: number, to: number, at: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boxes.end[middle]! > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The box of a row at a place on the axis, or null. */
export function boxAt(boxes: Boxes, row: number, at: number): number | null {
  if (row < 0 || row >= rowCount(boxes)) return null;
  const to = boxes.rowOffsets[row + 1]!;
  const index = firstEndingAfter(boxes, boxes.rowOffsets[row]!, to, at);
  return index < to && boxes.start[index]! <= at ? index : null;
}

export function parentOf(boxes: Boxes, index: number): number | null {
  return boxAt(boxes, rowOf(boxes, index) - 1, (boxes.start[index]! + boxes.end[index]!) / 2);
}

/** The widest child of a box, or null. */
export function widestChildOf(boxes: Boxes, index: number): number | null {
  const row = rowOf(boxes, index) + 1;
  if (row >= rowCount(boxes)) return null;
  const to = boxes.rowOffsets[row + 1]!;
  let widest: number | null = null;
  for (let child = firstEndingAfter(boxes, boxes.rowOffsets[row]!, to, boxes.start[index]!); child < to; child++) {
    if (boxes.start[child]! >= boxes.end[index]!) break;
    if (widest === null || width(boxes, child) > width(boxes, widest)) widest = child;
  }
  return widest;
}

/** The neighbour in the same row: `step` 1 is the next, -1 the one before. */
export function neighbourOf(boxes: Boxes, index: number, step: 1 | -1): number | null {
  const row = rowOf(boxes, index);
  const next = index + step;
  return next >= boxes.rowOffsets[row]! && next < boxes.rowOffsets[row + 1]! ? next : null;
}

export function width(boxes: Boxes, index: number): number {
  return boxes.end[index]! - boxes.start[index]!;
}

/** The widest box that `matches`, or null. */
export function widestBox(boxes: Boxes, matches: (index: number) => boolean): number | null {
  let widest: number | null = null;
  for (let index = 0; index < boxes.start.length; index++) {
    if ((widest === null || width(boxes, index) > width(boxes, widest)) && matches(index)) widest = index;
  }
  return widest;
}

const CELL = 2; // pixels: what is narrower than this shares a cell with its neighbours

/** Before each box, how wide all boxes are together: worked out once for a view. */
const summed = new WeakMap<Boxes, Float64Array>();

function widthsBefore(boxes: Boxes): Float64Array {
  let sums = summed.get(boxes);
  if (!sums) {
    sums = new Float64Array(boxes.start.length + 1);
    for (let index = 0; index < boxes.start.length; index++) sums[index + 1] = sums[index]! + width(boxes, index);
    summed.set(boxes, sums);
  }
  return sums;
}

/**
 * Calls `draw(x, width, index, covered)` for what is to be seen of a row between two places on the axis, `pixels` wide.
 *
 * A box under two pixels has its cell of two pixels, and the boxes behind the same cell are leapt over: the work is bounded by pixels.
 * `covered` is how much of the cell they take, up to 1, so that calls with long gaps between them do not look like one.
 */
export function visibleBoxes(
  boxes: Boxes,
  row: number,
  from: number,
  to: number,
  pixels: number,
  draw: (x: number, width: number, index: number, covered: number) => void,
): void {
  const scale = pixels / (to - from);
  const cellWidth = CELL / scale;
  const { start, end } = boxes;
  const first = boxes.rowOffsets[row]!;
  const last = boxes.rowOffsets[row + 1]!;
  const sums = widthsBefore(boxes);
  let drawn = -1; // the cell before, counted from the window's start
  let index = firstEndingAfter(boxes, first, last, from);
  while (index < last && start[index]! < to) {
    const x = (start[index]! - from) * scale;
    const wide = (end[index]! - start[index]!) * scale;
    if (wide >= CELL) {
      draw(x, wide, index, 1);
      index += 1;
      continue;
    }
    const cell = Math.floor(x / CELL);
    const right = from + (cell + 1) * cellWidth;
    const next = gallop(boxes, index + 1, last, right);
    if (cell !== drawn) {
      const into = end[next - 1]! - right; // what reaches over an edge of the cell belongs to both sides of it
      let taken = sums[next]! - sums[index]! - (into > 0 ? into : 0);
      const left = right - cellWidth;
      if (index > first && end[index - 1]! > left) taken += end[index - 1]! - left;
      if (next < last && start[next]! < right) taken += right - start[next]!;
      draw(cell * CELL, CELL, index, taken < cellWidth ? taken / cellWidth : 1);
      drawn = cell;
    }
    index = next;
  }
}

/** First box from `index` on that ends after `at`, near ones found fastest. */
function gallop(boxes: Boxes, index: number, last: number, at: number): number {
  let reach = 1;
  while (index + reach < last && boxes.end[index + reach]! <= at) reach *= 2;
  return firstEndingAfter(boxes, index + (reach >> 1), Math.min(last, index + reach + 1), at);
}

/** A box of the uppermost row in the middle of the window, or the first one that ends after its start. */
export function firstSeen(boxes: Boxes, window: AxisWindow): number | null {
  const middle = boxAt(boxes, 0, (window.start + window.end) / 2);
  const count = boxes.rowOffsets[1] ?? 0;
  return middle ?? (count ? Math.min(count - 1, firstEndingAfter(boxes, 0, count, window.start)) : null);
}
