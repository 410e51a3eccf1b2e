import assert from "node:assert/strict";
import { test } from "node:test";
import { boxAt, neighbourOf, parentOf, rowOf, visibleBoxes, widestBox, widestChildOf } from "../src/viewer/boxes.ts";
import { frameValues, selfOf } from "../src/viewer/frame_values.ts";
import { matchingBoxes, matchingFrames } from "../src/viewer/search.ts";
import type { Boxes } from "../src/viewer/view_bytes.ts";

/** main 0-100 over [a 0-60 over main 10-30, b 70-90]; a gap between 60 and 70. */
const BOXES: Boxes = {
  rowOffsets: [0, 1, 3, 4],
  start: Float64Array.of(0, 0, 70, 10),
  end: Float64Array.of(100, 60, 90, 30),
  frame: Int32Array.of(0, 1, 2, 0),
  ref: Int32Array.of(0, 1, 2, 3),
};

function comb(count: number): Boxes {
  const start = Float64Array.from({ length: count }, (_, index) => index);
  return {
    rowOffsets: [0, count],
    start,
    end: start.map((at) => at + 1),
    frame: new Int32Array(count),
    ref: new Int32Array(count),
  };
}

test("a place holds its box, a gap none, and an end belongs to the next", () => {
  assert.equal(boxAt(BOXES, 1, 0), 1);
  assert.equal(boxAt(BOXES, 1, 65), null);
  assert.equal(boxAt(BOXES, 1, 60), null);
  assert.equal(boxAt(BOXES, 9, 5), null);
});

test("arrows find parent, widest child and neighbours", () => {
  assert.equal(rowOf(BOXES, 3), 2);
  assert.equal(parentOf(BOXES, 3), 1);
  assert.equal(parentOf(BOXES, 0), null);
  assert.equal(widestChildOf(BOXES, 0), 1);
  assert.equal(widestChildOf(BOXES, 2), null);
  assert.equal(neighbourOf(BOXES, 1, 1), 2);
  assert.equal(neighbourOf(BOXES, 2, 1), null);
  assert.equal(
    widestBox(BOXES, (index) => BOXES.frame[index] === 0),
    0,
  );
});

test("drawing a million slivers costs as many rectangles as there are cells, and leaves no cell empty", () => {
  const cells = new Set<number>();
  let drawn = 0;
  visibleBoxes(comb(1_000_000), 0, 0, 1_000_000, 1000, (x) => {
    drawn += 1;
    cells.add(x);
  });
  assert.equal(drawn, 500);
  assert.equal(cells.size, 500);
});

test("a cell is as strong as it is covered, whatever lies across its edges", () => {
  const covered = (starts: number[], ends: number[]) => {
    const boxes: Boxes = {
      rowOffsets: [0, starts.length],
      start: Float64Array.from(starts),
      end: Float64Array.from(ends),
      frame: new Int32Array(starts.length),
      ref: new Int32Array(starts.length),
    };
    const found: [number, number][] = [];
    visibleBoxes(boxes, 0, 0, 10, 10, (x, _wide, _index, share) => found.push([x, share]));
    return found;
  };
  assert.deepEqual(covered([0, 1], [0.5, 1.5]), [[0, 0.5]]);
  assert.deepEqual(covered([0, 1.5, 3], [1.5, 3, 4]), [
    [0, 1],
    [2, 1],
  ]);
  assert.deepEqual(covered([1.5, 2.5], [2.5, 3]), [
    [0, 0.25],
    [2, 0.5],
  ]);
  let least = 1;
  visibleBoxes(comb(1_000_000), 0, 0, 1_000_000, 1000, (_x, _wide, _index, share) => (least = Math.min(least, share)));
  assert.ok(least > 0.999999);
});

test("zoomed in, every box of the window is drawn at its place and no other", () => {
  const drawn: [number, number, number][] = [];
  visibleBoxes(comb(1000), 0, 10.5, 13, 1000, (x, wide, index) => drawn.push([x, wide, index]));
  assert.deepEqual(drawn, [
    [-200, 400, 10],
    [200, 400, 11],
    [600, 400, 12],
  ]);
});

test("a wide box behind a sliver in the same cell is not leapt over", () => {
  const boxes: Boxes = {
    rowOffsets: [0, 3],
    start: Float64Array.of(0, 0.1, 0.2),
    end: Float64Array.of(0.1, 0.2, 100),
    frame: new Int32Array(3),
    ref: new Int32Array(3),
  };
  const drawn: number[] = [];
  visibleBoxes(boxes, 0, 0, 100, 100, (_x, _wide, index) => drawn.push(index));
  assert.deepEqual(drawn, [0, 2]);
});

test("self and total values count a recursive frame once", () => {
  const values = frameValues(BOXES, 3);
  assert.deepEqual([...values.self], [40, 40, 20]);
  assert.deepEqual([...values.total], [100, 60, 20]);
  assert.deepEqual([...values.count], [2, 1, 1]);
  assert.equal(values.profileTotal, 100);
  assert.equal(selfOf(BOXES, 0, 0), 20);
  assert.equal(selfOf(BOXES, 1, 1), 40);
});

test("search looks at names and files, whatever the case, and goes from left to right", () => {
  const frames = {
    ids: [4, 5, 6],
    names: ["main", "parseJSON", "render"],
    files: [null, null, "src/Parser.js"],
    lines: [null, null, 3],
    colours: [],
  };
  const matches = matchingFrames(frames, " PARSE ")!;
  assert.deepEqual([...matches], [0, 1, 1]);
  assert.deepEqual([...matchingBoxes(BOXES, matches)], [1, 2]);
  assert.equal(matchingFrames(frames, "  "), null);
});
