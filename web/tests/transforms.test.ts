import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ofBox,
  onlyWith,
  textOf,
  transformsOf,
  uprightText,
  without,
  withOne,
  type Transforms,
} from "../src/viewer/transforms.ts";

test("the inverting stays at the end, and nothing is done twice in a row", () => {
  let done: Transforms = [];
  for (const one of ["invert", "drop-function:f3", "drop-function:f3", "collapse-recursion", "invert"])
    done = withOne(done, one);
  assert.deepEqual(done, ["drop-function:f3", "collapse-recursion", "invert"]);
  assert.equal(textOf(done), "drop-function:f3,collapse-recursion,invert");
  assert.equal(uprightText(done), "drop-function:f3,collapse-recursion");
  assert.deepEqual(without(done, 0), ["collapse-recursion", "invert"]);
  assert.equal(textOf([]), null);
});

test("a text with commas stays one transform", () => {
  const one = onlyWith("f(a, b) 100%");
  assert.deepEqual(transformsOf(textOf([one, "drop-library"])), [one, "drop-library"]);
});

test("a box of an inverted tree has no subtree, and a merged box has only its function", () => {
  const texts = (box: string, isInverted: boolean) => ofBox("f1", box, isInverted).map(({ text }) => text);
  assert.ok(texts("n5", false).includes("focus-subtree:n5"));
  assert.ok(!texts("n5", true).includes("focus-subtree:n5"));
  assert.ok(!texts("f1", false).some((text) => text.startsWith("focus-subtree")));
});

test("what cannot be transforms is none of a link", () => {
  assert.deepEqual(transformsOf(null), []);
  for (const text of ["<script>", "Drop:f1", "a".repeat(2_000), Array(21).fill("invert").join(",")])
    assert.equal(transformsOf(text), null, text.slice(0, 20));
});
