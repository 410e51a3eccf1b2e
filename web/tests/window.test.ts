import assert from "node:assert/strict";
import { test } from "node:test";
import { around, between, clamp, panned, span, ticks, zoomed } from "../src/viewer/window.ts";

const AXIS = { start: 1000, end: 2000 };

test("the place under the pointer stays under it while zooming", () => {
  const window = zoomed(AXIS, AXIS, 0.5, 0.25);
  assert.equal(window.start + span(window) * 0.25, 1250);
});

test("no window leaves the axis, and none is empty", () => {
  assert.deepEqual(clamp({ start: 900, end: 1100 }, AXIS), { start: 1000, end: 1200 });
  assert.deepEqual(panned({ start: 1800, end: 1900 }, AXIS, 5), { start: 1900, end: 2000 });
  assert.deepEqual(zoomed(AXIS, AXIS, 9, 0.5), AXIS);
  assert.ok(span(zoomed(AXIS, AXIS, 1e-30, 0.5)) > 0);
  assert.ok(span(around(1500, 1500, AXIS)) > 0);
});

test("a zoom moves from one window to the other without leaving either end", () => {
  const target = { start: 1400, end: 1401 };
  assert.deepEqual(between(AXIS, target, 0), AXIS);
  assert.deepEqual(between(AXIS, target, 1), target);
  const half = between(AXIS, target, 0.5);
  assert.ok(half.start <= target.start && half.end >= target.end && span(half) < 40);
});

test("ticks are round, inside the window and counted from the axis' origin", () => {
  assert.deepEqual(ticks({ start: 1000, end: 1100 }, 500, 100, 1000), [1000, 1020, 1040, 1060, 1080, 1100]);
});
