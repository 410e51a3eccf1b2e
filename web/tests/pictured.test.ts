import assert from "node:assert/strict";
import { test } from "node:test";
import { picturedView, pictureSize } from "../src/chat/pictured.ts";
import { drawingQuery } from "../src/room/download_queries.ts";

const NOTHING = {
  profile: null,
  frame: null,
  startMs: null,
  endMs: null,
  highlight: null,
  transforms: null,
  diff: null,
};

test("what a tool drew or listed has the view of the chart with the same figures", () => {
  const view = (toolName: string, args: Record<string, unknown>) => picturedView({ toolName, args, shows: null });
  assert.deepEqual(view("get_top_functions", { profile: "p3", transforms: "invert", start_time_ms: 2 }), {
    ...NOTHING,
    mode: "left_heavy",
    profile: "p3",
    startMs: 2,
    transforms: "invert",
  });
  assert.deepEqual(view("get_callers_callees", { frame: "f7" }), { ...NOTHING, mode: "sandwich", frame: "f7" });
  assert.equal(view("get_call_tree", {})?.mode, "left_heavy");
  assert.equal(view("generate_flamegraph_screenshot", {})?.mode, "left_heavy");
  assert.equal(view("generate_flamegraph_screenshot", { mode: "time_order" })?.mode, "time_order");
  assert.equal(view("generate_flamegraph_screenshot", { mode: "left_heavy", frame: "f1" })?.frame, null);
  for (const other of ["query_trace", "constructor", "compare_traces"])
    assert.equal(view(other, { mode: "left_heavy" }), null);
  assert.equal(view("get_top_functions", { profile: ["p1"], transforms: 3 })?.profile, null);
});

test("what was drawn decides, and not what was asked for: a thread's name, a mode that was left out", () => {
  const shows = { view: "left_heavy", profile: "p4", width: 1200, height: 113 };
  const part = { toolName: "generate_flamegraph_screenshot", args: { profile: "worker 3" }, shows };
  assert.deepEqual(picturedView(part), { ...NOTHING, mode: "left_heavy", profile: "p4" });
  assert.deepEqual(pictureSize(part), { width: 1200, height: 113 });
  assert.equal(pictureSize({ shows: null }), null);
});

test("a comparison with another trace has the view of what changed, one of two threads has none", () => {
  const shows = { view: "diff", trace_id: "t-1", profile: "p2", description: "" };
  const view = (args: Record<string, unknown>, shown: Record<string, unknown>) =>
    picturedView({ toolName: "compare_traces", args, shows: shown });
  assert.deepEqual(view({ others: ["one"] }, shows), {
    ...NOTHING,
    mode: "diff",
    profile: "p2",
    diff: { before: "t-1", compare: "shares" },
  });
  assert.equal(view({ others: ["one"], absolute: true }, shows)?.diff?.compare, "values");
  assert.equal(view({ others: ["p1"] }, { ...shows, trace_id: null }), null);
});

test("a picture is drawn again with its transforms, and without what it does not have", () => {
  const drawn = drawingQuery({ ...NOTHING, mode: "left_heavy", transforms: "drop-function:f1" }, "file");
  assert.deepEqual(drawn, { mode: "left_heavy", transforms: "drop-function:f1", width: "1600", height: "900" });
});

test("a picture that is drawn again has the colours of the chart", () => {
  assert.equal(drawingQuery({ ...NOTHING, mode: "left_heavy" }, "owner").palette, "owner");
  assert.equal(drawingQuery({ ...NOTHING, mode: "left_heavy" }, "file").palette, undefined);
});
