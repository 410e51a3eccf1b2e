import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, isStep, OPENED, viewOf, type ViewState } from "../src/viewer/view_state.ts";

const PROFILES = new Set(Array.from({ length: 60 }, (_, index) => `p${index}`));

/** A generator of numbers from 0 to 1 that is the same in every run (mulberry32). */
function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let value = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

function randomState(next: () => number): ViewState {
  const pick = <T>(...values: T[]): T => values[Math.floor(next() * values.length)]!;
  const mode = pick<ViewState["mode"]>("time_order", "left_heavy", "sandwich", "diff");
  const start = next() * 10 ** Math.floor(next() * 15);
  const search = pick("", "parse", "a&b=c#d?é中 \u202e<b>", "%00 100%");
  const selection = pick(null, `f${Math.floor(next() * 1e6)}`, `s${Math.floor(next() * 1e9)}`, "n0");
  return {
    mode,
    profile: pick(null, `p${Math.floor(next() * 60)}`),
    threads: pick([], ["p3", "p0"], ["p59", "p1", "p2", "p3", "p4", "p5", "p6", "p7"]),
    sandwichOf: mode === "sandwich" ? `f${Math.floor(next() * 100)}` : null,
    diff: mode === "diff" ? { before: "a-b_C9", compare: pick("values", "shares") } : null,
    within: mode === "left_heavy" ? pick(null, { start: next() * 1e9, end: 1e9 + next() }) : null,
    transforms: pick([], ["drop-function:f3", "filter-samples:a%2C b&c=<b>", "invert"]),
    window: pick(null, { start, end: start + next() + 0.001 }),
    search,
    isExpression: search !== "" && pick(true, false),
    selection,
    at: selection ? pick(null, start * 1.5) : null,
    panel: pick(null, "functions", "tree", "callers", "search"),
    colouring: pick("file", "package", "category", "owner", "role", "safe"),
    row: pick(0, Math.floor(next() * 500)),
    finding: pick(null, "long-tasks", "self_time_hotspot"),
  };
}

test("two hundred random views survive their address", () => {
  const next = random(7);
  for (let count = 0; count < 200; count++) {
    const state = randomState(next);
    const url = new URL(`http://x/t/a/b${addressOf(state)}`);
    assert.deepEqual(viewOf(url.search, url.hash, PROFILES), [state, []]);
    assert.ok(addressOf(state).length < 2_000);
  }
});

test("a trace as it opens needs no address", () => {
  assert.equal(addressOf(OPENED), "");
  assert.deepEqual(viewOf("", "", PROFILES), [OPENED, []]);
});

test("what an address gets wrong is said and the rest of it is shown", () => {
  for (const [query, word] of [
    ["?thread=p99", "thread"],
    ["?thread=<script>", "thread"],
    ["?threads=p1,p99", "threads"],
    ["?view=pie", "view"],
    ["?start=NaN&end=5", "time"],
    ["?start=9&end=2", "time"],
    ["?start=1", "time"],
    ["?transforms=<b>", "transforms"],
    ["?start=1e999&end=2", "time"],
    ["?table=pie", "table"],
    ["?colours=pie", "colours"],
    ["?row=-1", "row"],
    ["?finding=<b>", "finding"],
  ] as const) {
    const [state, problems] = viewOf(`${query}&find=parse`, "", PROFILES);
    assert.deepEqual({ ...state, search: "" }, OPENED, query);
    assert.equal(state.search, "parse");
    assert.equal(problems.length, 1, query);
    assert.match(problems[0]!, new RegExp(word));
  }
});

test("an address opens eight threads at most, each once, and says what it leaves out", () => {
  const threadsOf = (text: string) => {
    const [state, problems] = viewOf(`?threads=${text}`, "", PROFILES);
    return [state.threads.join(), problems.length];
  };
  assert.deepEqual(threadsOf("p0,p1,p2,p3,p4,p5,p6,p7,p8"), ["p0,p1,p2,p3,p4,p5,p6,p7", 1]);
  assert.deepEqual(threadsOf("p4,p4,p2"), ["p4,p2", 0]);
  assert.deepEqual(threadsOf("p4,p99,p2"), ["p4,p2", 1]);
  assert.deepEqual(threadsOf("p4"), ["", 0]);
});

test("an address of a megabyte is the trace as it opens", () => {
  const [state, problems] = viewOf(`?find=${"x".repeat(1e6)}`, "#f1", PROFILES);
  assert.deepEqual(state, OPENED);
  assert.match(problems[0]!, /too long/);
});

test("what moves within a view is no step of history", () => {
  const moved = { ...OPENED, window: { start: 1, end: 2 }, at: 3 };
  assert.equal(isStep(OPENED, moved), false);
  for (const change of [
    { mode: "left_heavy" },
    { profile: "p1" },
    { threads: ["p0", "p1"] },
    { search: "a" },
    { selection: "f1" },
  ] as const)
    assert.equal(isStep(OPENED, { ...OPENED, ...change }), true);
});
