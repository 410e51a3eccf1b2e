import assert from "node:assert/strict";
import { test } from "node:test";
import type { Check } from "../src/protocol.ts";
import { markedIn } from "../src/room/answer_notes.ts";

const text = (text: string) => ({ kind: "text" as const, messageId: "m", text, length: text.length });
const wrong = (claim: string) => ({ claim, status: "contradicted" }) as unknown as Check;

test("the first sentence about each function or call is its note, as it is read", () => {
  const answer =
    "## Why\n- **[`parse.all`](#f3)** takes [40.5 ms](#p1.f3.self) itself. It is called often.\n" +
    "The slowest call is [this one](#s7)! See [`draw`](#p2.f9), [p1](#p1) and [`parse.all`](#f3).\n" +
    "Nothing is linked here.";
  assert.deepEqual(markedIn({ parts: [text(answer)], checks: [] }), [
    { address: "f3", text: "parse.all takes 40.5 ms itself." },
    { address: "s7", text: "The slowest call is this one!" },
    { address: "p2.f9", text: "See draw, p1 and parse.all." },
  ]);
});

test("what the trace contradicts is noted nowhere, and of many things the first five", () => {
  const answer = "[`a`](#f1) takes 99 ms. " + [2, 3, 4, 5, 6, 7].map((one) => `[\`b\`](#f${one}) is slow.`).join(" ");
  const marked = markedIn({ parts: [text(answer)], checks: [wrong("99 ms")] });
  assert.deepEqual(
    marked.map((one) => one.address),
    ["f2", "f3", "f4", "f5", "f6"],
  );
  const long = markedIn({ parts: [text(`[\`a\`](#f1) ${"x".repeat(10_000)}<img src=x>`)], checks: [] });
  assert.equal(long[0]!.text.length, 400);
  assert.deepEqual(markedIn({ parts: [], checks: [] }), []);
});
