import assert from "node:assert/strict";
import { test } from "node:test";
import { paint, ROW } from "../src/viewer/paint.ts";
import type { View } from "../src/viewer/view_bytes.ts";

const SCENE = {
  window: { start: 0, end: 100 },
  origin: 0,
  top: 0,
  width: 100,
  height: 100,
  theme: "light",
  selection: null,
  hover: null,
  matches: null,
  pointed: null,
  range: null,
  bands: null,
  noted: null,
} as const;

/** A row of boxes that touch, each of a width in pixels, with functions in turn. */
function rowOf(widths: number[], frames: number[], colours: number[]): View {
  const ends = widths.map((_, at) => widths.slice(0, at + 1).reduce((sum, one) => sum + one, 0));
  return {
    mode: "time_order",
    unit: "nanoseconds",
    axisStart: 0,
    axisEnd: 100,
    frames: { ids: colours.map((_, at) => at), names: colours.map(String), files: [], lines: [], colours },
    callers: null,
    boxes: {
      rowOffsets: [0, widths.length],
      start: Float64Array.from(ends, (end, at) => end - widths[at]!),
      end: Float64Array.from(ends),
      frame: Int32Array.from(frames),
      ref: new Int32Array(widths.length),
    },
  } as unknown as View;
}

/** The rectangles of boxes that were filled: left and width. */
function filled(view: View): [number, number][] {
  const found: [number, number][] = [];
  const ignored = () => {};
  const context = new Proxy(
    {
      fillRect: (left: number, _top: number, wide: number, high: number) =>
        high === ROW - 1 && found.push([left, wide]),
      measureText: () => ({ width: 10 }),
    } as Record<string, unknown>,
    { get: (known, name) => known[name as string] ?? ignored, set: () => true },
  ) as unknown as CanvasRenderingContext2D;
  paint(context, { ...SCENE, view });
  return found.sort((one, other) => one[0] - other[0]);
}

test("narrow boxes of one colour that touch are one rectangle", () => {
  const narrow = Array.from({ length: 80 }, () => 0.5);
  assert.deepEqual(
    filled(
      rowOf(
        narrow,
        Array.from(narrow, () => 0),
        [3],
      ),
    ),
    [[0, 40]],
  );
});

test("narrow boxes of other colours stay apart, and wide ones are drawn as they are", () => {
  const widths = [1, 1, 1, 1, 1, 1, 20, 1, 1];
  const frames = [0, 0, 1, 1, 0, 0, 0, 0, 0];
  assert.deepEqual(filled(rowOf(widths, frames, [3, 9])), [
    [0, 2],
    [2, 2],
    [4, 2],
    [6, 19],
    [26, 2],
  ]);
});

test("what is half covered is drawn fainter than what is full, and what a search found is not", () => {
  const strengths = (matches: Uint8Array | null) => {
    const found: [number, number][] = [];
    const known: Record<string, unknown> = { globalAlpha: 1, measureText: () => ({ width: 10 }) };
    known.fillRect = (left: number, _top: number, _wide: number, high: number) =>
      high === ROW - 1 && found.push([left, known.globalAlpha as number]);
    const context = new Proxy(known, {
      get: (all, name) => all[name as string] ?? (() => {}),
      set: (all, name, value) => ((all[name as string] = value), true),
    }) as unknown as CanvasRenderingContext2D;
    const view = rowOf([1, 1], [0, 0], [5]);
    view.boxes.start = Float64Array.of(0, 3, 10);
    view.boxes.end = Float64Array.of(0.9, 6, 90);
    view.boxes.frame = Int32Array.of(0, 0, 0);
    view.boxes.rowOffsets = [0, 3];
    paint(context, { ...SCENE, view, matches });
    return found.sort((one, other) => one[0] - other[0]);
  };
  assert.deepEqual(strengths(null), [
    [0, 0.6],
    [3, 1],
    [10, 1],
  ]);
  assert.deepEqual(strengths(Uint8Array.of(1)), [
    [0, 1],
    [3, 1],
    [10, 1],
  ]);
});
