import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Unit } from "../src/viewer/view_bytes.ts";
import { TICK_SPACING } from "../src/viewer/paint.ts";
import { formatPlaceOnAxis, formatTick } from "../src/viewer/ruler_text.ts";
import { changeInBox, formatPlace, formatShare, formatValue } from "../src/viewer/values.ts";
import { ticks, tickStep } from "../src/viewer/window.ts";

/** Of which tests/traces/analysis/test_questions.py has the same: page, pictures and answers write one way. */
const written = JSON.parse(readFileSync(new URL("./values.json", import.meta.url), "utf-8")) as [
  number,
  Unit,
  string,
][];

test("values are written as answers and pictures write them", () => {
  assert.deepEqual(
    written.map(([value, unit]) => formatValue(value, unit)),
    written.map(([, , text]) => text),
  );
});

test("a share that is there is never 0", () => {
  assert.deepEqual([0, 0.00001, 0.1234, 1].map(formatShare), ["0.0%", "<0.1%", "12.3%", "100.0%"]);
  assert.deepEqual([0.9994, 0.9995, 0.99999, 1 - 1e-12].map(formatShare), ["99.9%", ">99.9%", ">99.9%", "100.0%"]);
});

/** Of which tests/rendering/kernels/test_pixels.py has the same. */
const rulers = JSON.parse(readFileSync(new URL("./rulers.json", import.meta.url), "utf-8")) as [
  number,
  number,
  Unit,
  string[],
][];

test("a ruler is labelled as in pictures", () => {
  for (const [start, end, unit, texts] of rulers) {
    const places = end > start ? ticks({ start, end }, 700, TICK_SPACING, 0) : [];
    const step = tickStep({ start, end }, 700, TICK_SPACING);
    assert.deepEqual(
      places.map((place) => formatTick(place, step, end, unit)),
      texts,
    );
  }
});

test("neighbouring ticks read differently however far the chart is zoomed in", () => {
  assert.deepEqual(
    [0, 2e9, 1e10].map((at) => formatPlaceOnAxis(at, 2e9, "nanoseconds")),
    ["0", "2 s", "10 s"],
  );
  assert.deepEqual(
    [7.85e9, 7.85002e9].map((at) => formatPlaceOnAxis(at, 20_000, "nanoseconds")),
    ["7.85000 s", "7.85002 s"],
  );
});

test("a long path keeps its end", () => {
  assert.equal(formatPlace("/srv/shop/project/src/parse.js", 12), "…/src/parse.js:12");
  assert.equal(formatPlace("app.js", null), "app.js");
  assert.equal(formatPlace(null, 3), null);
});

test("a box has a change as pictures have it", () => {
  const pairs = [
    [100, 141.2],
    [100, 96.6],
    [100, 100.4],
    [0, 5],
    [1, 1235],
    [10, 0],
  ];
  assert.deepEqual(
    pairs.map(([before, after]) => changeInBox(before!, after!)),
    ["+41%", "−3.4%", "", "new", "+123,400%", "−100%"],
  );
});
