import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { checksSentence } from "../src/chat/checks_sentence.ts";
import type { Check } from "../src/protocol.ts";

interface Example {
  checks: Pick<Check, "claim" | "kind" | "status" | "actual">[];
  sentence: string;
}

// The same file is read by tests/server/protocol/test_checks_sentence.py: page, terminal and JSON say the same.
const EXAMPLES = JSON.parse(readFileSync(new URL("checks_sentences.json", import.meta.url), "utf8")) as Example[];

for (const { checks, sentence } of EXAMPLES) {
  test(`the sentence of ${checks.length} claims: ${sentence || "none"}`, () => {
    const filled = checks.map((check) => ({
      ...check,
      how: null,
      address: null,
      place: null,
      toolCallId: null,
      start: 0,
      end: 1,
    }));
    assert.equal(checksSentence(filled), sentence);
  });
}
