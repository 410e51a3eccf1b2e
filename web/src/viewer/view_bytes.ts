/** The view format `FCV1`: a JSON header, then 8-aligned little-endian columns that are used where they lie. */

import type { TransformFacts } from "./transforms.ts";

export type ViewMode = "time_order" | "left_heavy" | "sandwich" | "diff";
export type Unit = "nanoseconds" | "bytes" | "count";

/** Boxes sorted by row, then start; those of row `d` are `rowOffsets[d]` up to `rowOffsets[d + 1]`, disjoint and in order. */
export interface Boxes {
  rowOffsets: number[];
  start: Float64Array;
  end: Float64Array;
  /** Index into the view's frame table (not the number of the frame's handle); -1 for a frame the table lacks. */
  frame: Int32Array;
  ref: Int32Array;
  /** In a diff: what each path weighed before, on the same scale. */
  before?: Float64Array;
  /** 1 for a span without an end: it is drawn to the end, hatched. */
  unfinished?: Int32Array;
}

/** What a diff is about: the trace that was before, and what of it is gone. */
export interface DiffFacts {
  name: string;
  profileName: string;
  /** What the values of before were multiplied by. */
  scale: number;
  vanished: { name: string; value: number }[];
  vanishedCount: number;
}

export interface FrameTable {
  ids: number[];
  names: string[];
  files: (string | null)[];
  lines: (number | null)[];
  /** Hue and shade as a number of the palette. */
  colours: number[];
}

export interface View {
  mode: ViewMode;
  profile: string;
  unit: Unit;
  axisStart: number;
  axisEnd: number;
  refKind: "span" | "node";
  /** Boxes before merging, and how many were merged because they are narrower than a pixel. */
  total: number;
  merged: number;
  boxes: Boxes;
  /** The upper half of a sandwich, row 0 next to the frame. */
  callers: Boxes | null;
  frames: FrameTable;
  /** A colour of each hue that occurs, and what it stands for, the widest first. */
  legend: [number, string][];
  /** The handle a sandwich is about. */
  frame: string | null;
  diff: DiffFacts | null;
  /** What was done to the call tree; null where it is as it was recorded. */
  transforms: TransformFacts | null;
}

interface ColumnHeader {
  name: "start" | "end" | "frame" | "ref" | "before" | "unfinished";
  dtype: "f8" | "i4";
  offset: number;
  length: number;
}

interface BoxesHeader {
  boxes: number;
  rowOffsets: number[];
  columns: ColumnHeader[];
}

type Header = Omit<View, "boxes" | "callers" | "diff" | "transforms"> &
  BoxesHeader & { callers: BoxesHeader | null; diff?: DiffFacts; transforms?: TransformFacts };

const MAGIC = 0x31564346; // "FCV1", little-endian

/** Raises when the bytes are not a view. */
export function decodeView(buffer: ArrayBuffer): View {
  const data = new DataView(buffer);
  if (buffer.byteLength < 8 || data.getUint32(0, true) !== MAGIC)
    throw new Error("The server sent something that is not a chart.");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, data.getUint32(4, true)))) as Header;
  const localOf = placesOf(header.frames.ids);
  return {
    mode: header.mode,
    profile: header.profile,
    unit: header.unit,
    axisStart: header.axisStart,
    axisEnd: header.axisEnd,
    refKind: header.refKind,
    total: header.total,
    merged: header.merged,
    frames: header.frames,
    legend: header.legend,
    frame: header.frame,
    diff: header.diff ?? null,
    transforms: header.transforms ?? null,
    boxes: boxesFrom(buffer, header, localOf),
    callers: header.callers && boxesFrom(buffer, header.callers, localOf),
  };
}

/** By the number of a frame its place in the table; a column, as each of a million boxes is looked up. */
function placesOf(ids: number[]): Int32Array {
  const most = ids.reduce((one, other) => Math.max(one, other), -1);
  const places = new Int32Array(most + 1).fill(-1);
  ids.forEach((id, index) => (places[id] = index));
  return places;
}

function boxesFrom(buffer: ArrayBuffer, header: BoxesHeader, localOf: Int32Array): Boxes {
  const column = (name: ColumnHeader["name"]): ColumnHeader => {
    const found = header.columns.find((candidate) => candidate.name === name);
    if (!found) throw new Error(`The chart from the server lacks its column "${name}".`);
    return found;
  };
  const floats = (name: "start" | "end" | "before") => new Float64Array(buffer, column(name).offset, header.boxes);
  const integers = (name: "frame" | "ref" | "unfinished") => new Int32Array(buffer, column(name).offset, header.boxes);
  return {
    rowOffsets: header.rowOffsets,
    start: floats("start"),
    end: floats("end"),
    frame: integers("frame").map((id) => localOf[id] ?? -1),
    ref: integers("ref"),
    ...(header.columns.some((one) => one.name === "before") ? { before: floats("before") } : {}),
    ...(header.columns.some((one) => one.name === "unfinished") ? { unfinished: integers("unfinished") } : {}),
  };
}
