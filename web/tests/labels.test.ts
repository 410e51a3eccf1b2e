/** Labels as people type them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { labelChanges, labelsOf, searchIn } from "../src/home/labels.ts";

test("a search has words and labels", () => {
  assert.deepEqual(searchIn(" night branch:main x program:engine "), {
    text: "night x",
    labels: ["branch:main", "program:engine"],
  });
  assert.deepEqual(searchIn("http://a/b C:"), { text: "http://a/b C:", labels: [] });
});

test("only what differs is changed, and what is gone is taken off", () => {
  const now = { labels: { branch: "main", host: "a" }, program: "engine" };
  assert.deepEqual(labelsOf(now), ["program:engine", "branch:main", "host:a"]);
  assert.deepEqual(labelChanges(labelsOf(now).join("\n"), now), {});
  assert.deepEqual(labelChanges("branch: x y\n\ncommit=4f2a", now), {
    branch: "x y",
    commit: "4f2a",
    host: null,
    program: null,
  });
});

test("what is no label is said", () => {
  assert.match(String(labelChanges("main", {})), /key:value/);
  assert.match(String(labelChanges("a:b\na:c", {})), /twice/);
});
