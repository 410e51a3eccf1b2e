import assert from "node:assert/strict";
import { test } from "node:test";
import { newTurn } from "../src/chat/turn.ts";
import type { Citation } from "../src/protocol.ts";
import { citing } from "../src/room/mentions.ts";
import { changeColour, changeFills } from "../src/viewer/palette.ts";
import { aboutBox, aboutRange } from "../src/viewer/questions.ts";
import { formatChange, formatCost } from "../src/viewer/values.ts";

function cites(turnId: string, prompt: string | null, ...handles: string[]) {
  const citations = handles.map((handle): Citation => ({
    kind: "trace",
    document: null,
    heading: null,
    handle,
    label: handle,
    name: handle,
    file: null,
    line: null,
    engineVersion: "1",
  }));
  return { ...newTurn(turnId, prompt, "completed"), citations };
}

test("a thing of the chart is mentioned by the answers that cite it, each once", () => {
  const turns = [
    cites("a", "Why is `parse` slow?", "f1", "n7"),
    cites("b", null, "f2"),
    newTurn("c", "Unanswered", "failed"),
    cites("d", "And now?", "n7"),
  ];
  assert.deepEqual(citing(turns, ["f1", "n7"]), [
    { turnId: "a", question: "Why is parse slow?", handle: "f1" },
    { turnId: "d", question: "And now?", handle: "n7" },
  ]);
  assert.deepEqual(citing(turns, ["f9"]), []);
});

test("questions name the very call or path, and times from the beginning of the axis", () => {
  assert.match(aboutBox("parse", "s4", "12.0 ms"), /this call of `parse` \(s4\) take 12.0 ms/);
  assert.match(aboutBox("parse", "n4", "12.0 ms"), /the path to `parse`/);
  assert.match(aboutRange({ start: 5e9, end: 6e9 }, 4e9, "nanoseconds"), /from 1\.00 s to 2\.00 s/);
});

test("a change is coloured from gone over the same to new", () => {
  const last = changeFills("light").length - 1;
  assert.deepEqual([changeColour(5, 0), changeColour(5, 5), changeColour(0, 5)], [0, last / 2, last]);
  assert.equal(changeColour(0, 0), last / 2);
});

test("a change is given as a share of what was", () => {
  assert.equal(formatChange(100, 112), "+12.0%");
  assert.equal(formatChange(100, 97), "−3.0%");
  assert.equal(formatChange(0, 4), "new");
  assert.equal(formatChange(100, 100.1), "no change");
});

test("a cost is given as finely as it is small", () => {
  assert.deepEqual([0, 0.00002, 0.0042, 0.31, 12.3].map(formatCost), [
    "$0.00",
    "<$0.0001",
    "$0.0042",
    "$0.31",
    "$12.30",
  ]);
});
