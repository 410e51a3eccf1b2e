import assert from "node:assert/strict";
import { test } from "node:test";
import { firstShown } from "../src/chat/shown_turns.ts";
import { newTurn } from "../src/chat/turn.ts";

const turns = (...ids: string[]) => ids.map((id) => newTurn(id, null, "completed"));
const MANY = turns("a", "b", "c", "d", "e", "f", "g", "h");

test("a conversation opens with its newest turns", () => {
  assert.equal(firstShown(MANY, null, null), 5);
  assert.equal(firstShown(turns("a", "b"), null, null), 0);
  assert.equal(firstShown([], null, null), 0);
});

test("what is shown stays, whatever comes after or before it", () => {
  assert.equal(firstShown([...MANY, ...turns("i", "j")], "c", null), 2);
  assert.equal(firstShown([...turns("x", "y"), ...MANY], "c", null), 4);
});

test("a turn that is sought is shown with all after it, and one that is gone changes nothing", () => {
  assert.equal(firstShown(MANY, "g", "b"), 1);
  assert.equal(firstShown(MANY, "b", "g"), 1);
  assert.equal(firstShown(MANY, "c", "gone"), 2);
});

test("where the first one is gone the newest are shown", () => {
  assert.equal(firstShown(MANY, "gone", null), 5);
});
