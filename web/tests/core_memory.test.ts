import assert from "node:assert/strict";
import { test } from "node:test";
import { cameWith, inWords, lines, withFact, type MemoryChange, whoSaid } from "../src/accounts/core_memory.ts";

function change(version: number, before: string, after: string, decision = "keep"): MemoryChange {
  return { version, before, after, decision, decidedAt: "2026-01-02T15:04:00Z", mine: true, byUser: null };
}

test("a fact is added, put in place of another, or struck", () => {
  assert.deepEqual(withFact(["a"], null, " b \n c "), ["a", "b c"]);
  assert.deepEqual(withFact(["a", "b"], "a", "c"), ["c", "b"]);
  assert.deepEqual(withFact(["a", "b"], "a", ""), ["b"]);
  assert.deepEqual(withFact(["a"], null, "a"), ["a"]);
  assert.deepEqual(lines(""), []);
});

test("a fact came with the newest change that brought it", () => {
  const changes = [change(3, "a\nb", "a"), change(2, "a", "a\nb"), change(1, "", "a")];
  assert.equal(cameWith("a", changes)?.version, 1);
  assert.equal(cameWith("b", changes)?.version, 2);
  assert.equal(cameWith("c", changes), undefined);
});

test("a change says what it did", () => {
  assert.equal(inWords(change(1, "", "a")), "“a”");
  assert.equal(inWords(change(2, "a", "b")), "“b” in place of “a”");
  assert.equal(inWords(change(3, "a\nb", "a", "undo")), "taken back: struck “b”");
});

test("a fact is told to be one's own, a member's by name, or of somebody who has left", () => {
  const [change] = [
    { version: 1, before: "", after: "a", decision: "written", decidedAt: "", mine: false, byUser: "u1" },
  ];
  const names = new Map([["u1", "ben@example.com"]]);
  assert.equal(whoSaid({ ...change!, mine: true }, names), "you");
  assert.equal(whoSaid(change!, names), "ben@example.com");
  assert.equal(whoSaid({ ...change!, byUser: "u2" }, names), "somebody who has left");
  assert.equal(whoSaid({ ...change!, byUser: null }, names), "somebody who has left");
});
