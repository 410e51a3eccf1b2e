import assert from "node:assert/strict";
import { test } from "node:test";
import { changeInBox, formatPlace, formatPlaceOnAxis, formatShare, formatValue } from "../src/viewer/values.ts";

test("values have three digits and a unit that fits", () => {
  assert.deepEqual(
    [0, 532, 1234, 12_345_678, 999_999, 13.388e9, 256e9].map((value) => formatValue(value, "nanoseconds")),
    ["0 ns", "532 ns", "1.23 µs", "12.3 ms", "1.00 ms", "13.4 s", "4.27 min"],
  );
  assert.equal(formatValue(12_345, "bytes"), "12.3 kB");
  assert.equal(formatValue(1234, "count"), "1,234");
});

test("a share that is there is never 0", () => {
  assert.deepEqual([0, 0.00001, 0.1234, 1].map(formatShare), ["0.0%", "<0.1%", "12.3%", "100.0%"]);
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
