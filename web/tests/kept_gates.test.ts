/** What is typed of a gate, and where what it found leads. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gateOf, reasonsOf, talkAbout, type GateResult } from "../src/gates/kept_gates.ts";

const TYPED = {
  name: " hot ",
  labels: "program: app\n\nscenario=pr",
  baseline: "branch:main",
  rules: "total +3%\n  \n self_share(parse) +5% ",
  lastRuns: "7",
  webhookUrl: " ",
};

const RESULT: GateResult = {
  resultId: "r",
  gateId: "g",
  gateName: "hot",
  traceId: "t 1",
  outcome: "broken",
  problem: null,
  report: {
    runs_before: ["a", "b&c"],
    results: [
      { rule: { text: "total +3%" }, outcome: "held", reason: "no growth" },
      { rule: { text: "self(f) +5%" }, outcome: "broken", reason: "grew" },
    ],
  },
  createdAt: "2026-11-26T10:00:00Z",
  acceptedAt: null,
  acceptedReason: null,
};

test("labels and rules are typed a line each", () => {
  assert.deepEqual(gateOf(TYPED), {
    name: "hot",
    labels: { program: "app", scenario: "pr" },
    baseline: { branch: "main" },
    rules: ["total +3%", "self_share(parse) +5%"],
    lastRuns: 7,
    webhookUrl: null,
  });
});

test("what is missing or no label is said", () => {
  assert.match(String(gateOf({ ...TYPED, baseline: " " })), /by which runs/);
  assert.match(String(gateOf({ ...TYPED, rules: "\n" })), /Name a rule/);
  assert.match(String(gateOf({ ...TYPED, labels: "main" })), /key:value/);
});

test("a result says why, and leads to its run beside the newest before", () => {
  assert.deepEqual(reasonsOf(RESULT), ["self(f) +5%: grew"]);
  assert.deepEqual(reasonsOf({ ...RESULT, problem: "no such function" }), ["no such function"]);
  assert.equal(talkAbout(RESULT), "/t/t%201?view=diff&before=b%26c");
  assert.equal(talkAbout({ ...RESULT, report: null }), "/t/t%201");
});
