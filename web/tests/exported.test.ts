import assert from "node:assert/strict";
import { test } from "node:test";
import MarkdownIt from "markdown-it";
import { answerMarkdown, exportedJson, exportedMarkdown, reviewMarkdown, type Exported } from "../src/chat/exported.ts";
import { exportedPage } from "../src/chat/exported_page.ts";
import { escapedLine, escapedPrompt, plainMarkdown } from "../src/chat/plain_markdown.ts";
import { withUnstored } from "../src/chat/unstored.ts";
import type { Check } from "../src/protocol.ts";
import { emptyTool, newTurn, type Turn } from "../src/chat/turn.ts";

const ADDRESS = "http://127.0.0.1:8484/t/1/2";

function answered(prompt: string, text: string, imageUrl: string | null = null): Turn {
  return {
    ...newTurn("t", prompt, "completed"),
    parts: [
      { ...emptyTool("c", "draw"), status: "success", imageUrl },
      { kind: "text", messageId: "m", text, length: text.length },
    ],
  };
}

function exportOf(turns: Turn[], names: Partial<Exported> = {}): Exported {
  return { title: "t", traceName: "n", address: ADDRESS, turns, notes: [], chart: null, ...names };
}

function checkOf(text: string, claim: string, status: Check["status"], actual: string | null = null): Check {
  const start = text.indexOf(claim);
  const check = { kind: "value", claim, status, actual, start, end: start + claim.length };
  return check as unknown as Check;
}

/** What a reader like GitHub makes of a Markdown: the addresses it leads to, and whether any of it is HTML or a picture. */
function readBy(text: string): { links: string[]; hasMarkup: boolean; text: string } {
  const reader = new MarkdownIt({ html: true, linkify: true });
  reader.linkify.set({ fuzzyEmail: false });
  const tokens = reader.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])]);
  const links = tokens.filter((token) => token.type === "link_open").map((token) => String(token.attrGet("href")));
  const shown = tokens.filter((token) => ["text", "code_inline", "fence", "code_block"].includes(token.type));
  return {
    links,
    hasMarkup: tokens.some((token) => ["html_inline", "html_block", "image"].includes(token.type)),
    text: shown.map((token) => token.content).join(""),
  };
}

const HOSTILE = [
  "<img src=x onerror=\"window.pwned='zqx'\">",
  "<script>window.pwned='zqx'</script>",
  "</title></text></svg></script>zqx",
  "![zqx](https://evil.example/pixel.png?q=secret)",
  "[zqx](javascript:alert(1))",
  "[zqx][1]",
  "<https://evil.example/zqx>",
  "https://user:hunter2@evil.example/zqx?token=abc and www.evil.example",
  "zqx](#f0) dominates [x",
  "# zqx",
  "zqx | a | b |",
  "zqx`` ` ``` said",
  "zqx\\",
  "&lt;b&gt;zqx",
  "- zqx",
  "1. zqx",
  "> zqx",
  "@everyone zqx",
  "*zqx* __zqx__ ~~zqx~~",
];

test("citations lead to the page, figures and unknown addresses are text, code stays as it is", () => {
  assert.equal(
    plainMarkdown("[`parse`](#f1) takes [39 %](#f1.self/p0), see [doc](https://a.example/) not `[x](#f2)`", ADDRESS),
    `[\`parse\`](${ADDRESS}#f1) takes 39 %, see [doc](https://a.example/) not \`[x](#f2)\``,
  );
  assert.equal(
    plainMarkdown("```\n[x](#f2)\n```\n[y](javascript:alert) [z](#f3)", ADDRESS),
    "```\n[x](#f2)\n```\n\n\\[y\\](javascript:alert) [z](" + ADDRESS + "#f3)",
  );
});

test("however a link is written, none is left that leads nowhere", () => {
  const text =
    '[a](#f1 "b") [c][1] [d](<#f2>) [e]\\(#f3) ![f](#f4) [`g[0]`](#f5) [h](f6) <#f7> [i](#q7.c5)\n\n[1]: #f8';
  const { links } = readBy(plainMarkdown(text, ADDRESS));
  assert.deepEqual(
    links.filter((link) => !link.startsWith(`${ADDRESS}#`)),
    [],
  );
  assert.equal(links.length, 6);
  const known = plainMarkdown("[a](#f1) [b](#f2)", ADDRESS, [], new Set(["f1"]));
  assert.deepEqual(readBy(known).links, [`${ADDRESS}#f1`], "what the trace does not have is not linked");
});

test("an answer that is written anew reads the same", () => {
  const text = [
    "## Where it goes\n\n**Half** of it, *really*, is ~~not~~ `a|b`:",
    "1. first\n   - inner `x`\n   - other\n2. second\n\n   more of it",
    "> quoted\n> twice",
    "| f | ms |\n|:--|--:|\n| `a\\|b` | 1 |\n| [g](https://a.example/) | 2 |",
    "```python\nprint('``` no end')\n```",
    "a_b __init__ 3 * 4 * 5 \\\nnext line  \nlast",
    "---",
  ].join("\n\n");
  const reader = new MarkdownIt();
  assert.equal(reader.render(plainMarkdown(text, ADDRESS)), reader.render(text));
});

test("what names and questions say is text to whoever reads the Markdown", () => {
  for (const name of HOSTILE) {
    const written = exportedMarkdown(exportOf([answered(name, "[f](#f1)")], { title: name, traceName: name }));
    const read = readBy(written);
    assert.equal(read.hasMarkup, false, written);
    assert.deepEqual(read.links, [ADDRESS, `${ADDRESS}#f1`], written);
    const answer = readBy(answerMarkdown(answered("q", `It is ${name}`), ADDRESS));
    assert.equal(answer.hasMarkup, false, name);
    assert.ok(
      answer.links.every((link) => link.startsWith(`${ADDRESS}#`) || link.startsWith("https://")),
      answer.links.join(),
    );
    assert.ok(readBy(escapedLine(name)).text.includes("zqx"), name);
    assert.equal(readBy(escapedPrompt(name)).hasMarkup, false);
  }
  assert.equal(escapedLine("a\u202eb\nc"), "a\\\\u202eb c");
});

test("what was contradicted says so where it stands, behind links and in code too", () => {
  const text = "[`f`](#f1) takes [40 ms](#f1.self) of `9 s`, and 7 calls.";
  const checks = [
    checkOf(text, "40 ms", "contradicted", "12 ms"),
    checkOf(text, "9 s", "contradicted", "8 s"),
    checkOf(text, "7 calls", "unchecked"),
  ];
  const turn = { ...answered("q", text), checks };
  assert.equal(
    answerMarkdown(turn, ADDRESS),
    `[\`f\`](${ADDRESS}#f1) takes 40 ms \\[Not so. The trace says: 12 ms\\] of \`9 s\` \\[Not so. The trace says: 8 s\\], and 7 calls.\n\n` +
      "_Against the trace: 2 contradicted: 40 ms (12 ms); 9 s (8 s), 1 could not be checked._",
  );
  assert.match(exportedMarkdown(exportOf([turn])), /\n- 7 calls: Could not be checked/);
});

test("an answer for a pull request has its question, no picture, and leads to the conversation", () => {
  const text = reviewMarkdown(answered("Why?\nReally", "[f](#f1)", "/p.png"), "a.json", ADDRESS);
  assert.equal(text, `> Why?\n> Really\n\n[f](${ADDRESS}#f1)\n\nTrace: [a.json](${ADDRESS})`);
});

test("a turn that runs is what the page has of it, and what the page has not loaded is there too", () => {
  const stored = [newTurn("a", "1", "completed"), newTurn("b", "2", "failed")];
  const shown = [{ ...answered("2", "half"), turnId: "b", status: "running" as const }];
  const turns = withUnstored(stored, shown);
  assert.deepEqual(
    turns.map((turn) => [turn.turnId, turn.status]),
    [
      ["a", "completed"],
      ["b", "running"],
    ],
  );
  assert.match(exportedMarkdown(exportOf(turns)), /half\n\n_This answer was still being written\._/);
  assert.equal(JSON.parse(exportedJson(exportOf(turns))).turns[1].status, "unfinished");
});

test("a conversation as Markdown has its questions quoted, its newest picture and how it ended", () => {
  const failed: Turn = {
    ...newTurn("u", "and\nnow?", "failed"),
    failure: { code: "x", message: "It broke.", retryable: false },
  };
  const turns = [answered("Why?", "[f](#f1)", "/pictures/1.png"), failed];
  const text = exportedMarkdown(exportOf(turns, { title: "Why\n# slow", traceName: "a[1]_b.json" }));
  assert.equal(
    text,
    `# Why # slow\n\nTrace: [a\\[1\\]\\_b.json](${ADDRESS})\n\n> Why?\n\n[f](${ADDRESS}#f1)\n\n` +
      "![Flamegraph](http://127.0.0.1:8484/pictures/1.png)\n\n> and\n> now?\n\n_It broke._\n",
  );
  assert.doesNotMatch(answerMarkdown(answered("q", "[x](#f62) [1 ms](#f62.self)"), ADDRESS), /\]\(#/);
});

test("a saved page holds nothing that runs or is fetched, whatever names and questions say", async () => {
  const evil = "<img src=x onerror=alert(1)><script>alert(1)</script>\"'&";
  const page = await exportedPage(
    exportOf([answered(evil, `${evil} [\`${evil}\`](#f1)`, "/p.png")], { title: evil, traceName: evil }),
    async () => "data:image/png;base64,AAAA",
  );
  assert.doesNotMatch(page, /<script|<img src=x|onerror=alert\(1\)>/);
  assert.match(page, /<img src="data:image\/png;base64,AAAA"/);
  assert.match(page, /Content-Security-Policy" content="default-src 'none'/);
  assert.match(page, new RegExp(`href="${ADDRESS}#f1"`));
});

test("a saved page marks what was contradicted where it stands, lists every claim, and has steps and all pictures", async () => {
  const text = "[`f`](#f1) takes 40 ms of 9 s.";
  const checks = [checkOf(text, "9 s", "verified"), checkOf(text, "40 ms", "contradicted", "12 ms")];
  const turn = { ...answered("q", text, "/new.png"), checks };
  turn.parts.unshift({
    ...emptyTool("b", "look"),
    status: "success",
    message: "Looked",
    text: "<b>",
    imageUrl: "/old.png",
  });
  const loaded: string[] = [];
  const page = await exportedPage(exportOf([turn], { chart: "/chart.png" }), async (url) => {
    loaded.push(url);
    return `data:image/png;base64,${loaded.length}`;
  });
  assert.match(
    page,
    /data-status="contradicted"[^>]*>40 ms<\/mark><span class="verdict"> \[Not so. The trace says: 12 ms\]</,
  );
  assert.match(page, /<li data-wrong><bdi>40 ms<[\s\S]*<li><bdi>9 s<\/bdi>: In the trace\./);
  assert.deepEqual(loaded, ["/chart.png", "/old.png", "/new.png"]);
  assert.match(page, /<summary>2 steps<[\s\S]*Looked[\s\S]*<pre dir="auto" tabindex="0">&lt;b&gt;/);
});

test("a picture that cannot be had is said to be missing, and JSON has every part", async () => {
  const exported = exportOf([answered("q", "[a](#f1)", "/p.png")]);
  assert.match(await exportedPage(exported, async () => null), /Flamegraph: the picture cannot be loaded/);
  assert.deepEqual(
    JSON.parse(exportedJson(exported)).turns[0].parts.map((part: { kind: string }) => part.kind),
    ["tool", "text"],
  );
  const [tool, part] = JSON.parse(exportedJson(exported)).turns[0].parts;
  assert.equal(tool.imageUrl, "http://127.0.0.1:8484/p.png");
  assert.deepEqual([part.text, part.source], [`[a](${ADDRESS}#f1)`, "[a](#f1)"]);
});

const HOSTILE_NOTES = [
  {
    name: "<img src=x onerror=alert(1)>\u202egnp",
    text: "@all <b>see</b> [x](javascript:1)\n# now",
    address: "https://host/t/1?thread=p0#f1",
  },
];

test("notes leave the page as text, with a link to what they are on", async () => {
  const written = exportedMarkdown(exportOf([answered("q", "a")], { notes: HOSTILE_NOTES }));
  const line = written.split("\n").find((one) => one.startsWith("- ["))!;
  assert.match(line, /\]\(https:\/\/host\/t\/1\?thread=p0#f1\): /);
  for (const live of ["<img", "<b>", "[x](javascript", "\u202e", "\n#"])
    assert.ok(!line.includes(live) || line.includes(`\\${live}`), live);
  const page = await exportedPage(exportOf([answered("q", "a")], { notes: HOSTILE_NOTES }), async () => null);
  assert.match(page, /<h2>Notes<\/h2>/);
  assert.ok(!page.includes("<img src=x") && !page.includes("<b>see"));
  assert.deepEqual(JSON.parse(exportedJson(exportOf([], { notes: HOSTILE_NOTES }))).notes, HOSTILE_NOTES);
});

test("without notes nothing is said of them", async () => {
  assert.doesNotMatch(exportedMarkdown(exportOf([answered("q", "a")])), /Notes/);
  assert.doesNotMatch(await exportedPage(exportOf([answered("q", "a")]), async () => null), /<h2>/);
});
