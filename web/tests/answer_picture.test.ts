import assert from "node:assert/strict";
import { test } from "node:test";
import { placeAnswer } from "../src/chat/answer_picture.ts";
import { PictureLayout, type Mark } from "../src/chat/picture_layout.ts";
import { newTurn, type Turn } from "../src/chat/turn.ts";
import type { Check } from "../src/protocol.ts";

const WIDTH = 700;
type Text = Extract<Mark, { kind: "text" }>;

function answered(text: string, prompt = "Why?", checks: Check[] = []): Turn {
  const parts = [{ kind: "text" as const, messageId: "m", text, length: text.length }];
  return { ...newTurn("t", prompt, "completed"), parts, checks };
}

function checkOf(text: string, claim: string, status: Check["status"], actual: string | null = null): Check {
  const start = text.indexOf(claim);
  return { kind: "value", claim, status, actual, start, end: start + claim.length } as unknown as Check;
}

/** As a canvas would draw it whose letters are all eight wide. */
function drawn(turn: Turn, traceName = "trace"): { texts: Text[]; marks: Mark[]; height: number } {
  const layout = new PictureLayout(WIDTH, (text) => [...text].length * 8);
  placeAnswer(layout, turn, traceName, null);
  return { texts: layout.marks.filter((mark) => mark.kind === "text"), marks: layout.marks, height: layout.height };
}

const written = (texts: Text[]) => texts.map(({ text }) => text).join("\n");

test("a picture has the question, every word of the answer, and what became of its claims", () => {
  const text =
    "## Cause\n\n`parse` takes **40 ms** of [it](#f7), ~~60 ms~~.\n\n1. one\n2. two\n\n> said\n\n```\na  b\n\nc\n```\n\n---";
  const { texts } = drawn(answered(text, "Why is\nit slow?", [checkOf(text, "40 ms", "contradicted", "12 ms")]));
  const all = written(texts);
  for (const one of [
    "Why is",
    "it slow?",
    "Cause",
    "parse",
    "40 ms",
    "it",
    "1.",
    "one",
    "2.",
    "two",
    "said",
    "a  b",
    "c",
  ])
    assert.ok(all.split("\n").includes(one) || all.includes(one), one);
  assert.match(all, /\[Not so\. The trace says: 12 ms\]/);
  assert.match(all.replaceAll("\n", " "), /Against the trace: 1 contradicted: 40 ms \(12 ms\)\./);
  assert.ok(texts.some(({ text: one, look }) => one === "40 ms" && look.bold && look.claim === "contradicted"));
  assert.ok(texts.some(({ text: one, look }) => one === "parse" && look.code));
  assert.ok(texts.some(({ text: one, look }) => one === "it" && look.link));
  assert.ok(!all.includes("#f7"), "addresses of the page mean nothing in a picture");
});

test("nothing stands outside the picture or on something else, however long its names are", () => {
  const long = "x".repeat(10_000);
  const cells = `| function | self |\n|---|--:|\n| \`${long}\` | 12 ms |\n| short | ${"9".repeat(300)} |`;
  const turn = answered(
    `\`${long}\` and ${long}\n\n- a ${long}\n  - ${long}\n\n${cells}\n\n\`\`\`\n${long}\n\`\`\``,
    long,
  );
  const { texts, height } = drawn(turn, long);
  for (const { x, baseline, width, text } of texts) {
    assert.ok(x >= 0 && x + width <= WIDTH + 0.01, `${x} to ${x + width}: ${text.slice(0, 20)}`);
    assert.ok(baseline > 0 && baseline <= height);
  }
  const letters = texts.reduce((sum, { text }) => sum + text.split("x").length - 1, 0);
  assert.ok(letters >= 8 * 10_000, `${letters}`);
  const byLine = new Map<number, Text[]>();
  for (const one of texts) byLine.set(one.baseline, [...(byLine.get(one.baseline) ?? []), one]);
  for (const line of byLine.values()) {
    line.sort((a, b) => a.x - b.x);
    line.forEach((one, at) => assert.ok(at === 0 || one.x >= line[at - 1]!.x + line[at - 1]!.width - 0.01));
  }
});

test("names that would be markup or turn what stands next to them are text", () => {
  const hostile = "<img src=x onerror=alert(1)> \u202egnp";
  const { texts } = drawn(answered(`\`${hostile}\` ${hostile}\n\n| ${hostile} |\n|---|\n| a |`, hostile), hostile);
  const all = written(texts);
  assert.ok(all.includes("<img src=x onerror=alert(1)>"));
  assert.ok(all.includes("\\u202egnp"));
  assert.doesNotMatch(all, /[\u202a-\u202e\u2066-\u2069]/);
});

test("numbers of a table end at the end of their column, a box lies under its text", () => {
  const { texts, marks } = drawn(answered("| name | ms |\n|---|--:|\n| a | 5 |\n| b | 12345 |", "asked"));
  const ends = texts.filter(({ text }) => ["5", "12345"].includes(text)).map(({ x, width }) => x + width);
  assert.equal(ends[0], ends[1]);
  assert.ok(marks.findIndex(({ kind }) => kind === "box") < marks.findIndex((one) => one.kind === "text"));
});

test("a line ends between words, not before what closes a sentence", () => {
  for (let width = 60; width < 140; width += 7) {
    const layout = new PictureLayout(width, (text) => [...text].length * 8);
    placeAnswer(layout, answered("(`one`) of **two** and [three](#f3)."), "t", null);
    const starts = new Map<number, string>();
    for (const mark of layout.marks)
      if (mark.kind === "text" && !starts.has(mark.baseline)) starts.set(mark.baseline, mark.text);
    for (const start of starts.values()) assert.doesNotMatch(start, /^[).]/, `${width}`);
  }
});
