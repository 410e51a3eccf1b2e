import assert from "node:assert/strict";
import { test } from "node:test";
import { BOX, boxUnder, lanesOf, levelAt, spokenLane, uncutLanes, type LanesAnswer } from "../src/viewer/lanes.ts";

const ANSWER: LanesAnswer = {
  levels: [{ name: "queue", readings: 3000, lowest: 0, highest: 7, points: [[10, 1], [20, 7]] }], // prettier-ignore
  marks: [{ name: "frame", count: 1, times: [5] }],
  boxes: [{ name: "Requests", count: 500, rows: 2, boxes: [[10, 20, 0, 0], [12, 13, 1, 1]] }], // prettier-ignore
  names: ["a.js", "b.js"],
};

test("lanes are levels, then intervals, then marks, each in words", () => {
  assert.deepEqual(lanesOf(ANSWER).map(spokenLane), [
    "queue, 0 to 7, 3,000 readings",
    "Requests, 500, the longest 2",
    "frame, 1 mark",
  ]);
});

test("a level is in force from its reading to the next", () => {
  const { points } = ANSWER.levels[0]!;
  assert.deepEqual(
    [levelAt(points, 9), levelAt(points, 10), levelAt(points, 19), levelAt(points, 900)],
    [null, 1, 1, 7],
  );
});

test("a box is hit in its row, a narrow one a little beside it", () => {
  const lane = lanesOf(ANSWER)[1]!;
  assert.equal(boxUnder(lane, 15, 3, 0)?.[3], 0);
  assert.equal(boxUnder(lane, 15, 3 + BOX, 0), null);
  assert.equal(boxUnder(lane, 14, 3 + BOX, 2)?.[3], 1);
  assert.equal(boxUnder(lanesOf(ANSWER)[0]!, 15, 3, 9), null);
});

test("no lane is cut: as many as fit, one in any case, all where there is room", () => {
  const lanes = lanesOf(ANSWER);
  const [level, requests, mark] = lanes.map((lane) => lane.height) as [number, number, number];
  assert.equal(uncutLanes(lanes, level + requests - 1), level);
  assert.equal(uncutLanes(lanes, level + requests), level + requests);
  assert.equal(uncutLanes(lanes, 1), level);
  assert.equal(uncutLanes(lanes, 999), level + requests + mark);
  assert.equal(uncutLanes([], 999), 0);
});
