import assert from "node:assert/strict";
import { test } from "node:test";
import { threadsBetween } from "../src/viewer/track_marking.ts";
import { moved, toggled } from "../src/viewer/track_order.ts";
import { activityPath, inSight, rowsOf, spoken, TRACK_ROW, type Track, type Tracks } from "../src/viewer/tracks.ts";

const NONE = { words: "", closed: new Set<number>(), all: false };

function track(handle: string, process: number, name: string, more: Partial<Track> = {}): Track {
  const row = { handle, process, tid: handle.slice(1), name, role: "unknown", unit: "nanoseconds" as const, busy: 1 };
  return { ...row, share: 0.5, isSmall: false, activity: null, viewOf: null, ...more };
}

const FOUND: Tracks = {
  processes: [
    { pid: "7", name: "page" },
    { pid: "9", name: null },
  ],
  tracks: [
    track("p1", 0, "main", { role: "main" }),
    track("p2", 0, "main tasks", { viewOf: "p1", share: null }),
    track("p3", 0, "idle one", { isSmall: true }),
    track("p4", 1, "worker"),
    track("p5", 1, "quiet", { isSmall: true }),
  ],
  start: 0,
  end: 1,
};

const keys = (choice: Partial<typeof NONE>) => rowsOf(FOUND, { ...NONE, ...choice }).map((row) => row.key);

test("threads are grouped by process, and quiet ones are folded into one row", () => {
  assert.deepEqual(keys({}), ["process-0", "p1", "p2", "process-1", "p4", "rest"]);
  assert.deepEqual(keys({ all: true }), ["process-0", "p1", "p2", "p3", "process-1", "p4", "p5", "rest"]);
  assert.deepEqual(keys({ closed: new Set([0]) }), ["process-0", "process-1", "p4", "rest"]);
});

test("a name finds quiet threads too, and a process finds all of its own", () => {
  assert.deepEqual(keys({ words: " QUIET" }), ["process-1", "p5"]);
  assert.deepEqual(keys({ words: "page" }), ["process-0", "p1", "p2", "p3"]);
  assert.deepEqual(keys({ words: "no such" }), []);
});

test("one process has no row of its own", () => {
  const one = { ...FOUND, processes: FOUND.processes.slice(0, 1), tracks: FOUND.tracks.slice(0, 3) };
  assert.deepEqual(
    rowsOf(one, NONE).map((row) => row.key),
    ["p1", "p2", "rest"],
  );
});

test("of 20,000 rows no more are rendered than fit", () => {
  const [first, last] = inSight(20_000, 10_000 * TRACK_ROW, 6 * TRACK_ROW);
  assert.ok(first <= 10_000 && last >= 10_006 && last - first < 20);
  assert.deepEqual(inSight(3, 99 * TRACK_ROW, 6 * TRACK_ROW), [0, 3]);
  assert.deepEqual(inSight(0, 0, 100), [0, 0]);
});

test("a row says its name, number, role and how busy it is", () => {
  assert.equal(spoken(FOUND.tracks[0]!), "main, number 1, main, busy 50.0%");
  assert.equal(spoken(FOUND.tracks[1]!), "main tasks, number 2");
});

test("activity is an area as high as it was busy", () => {
  assert.equal(activityPath("0f8"), "M0 15V15H1V0H2V7H3V15Z");
});

test("pinned threads stand first in their order, outside of their process and found by name", () => {
  const pinned = ["p5", "p1"];
  const rows = rowsOf(FOUND, { ...NONE, pinned });
  assert.deepEqual(
    rows.map((row) => row.key),
    ["p5", "p1", "process-0", "p2", "process-1", "p4", "rest"],
  );
  assert.deepEqual(
    rows.flatMap((row) => (row.kind === "rest" ? [row.count] : [])),
    [1],
  );
  assert.deepEqual(
    rowsOf(FOUND, { ...NONE, words: "quiet", pinned: [...pinned, "p99"] }).map((row) => row.key),
    ["p5"],
  );
});

test("pins go on at the end, off anywhere, and move within bounds", () => {
  assert.deepEqual(toggled(["p1"], "p2"), ["p1", "p2"]);
  assert.deepEqual(toggled(["p1", "p2"], "p1"), ["p2"]);
  assert.deepEqual(moved(["p1", "p2", "p3"], "p3", 0), ["p3", "p1", "p2"]);
  assert.deepEqual(moved(["p1", "p2"], "p2", 9), ["p1", "p2"]);
  assert.deepEqual(moved(["p1", "p2"], "p1", -1), ["p1", "p2"]);
  assert.deepEqual(moved(["p1"], "p9", 0), ["p1"]);
});

test("a marking is of the threads between two rows, not of processes and other views", () => {
  const rows = rowsOf(FOUND, NONE);
  assert.deepEqual(threadsBetween(rows, 4, 0), ["p1", "p4"]);
  assert.deepEqual(threadsBetween(rows, -3, 1), ["p1"]);
  assert.deepEqual(threadsBetween(rows, 0, 0), []);
});
