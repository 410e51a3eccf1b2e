import assert from "node:assert/strict";
import { test } from "node:test";
import type { NarrowBoxes } from "../src/viewer/narrow_boxes.ts";
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

/** A box that was drawn. */
interface Drawn {
  left: number;
  wide: number;
  strength: number;
  isNarrow: boolean;
}

/** What is drawn of a view, from left to right. */
function drawn(view: View, matches: Uint8Array | null = null, texts: string[] = []): Drawn[] {
  const found: Drawn[] = [];
  const known: Record<string, unknown> = {
    globalAlpha: 1,
    measureText: (text: string) => ({ width: text.length * 5 }),
  };
  known.fillText = (text: string) => texts.push(text);
  known.fillRect = (left: number, _top: number, wide: number, high: number) =>
    high === ROW - 1 && found.push({ left, wide, strength: known.globalAlpha as number, isNarrow: false });
  const context = new Proxy(known, {
    get: (all, name) => all[name as string] ?? (() => {}),
    set: (all, name, value) => ((all[name as string] = value), true),
  }) as unknown as CanvasRenderingContext2D;
  let steps: readonly number[] = [];
  let size = 1;
  const narrow: NarrowBoxes = {
    begin: () => {},
    fill: (_row, left, wide, colour) =>
      found.push({ left, wide, strength: steps[Math.floor(colour / size)]!, isNarrow: true }),
    draw: () => {},
    coloursOf: (palette, strengths) => {
      [size, steps] = [palette.length, strengths];
      return new Uint32Array();
    },
  };
  paint(context, { ...SCENE, view, matches, narrow });
  return found.sort((one, other) => one.left - other.left);
}

test("a narrow box costs pixels, a wide one a rectangle, and both lie where they are", () => {
  const widths = [1, 1, 1, 1, 1, 1, 20, 4, 1];
  const frames = [0, 0, 1, 1, 0, 0, 0, 0, 0];
  assert.deepEqual(
    drawn(rowOf(widths, frames, [3, 9])).map(({ left, wide, isNarrow }) => [left, wide, isNarrow]),
    [
      [0, 2, true],
      [2, 2, true],
      [4, 2, true],
      [6, 19, false],
      [26, 3, true],
      [30, 2, true],
    ],
  );
});

test("what is half covered is drawn fainter than what is full, and what a search found is not", () => {
  const strengths = (matches: Uint8Array | null) => {
    const view = rowOf([1, 1], [0, 0], [5]);
    view.boxes.start = Float64Array.of(0, 3, 10);
    view.boxes.end = Float64Array.of(0.9, 6, 90);
    view.boxes.frame = Int32Array.of(0, 0, 0);
    view.boxes.rowOffsets = [0, 3];
    return drawn(view, matches).map(({ left, strength }) => [left, strength]);
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

test("in a comparison a box has what changed behind its name, where both fit", () => {
  const texts: string[] = [];
  const view = rowOf([50, 50], [0, 0], [3]);
  view.frames.names = ["f"];
  view.boxes.before = Float64Array.of(35.4, 0.2);
  drawn(view, null, texts);
  assert.deepEqual(
    texts.filter((text) => text.startsWith("f")),
    ["f +41%", "f"],
  );
});
