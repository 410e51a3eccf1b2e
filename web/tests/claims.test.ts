import assert from "node:assert/strict";
import { test } from "node:test";
import { claimsOf, claimsOfBlocks, verdict } from "../src/chat/claims.ts";
import { blocksOf, renderBlock } from "../src/chat/markdown.ts";
import type { Check } from "../src/protocol.ts";

const CODE_POINTS = (text: string) => [...text].length;

/** A check of the first place of `claim` behind `after` in the answer, counted as the server counts. */
function check(answer: string, claim: string, status: Check["status"] = "not_found", after = ""): Check {
  const at = answer.indexOf(claim, answer.indexOf(after) + after.length);
  assert.ok(at >= 0, `${claim} is in the answer`);
  const start = CODE_POINTS(answer.slice(0, at));
  return {
    claim,
    kind: "number",
    status,
    how: null,
    actual: null,
    address: null,
    place: null,
    toolCallId: null,
    start,
    end: start + CODE_POINTS(claim),
  };
}

function rendered(answer: string, checks: Check[]): string {
  const blocks = blocksOf(answer);
  const claims = claimsOfBlocks(blocks, claimsOf(answer, checks));
  return blocks.map((block, index) => renderBlock(block, null, claims[index])).join("");
}

/** What is marked, as text: the parts of one claim joined. */
function markedText(html: string): string[] {
  const parts: string[] = [];
  for (const [, index, inner] of html.matchAll(/<mark class="claim"[^>]*data-claim="(\d+)"[^>]*>(.*?)<\/mark>/gs))
    parts[Number(index)] = (parts[Number(index)] ?? "") + inner!.replace(/<[^>]+>/g, "");
  return parts;
}

const WITHOUT_MARKS = /<\/?mark[^>]*>/g;

const ANSWERS: Record<string, [answer: string, claim: string, after?: string]> = {
  "plain text": ["It took 412 ms in all.", "412 ms"],
  "the start and end of an answer": ["412 ms", "412 ms"],
  "bold text": ["It took **412 ms** in all.", "412 ms"],
  "text behind bold and struck text": ["**a** *b* ~~c~~ ***d*** then 412 ms", "412 ms"],
  "text with stars that mean nothing": ["2 * 3 * 4 and 412 ms", "412 ms"],
  "a code span": ["Look at `parse_all` now", "parse_all"],
  "a code span in two backticks": ["See `` a`b `` and ``x`` then 412 ms", "412 ms"],
  "a code span that holds it all": ["See `` a`b `` now", "a`b"],
  "text behind emoji": ["🔥🔥 **🐢** is slow: 412 ms 🎉", "412 ms"],
  "text behind escapes": ["\\*not\\* \\_bold\\_ 5 \\> 3: 412 ms", "412 ms"],
  "text behind entities": ["a &amp; b &lt; c: 412 ms", "412 ms"],
  "the label of a citation": ["It is [parseJson](f12) that", "parseJson"],
  "a number behind a link with the same digits": ["[x](f12)12 things", "12", ")"],
  "a number behind a link with a title": ['[x](https://a.example/12 "12 things") and 12 more', "12 more"],
  "a number behind a link by reference": ["[x][12] and 12 more\n\n[12]: https://a.example", "12 more"],
  "a number behind an address": ["<https://a.example/12> took 12 ms", "12 ms"],
  "a list": ["Slow:\n\n1. first 3 ms\n2. second 412 ms\n   - nested 9 ms", "412 ms"],
  "a nested list": ["Slow:\n\n1. first 3 ms\n2. second 4 ms\n   - nested 412 ms", "412 ms"],
  "a list item that is only the number of its mark": ["1. 1\n2. 2", "1", "1. "],
  "a quote": ["> It took\n> about 412 ms", "412 ms"],
  "a heading": ["# 412 ms in parse #", "412 ms"],
  "a paragraph of several lines": ["One line  \nanother 7\nand 412 ms", "412 ms"],
  "a line behind a hard break": ["One line\\\nand 412 ms", "412 ms"],
  "a table": ["| name | time |\n|---|--:|\n| a\\|b | 3 ms |\n| c | 412 ms |", "412 ms"],
  "a table behind an empty cell": ["| a | b | c |\n|---|---|---|\n| x | | 412 ms |", "412 ms"],
  "a table without outer bars": ["a | b\n---|---\nx | 412 ms", "412 ms"],
  "a block that is not the first": ["One.\n\nTwo 1 ms.\n\n- three\n\nIt took 412 ms.", "412 ms"],
  "text that looks like HTML": ["<b>412 ms</b> & more", "412 ms"],
};

for (const [what, [answer, claim, after]] of Object.entries(ANSWERS)) {
  test(`a claim is marked in ${what}, and nothing else changes`, () => {
    const html = rendered(answer, [check(answer, claim, "not_found", after)]);
    assert.deepEqual(markedText(html), [claim.replace("&", "&amp;")]);
    assert.equal(html.replace(WITHOUT_MARKS, ""), rendered(answer, []));
  });
}

test("a claim across emphasis is marked on both sides of it, and reached once", () => {
  const answer = "between **3 ms** and 5 ms of it";
  const html = rendered(answer, [check(answer, "3 ms** and 5 ms")]);
  assert.equal(markedText(html).join(), "3 ms and 5 ms");
  assert.equal(html.match(/tabindex/g)?.length, 1);
});

test("only what was not found can be reached by keyboard, and not inside a link", () => {
  const answer = "It took 412 ms, 9 ms, [parse](f1).";
  const html = rendered(answer, [check(answer, "412 ms"), check(answer, "9 ms", "verified"), check(answer, "parse")]);
  assert.equal(html.match(/tabindex/g)?.length, 1);
  assert.match(html, /data-status="not_found" data-claim="0" tabindex="0" aria-description="[^"]+">412 ms</);
});

test("of claims within one another the unverified one is seen", () => {
  const answer = "from 3 ms to 5 ms";
  const html = rendered(answer, [check(answer, "3 ms to 5 ms", "verified"), check(answer, "5 ms")]);
  assert.deepEqual(markedText(html), ["3 ms to ", "5 ms"]);
});

test("a check outside the text marks nothing", () => {
  const outside = { ...check("412 ms", "412 ms"), start: 40, end: 46 };
  assert.doesNotMatch(rendered("412 ms", [outside]), /<mark/);
});

test("code blocks are left as they are", () => {
  const answer = "```\n412 ms\n```";
  assert.doesNotMatch(rendered(answer, [check(answer, "412 ms")]), /<mark/);
});

test("a derived value says how it comes about", () => {
  const derived = { ...check("34 %", "34 %", "derived"), how: "412 ms of 1.20 s" };
  assert.equal(verdict(derived), "Follows from the trace: 412 ms of 1.20 s.");
});

/** Small texts made of marks and words, the same in each run. */
function* mixtures(): Generator<string> {
  const pieces = [
    "**",
    "*",
    "`",
    "~~",
    "[",
    "](f12)",
    "\\*",
    "&amp;",
    "🔥",
    " ",
    "\n",
    "- ",
    "> ",
    "| ",
    "1. ",
    "412 ms",
    "word",
    "<",
    "_",
  ];
  let seed = 7;
  for (let count = 0; count < 4000; count++) {
    let text = "";
    for (let length = 0; length < 14; length++) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      text += pieces[Math.floor((seed / 2147483648) * pieces.length)];
    }
    yield text;
  }
}

test("whatever the markup, marking changes no character, and marks only what was claimed", () => {
  let seen = 0;
  for (const answer of mixtures()) {
    const at = answer.indexOf("412 ms");
    if (at < 0) continue;
    const html = rendered(answer, [check(answer, "412 ms")]);
    assert.equal(html.replace(WITHOUT_MARKS, ""), rendered(answer, []), answer);
    const [text] = markedText(html);
    if (text !== undefined) seen += 1;
    assert.ok(text === undefined || text === "412 ms", `${JSON.stringify(answer)} marks ${JSON.stringify(text)}`);
  }
  assert.ok(seen > 500, `${seen} were marked`);
});

test("what the trace contradicts shows its value, and what could not be checked is not called right", () => {
  const wrong = { ...check("34 ms", "34 ms", "contradicted"), actual: "12 ms" };
  assert.match(verdict(wrong), /The trace says: 12 ms/);
  assert.match(rendered("34 ms", [wrong]), /data-status="contradicted" data-claim="0" tabindex="0"/);
  const open = check("34 ms", "34 ms", "unchecked");
  assert.match(verdict(open), /Could not be checked/);
  assert.doesNotMatch(rendered("34 ms", [open]), /tabindex/);
});

test("a figure of a finding leads to where the finding is, once that is known", () => {
  const answer = "One call lasts [153 ms](#i602.c9), and [7](#q3.c1) rows were read.";
  const known = check(answer, "153 ms", "verified");
  known.address = "i602.c9";
  known.place = { handle: "f5", profile: "p2", window: { start: 10, end: 20.5 } };
  const html = rendered(answer, [known, check(answer, "7", "verified", "and [")]).replaceAll(WITHOUT_MARKS, "");
  assert.match(html, /<a href="#f5" class="citation figure"[^>]* data-profile="p2" data-window="10,20.5">153 ms<\/a>/);
  assert.match(html, /<span class="figure">7<\/span>/);
});
