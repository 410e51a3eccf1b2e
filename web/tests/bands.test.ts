import assert from "node:assert/strict";
import { test } from "node:test";
import { bandsInSight, spokenBands } from "../src/viewer/bands.ts";

test("bands in sight are at least a pixel wide and end at the edges", () => {
  const ranges: [number, number][] = [
    [0, 10],
    [40, 60],
    [80, 80.001],
    [95, 400],
    [500, 600],
  ];
  assert.deepEqual(bandsInSight(ranges, { start: 50, end: 100 }, 500), [
    [0, 100],
    [300, 1],
    [450, 50],
  ]);
});

test("bands are counted in words, those that are not there are not named", () => {
  const of = (tasks: number, collections: number) =>
    spokenBands({ longTasks: { count: tasks, ranges: [] }, collections: { count: collections, ranges: [] } });
  assert.equal(of(1, 2_000), "1 long task, 2,000 collections");
  assert.equal(of(0, 1), "1 collection");
  assert.equal(of(0, 0), "");
});
