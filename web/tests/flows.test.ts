import assert from "node:assert/strict";
import { test } from "node:test";
import { curveOf, linesOf, type FlowArrow, type ThreadPlace } from "../src/viewer/flows.ts";

const own: ThreadPlace = { top: 22, bottom: 200, y: (depth) => 31 + depth * 19 };
const below: ThreadPlace = { top: 222, bottom: 400, y: (depth) => 231 + depth * 19 };
const places = new Map([
  ["p0", own],
  ["p1", below],
]);
const WINDOW = { start: 0, end: 100 };

function arrow(leaves: boolean, time: number, profile: string | null, at: number, depth: number | null): FlowArrow {
  const other = { profile, thread: "worker", time: at, handle: "s1", function: "takes", depth };
  return { name: "post", leaves, time, other };
}

test("an arrow goes from where it leaves to where it arrives, in whichever open thread", () => {
  const [out, into] = linesOf(
    [arrow(true, 10, "p1", 50, 2), arrow(false, 20, "p0", 5, 0)],
    1,
    { own, places },
    WINDOW,
    1000,
  );
  assert.deepEqual(out, { from: { x: 100, y: 50 }, to: { x: 500, y: 269 }, isLoose: false });
  assert.deepEqual(into, { from: { x: 50, y: 31 }, to: { x: 200, y: 50 }, isLoose: false });
  assert.match(curveOf(out!), /^M100\.0 50\.0C180\.0 50\.0 420\.0 269\.0 500\.0 269\.0$/);
});

test("an arrow to a thread that is not open is loose, and short", () => {
  const [line] = linesOf([arrow(true, 10, "p7", 90, 3)], 0, { own, places }, WINDOW, 1000);
  assert.deepEqual(line, { from: { x: 100, y: 31 }, to: { x: 134, y: 65 }, isLoose: true });
});

test("what lies outside of the window is not drawn, what is scrolled away ends at the edge", () => {
  assert.deepEqual(linesOf([arrow(true, 110, "p1", 150, 0)], 0, { own, places }, WINDOW, 1000), []);
  const [line] = linesOf([arrow(true, 10, "p1", 150, 40)], 0, { own, places }, WINDOW, 1000);
  assert.deepEqual(line!.to, { x: 1500, y: 400 });
});
