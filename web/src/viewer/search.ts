/** Search within a view: which frames match, and their boxes from left to right. */
import type { Boxes, FrameTable } from "./view_bytes.ts";

export interface Search {
  words: string;
  /** What an expression over all threads found, by number; null where the words are looked for as they are. */
  frames: ReadonlySet<number> | null;
  matches: Uint8Array | null;
  boxes: Int32Array;
  /** Which of `boxes` is shown, -1 before the first step. */
  at: number;
}

export const NO_SEARCH: Search = { words: "", frames: null, matches: null, boxes: new Int32Array(), at: -1 };

/** 1 for each frame whose name or file contains the words, whatever their case; null when there is nothing to look for. */
export function matchingFrames(frames: FrameTable, words: string): Uint8Array | null {
  const query = words.trim().toLowerCase();
  if (!query) return null;
  return Uint8Array.from(frames.names, (name, index) =>
    name.toLowerCase().includes(query) || (frames.files[index]?.toLowerCase().includes(query) ?? false) ? 1 : 0,
  );
}

/** 1 for each frame of the view that is among those found elsewhere. */
export function framesAmong(frames: FrameTable, found: ReadonlySet<number>): Uint8Array {
  return Uint8Array.from(frames.ids, (id) => (found.has(id) ? 1 : 0));
}

/** The boxes of matching frames, by start, then row. */
export function matchingBoxes(boxes: Boxes, matches: Uint8Array): Int32Array {
  let count = 0;
  for (const frame of boxes.frame) count += matches[frame] ?? 0;
  const found = new Int32Array(count);
  let at = 0;
  boxes.frame.forEach((frame, index) => {
    if (matches[frame]) found[at++] = index;
  });
  return found.sort((a, b) => boxes.start[a]! - boxes.start[b]! || a - b);
}
