/** A question becomes fields and a question again; what a person types wrongly is said. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf, labelsIn, questionFrom } from "../src/questions/question_fields.ts";

const SERIES = {
  form: "series",
  measure: { kind: "function", name: "read", file: "a.c", value: "self" },
  runs: { program: "reader", labels: { branch: "main" }, last: 20, starting: "release:4.1" },
  by: "release",
};
const EVERY = [
  SERIES,
  { form: "recurrence", measure: { kind: "finding", name: "long-tasks", value: "share" }, runs: {}, above: 0.055 },
  {
    form: "compare",
    measure: { kind: "figure", name: "total", value: "value" },
    before: { program: "p", labels: { branch: "main" } },
    after: { program: "p", labels: { branch: "x" } },
  },
  { form: "compare", before: { labels: { branch: "main" } }, after: { labels: { branch: "x" } } },
  { form: "path", steps: [{ name: "f" }, { name: "g", file: "b.c" }], trace: "0" },
  { form: "sql", sql: "select 1", functions: ["read"] },
];

test("fields that nobody changed make the same question", () => {
  for (const question of EVERY) assert.deepEqual(questionFrom(question, fieldsOf(question)), question);
});

test("what is typed stands in the question, and what is emptied does not", () => {
  const changed = questionFrom(SERIES, {
    ...fieldsOf(SERIES),
    name: "parse",
    last: "",
    labels: "branch:x, host=a b",
    by: "",
  });
  assert.deepEqual(changed, {
    form: "series",
    measure: { kind: "function", name: "parse", value: "self" },
    runs: { program: "reader", labels: { branch: "x", host: "a b" }, starting: "release:4.1" },
  });
});

test("what makes no question is said", () => {
  for (const [changes, part] of [
    [{ name: " " }, "Name what"],
    [{ labels: "main" }, "key:value"],
    [{ last: "ten" }, "whole number"],
  ] as const) {
    const made = questionFrom(SERIES, { ...fieldsOf(SERIES), ...changes });
    assert.ok(typeof made === "string" && made.includes(part), String(made));
  }
  assert.match(String(questionFrom(EVERY[3]!, { steps: "f" })), /two functions/);
  assert.match(String(questionFrom(EVERY[1]!, { ...fieldsOf(EVERY[1]!), above: "120" })), /0 to 100/);
  assert.match(String(questionFrom(EVERY[4]!, { sql: " " })), /SELECT/);
});

test("labels are read from a line", () => {
  assert.deepEqual(labelsIn("a:b:c, d = e"), "A label is written key:value, like branch:main; “d = e” is not.");
  assert.deepEqual(labelsIn("a:b:c,d=e"), { a: "b:c", d: "e" });
});
