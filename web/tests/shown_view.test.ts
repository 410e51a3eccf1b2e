import assert from "node:assert/strict";
import { test } from "node:test";
import { widest } from "../src/viewer/shown_view.ts";
import type { Boxes } from "../src/viewer/view_bytes.ts";

const BOXES: Boxes = {
  rowOffsets: [0, 1, 4],
  start: Float64Array.of(0, 0, 40, 70),
  end: Float64Array.of(100, 40, 70, 100),
  frame: Int32Array.of(0, 1, 2, 3),
  ref: Int32Array.of(-1, -1, -1, -1),
};

function found(start: number, end: number, most: number) {
  return widest(BOXES, { start, end }, most).map((one) => one.index);
}

test("the widest boxes of a window come first, the outer before those inside", () => {
  assert.deepEqual(found(0, 100, 20), [0, 1, 2, 3]);
  assert.deepEqual(found(35, 100, 20), [0, 2, 3, 1]);
  assert.deepEqual(found(40, 70, 20), [0, 2]);
});

test("of more there are as many as asked for", () => {
  assert.deepEqual(found(35, 100, 2), [0, 2]);
});
