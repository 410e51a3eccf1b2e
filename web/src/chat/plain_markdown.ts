/**
 * An answer as Markdown for other readers (a file, a pull request), written anew from what the page's parser made of it: only what
 * the page renders is markup, everything else is escaped, and links lead to the page's address or to the web.
 */
import type { Token } from "markdown-it";
import type { Claim } from "./claims.ts";
import { blocksOf, parsedBlock } from "./markdown.ts";

const HANDLE = /^#?([fpns]\d+)$/;
const WEB = /^https?:\/\//i;
/** What GitHub takes for a person or a team. */
const MENTION = /(^|[^\p{L}\p{N}`/])(@[\p{L}\p{N}][\p{L}\p{N}/._-]*)/gu;
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** `address` is the page of the conversation; `claims` are counted from the start of the text. */
export function plainMarkdown(
  text: string,
  address: string,
  claims: Claim[][] = [],
  handles: ReadonlySet<string> | null = null,
): string {
  return blocksOf(text)
    .map((block, index) => written(parsedBlock(block, claims[index] ?? [], handles), address))
    .join("\n\n");
}

/** A text that is no Markdown, such as a title or a name, as Markdown that shows it: one line, without links or people. */
export function escapedLine(text: string): string {
  return lineStart(escaped(text.replace(/\s+/g, " ").trim()));
}

/** A question as people typed it: its lines are kept, its code too. */
export function escapedPrompt(text: string): string {
  const lines = text.split(/\r\n?|\n/);
  return lines.map((line) => lineStart(withCode(line))).join("\n");
}

function withCode(line: string): string {
  return line
    .split(/(`[^`]+`)/)
    .map((part, index) => (index % 2 ? code(part.slice(1, -1)) : escaped(part)))
    .join("");
}

/** A control or reordering character as people can see it. */
export function withVisibleControls(text: string): string {
  return text.replace(INVISIBLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function escaped(text: string): string {
  const plain = (part: string) =>
    withVisibleControls(part)
      .replace(/[\\`*[\]<>~|]/g, "\\$&")
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
      .replace(/&(?=#?\w+;)/g, "&amp;")
      .replace(/:(?=\/\/)/g, ":\\") // GitHub links what looks like an address
      .replace(/\b(www)(?=\.)/gi, "$1\\");
  let result = "";
  let end = 0;
  for (const { 0: match, 1: before, 2: mention, index } of text.matchAll(MENTION)) {
    result += plain(text.slice(end, index) + before) + code(mention!);
    end = index + match.length;
  }
  return result + plain(text.slice(end));
}

/** What begins a block at the start of a line begins none. */
function lineStart(line: string): string {
  return line
    .replace(/^(\s*)([#+=-])/, "$1\\$2")
    .replace(/^(\s*\d+)([.)])/, "$1\\$2")
    .replace(/^( {4,}|\t)/, "");
}

function code(content: string, inTable = false): string {
  const longest = Math.max(0, ...[...content.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  const isPadded = /^`|`$|^ .* $/.test(content);
  const shown = withVisibleControls(content.replace(/\s*\n\s*/g, " "));
  const text = fence + (isPadded ? ` ${shown} ` : shown) + fence;
  return inTable ? text.replaceAll("|", "\\|") : text;
}

/** Blocks, an empty line between them; those of a tight list without one. */
function written(tokens: Token[], address: string): string {
  const parts: string[] = [];
  let tight = false;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    const end = token.nesting === 1 ? endOf(tokens, at) : at;
    const inner = tokens.slice(at + 1, end);
    switch (token.type) {
      case "paragraph_open":
        tight ||= token.hidden;
        parts.push(ofLine(inner[0], address));
        break;
      case "heading_open":
        parts.push(`${"#".repeat(Number(token.tag[1]))} ${ofLine(inner[0], address).replace(/\n/g, " ")}`);
        break;
      case "blockquote_open":
        parts.push(indented(written(inner, address), "> ", "> "));
        break;
      case "bullet_list_open":
      case "ordered_list_open":
        parts.push(list(token, inner, address));
        break;
      case "table_open":
        parts.push(table(inner, address));
        break;
      case "fence":
      case "code_block":
        parts.push(fenced(token));
        break;
      case "hr":
        parts.push("---");
        break;
    }
    at = end;
  }
  return parts.join(tight ? "\n" : "\n\n");
}

function endOf(tokens: Token[], start: number): number {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    depth += tokens[at]!.nesting;
    if (depth === 0) return at;
  }
  return tokens.length;
}

function list(open: Token, tokens: Token[], address: string): string {
  let number = Number(open.attrGet("start") ?? 1);
  const items: string[] = [];
  let isTight = true;
  for (let at = 0; at < tokens.length; at++) {
    const end = endOf(tokens, at);
    const inner = tokens.slice(at + 1, end);
    isTight &&= inner.every((token) => token.type !== "paragraph_open" || token.hidden || token.level > open.level + 2);
    const mark = open.type === "ordered_list_open" ? `${number++}. ` : "- ";
    items.push(indented(written(inner, address), mark, " ".repeat(mark.length)));
    at = end;
  }
  return items.join(isTight ? "\n" : "\n\n");
}

function indented(text: string, first: string, others: string): string {
  return text
    .split("\n")
    .map((line, index) => ((index === 0 ? first : others) + line).trimEnd())
    .join("\n");
}

function fenced({ content, info }: Token): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  const language = /^[\w+#-]{1,30}/.exec(info)?.[0] ?? "";
  return `${fence}${language}\n${content.replace(/\n$/, "")}\n${fence}`;
}

function table(tokens: Token[], address: string): string {
  const rows: string[][] = [];
  const alignments: string[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type === "tr_open") rows.push([]);
    if (token.type === "th_open") {
      const side = /text-align:\s*(\w+)/.exec(String(token.attrGet("style") ?? ""))?.[1];
      alignments.push({ left: ":--", center: ":-:", right: "--:" }[side ?? ""] ?? "---");
    }
    if (token.type === "inline") rows.at(-1)!.push(ofTokens(tokens[at]!.children ?? [], address, true));
  }
  const lines = rows.map((cells) => `| ${cells.join(" | ")} |`);
  lines.splice(1, 0, `| ${alignments.join(" | ")} |`);
  return lines.join("\n");
}

function ofLine(inline: Token | undefined, address: string): string {
  const text = ofTokens(inline?.children ?? [], address, false);
  return text.split("\n").map(lineStart).join("\n");
}

const MARKS: Record<string, string> = { em: "*", strong: "**", s: "~~" };

function ofTokens(tokens: Token[], address: string, inTable: boolean): string {
  let result = "";
  const targets: (string | null)[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    switch (token.type) {
      case "text":
      case "text_special":
      case "verdict":
        result += escaped(token.content).replace(/!$/, "\\!"); // what follows may be a link, and would become a picture
        break;
      case "code_inline":
        result += code(token.content, inTable);
        break;
      case "code_open": {
        const end = tokens.findIndex((one, index) => index > at && one.type === "code_close");
        const inside = tokens.slice(at + 1, end);
        const textOf = (isVerdict: boolean) =>
          inside.map((one) => ((one.type === "verdict") === isVerdict ? one.content : "")).join("");
        result += code(textOf(false), inTable) + escaped(textOf(true));
        at = end;
        break;
      }
      case "softbreak":
        result += "\n";
        break;
      case "hardbreak":
        result += "\\\n";
        break;
      case "link_open": {
        const target = targetOf(token, address);
        targets.push(target);
        if (target) result += "[";
        break;
      }
      case "link_close": {
        const target = targets.pop();
        if (target) result += `](${target})`;
        break;
      }
      default:
        result += MARKS[token.tag] ?? "";
    }
  }
  return result;
}

/** Where a link leads elsewhere; null for a figure's address, which means nothing there. */
function targetOf(token: Token, address: string): string | null {
  const href = String(token.attrGet("href") ?? "");
  const handle = HANDLE.exec(href)?.[1];
  if (handle) return `${address}#${handle}`;
  return WEB.test(href) ? href.replace(/[()<>\\\s]/g, encodeURIComponent) : null;
}
