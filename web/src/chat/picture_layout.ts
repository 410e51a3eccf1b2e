/** Where everything of an answer stands in a picture of it: texts, lines and boxes, all as text of ours, nothing that a browser would read as markup. */
import type { Token } from "markdown-it";
import type { Check } from "../protocol.ts";
import { withVisibleControls } from "./plain_markdown.ts";

export interface Look {
  size: number;
  bold?: boolean;
  italic?: boolean;
  strike?: boolean;
  code?: boolean;
  link?: boolean;
  soft?: boolean;
  /** What stands behind a wrong claim. */
  verdict?: boolean;
  claim?: Check["status"] | undefined;
}

export type Mark =
  | { kind: "text"; x: number; baseline: number; width: number; text: string; look: Look }
  | { kind: "box"; x: number; y: number; width: number; height: number; radius: number }
  | { kind: "rule"; x: number; y: number; width: number; height: number; strong: boolean }
  | { kind: "image"; x: number; y: number; width: number; height: number };

/** How wide a text is. */
export type Measure = (text: string, look: Look) => number;

interface Run {
  text: string;
  look: Look;
}

export const SIZE = 14;
const LINE = 1.5;
const GAP = 10;
const INDENT = 22;
const PAD = 12;
const CELL_GAP = 16;
const LEAST_COLUMN = 60;
/** A figure's address, which on the page is no link to look at either. */
const FIGURE = /^#[^.]*\./;
const HEADING_SIZES = [18, 16, 15];

/** Things below each other in a column of so much width. */
export class PictureLayout {
  readonly marks: Mark[] = [];
  readonly width: number;
  #y = 0;
  #measure: Measure;

  constructor(width: number, measure: Measure) {
    this.width = width;
    this.#measure = measure;
  }

  get height(): number {
    return this.#y;
  }

  gap(size = GAP): void {
    if (this.#y > 0) this.#y += size;
  }

  /** A text that is no Markdown, its lines kept. */
  plain(text: string, look: Look, inBox = false): void {
    const [left, right] = inBox ? [PAD, this.width - PAD] : [0, this.width];
    this.#boxed(inBox, () => this.#lines(text, look, left, right));
  }

  /** What the page's parser made of a block. */
  block(tokens: Token[]): void {
    this.#blocks(tokens, 0, this.width);
  }

  /** A picture of this size, as wide as the column at most. */
  image(width: number, height: number): void {
    const shown = Math.min(this.width, width);
    const high = (height * shown) / width;
    this.marks.push({ kind: "image", x: 0, y: this.#y, width: shown, height: high });
    this.#y += high;
  }

  #blocks(tokens: Token[], left: number, right: number, tight = false): void {
    let isFirst = true;
    const next = (size: number) => {
      if (!isFirst) this.#y += size;
      isFirst = false;
    };
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at]!;
      const end = token.nesting === 1 ? closing(tokens, at) : at;
      const inner = tokens.slice(at + 1, end);
      if (token.type !== "inline" || token.content) next(tight ? 3 : GAP);
      switch (token.type) {
        case "paragraph_open":
          this.#flow(runsOf(inner[0], { size: SIZE }), left, right);
          break;
        case "heading_open": {
          const size = HEADING_SIZES[Number(token.tag[1]) - 1] ?? SIZE;
          this.#flow(runsOf(inner[0], { size, bold: true }), left, right);
          break;
        }
        case "blockquote_open": {
          const top = this.#y;
          this.#blocks(inner, left + PAD + 3, right);
          this.marks.push({ kind: "rule", x: left, y: top, width: 3, height: this.#y - top, strong: false });
          break;
        }
        case "bullet_list_open":
        case "ordered_list_open":
          this.#list(token, inner, left, right);
          break;
        case "table_open":
          this.#table(inner, left, right);
          break;
        case "fence":
        case "code_block":
          this.#boxed(
            true,
            () => this.#lines(token.content.replace(/\n$/, ""), { size: 12.5, code: true }, left + PAD, right - PAD),
            left,
            right,
          );
          break;
        case "hr":
          this.marks.push({ kind: "rule", x: left, y: this.#y, width: right - left, height: 1, strong: false });
          this.#y += 1;
          break;
      }
      at = end;
    }
  }

  #list(open: Token, tokens: Token[], left: number, right: number): void {
    let number = Number(open.attrGet("start") ?? 1);
    for (let at = 0; at < tokens.length; at++) {
      const end = closing(tokens, at);
      if (at > 0) this.#y += 3;
      const mark = open.type === "ordered_list_open" ? `${number++}.` : "•";
      const look: Look = { size: SIZE };
      const width = this.#measure(mark, look);
      this.#text(mark, look, left + INDENT - 7 - width, this.#y + baseline(SIZE), width);
      const before = this.#y;
      this.#blocks(tokens.slice(at + 1, end), left + INDENT, right, true);
      if (this.#y === before) this.#y += SIZE * LINE; // an empty item has its mark
      at = end;
    }
  }

  /** Columns as wide as their contents where they fit; wider ones give way to narrow ones where they do not. */
  #table(tokens: Token[], left: number, right: number): void {
    const rows: { runs: Run[]; atEnd: boolean }[][] = [];
    for (const [at, token] of tokens.entries()) {
      if (token.type === "tr_open") rows.push([]);
      if (token.type !== "th_open" && token.type !== "td_open") continue;
      const look: Look = { size: 13, ...(token.type === "th_open" ? { bold: true, soft: true } : {}) };
      const atEnd = /text-align:\s*right/.test(String(token.attrGet("style") ?? ""));
      rows.at(-1)!.push({ runs: runsOf(tokens[at + 1], look), atEnd });
    }
    const natural = (rows[0] ?? []).map((_, column) =>
      Math.max(...rows.map((row) => this.#widthOf(row[column]?.runs ?? []))),
    );
    const widths = shared(natural, right - left - CELL_GAP * (natural.length - 1));
    rows.forEach((row, index) => {
      const top = this.#y + 3;
      let bottom = top;
      let x = left;
      row.forEach(({ runs, atEnd }, column) => {
        const width = widths[column]!;
        this.#y = top;
        this.#flow(runs, x, x + width, atEnd);
        bottom = Math.max(bottom, this.#y);
        x += width + CELL_GAP;
      });
      const full = Math.min(right, x - CELL_GAP) - left;
      this.marks.push({ kind: "rule", x: left, y: bottom + 3, width: full, height: 1, strong: index === 0 });
      this.#y = bottom + 4;
    });
  }

  #widthOf(runs: Run[]): number {
    return Math.ceil(runs.reduce((sum, { text, look }) => sum + this.#measure(text, look), 0));
  }

  #boxed(isBoxed: boolean, fill: () => void, left = 0, right = this.width): void {
    if (!isBoxed) return fill();
    const [at, top] = [this.marks.length, this.#y];
    this.#y += 8;
    fill();
    this.#y += 8;
    // before what it lies under
    this.marks.splice(at, 0, { kind: "box", x: left, y: top, width: right - left, height: this.#y - top, radius: 8 });
  }

  #lines(text: string, look: Look, left: number, right: number): void {
    for (const line of text.split(/\r\n?|\n/))
      this.#flow([{ text: withVisibleControls(line) || " ", look }], left, right);
  }

  /** Words of runs, in lines between left and right; what is too long for a line is cut into it. */
  #flow(runs: Run[], left: number, right: number, atEnd = false): void {
    const size = runs[0]?.look.size ?? SIZE;
    let line: (Run & { width: number })[] = [];
    let x = 0;
    const end = () => {
      const last = line.at(-1);
      if (last && !last.text.trim()) x -= line.pop()!.width;
      let at = atEnd ? Math.max(left, right - x) : left;
      for (const { text, look, width } of joined(line)) {
        this.#text(text, look, at, this.#y + baseline(size), width);
        at += width;
      }
      this.#y += size * LINE;
      [line, x] = [[], 0];
    };
    for (const word of wordsOf(runs)) {
      const parts = word.map((one) => ({ ...one, width: this.#measure(one.text, one.look) }));
      const width = parts.reduce((sum, one) => sum + one.width, 0);
      const isSpace = !word[0]!.text.trim();
      if (word[0]!.text === "\n") end();
      else if (x + width <= right - left) {
        line.push(...parts);
        x += width;
      } else if (!isSpace) {
        if (x > 0) end();
        for (const part of parts) {
          let rest = part.text;
          while (rest) {
            const fitting = this.#fitting(rest, part.look, right - left - x);
            if (!fitting) {
              end();
              continue;
            }
            const fits = this.#measure(fitting, part.look);
            line.push({ text: fitting, look: part.look, width: fits });
            x += fits;
            rest = rest.slice(fitting.length);
          }
        }
      }
    }
    if (line.length > 0) end();
  }

  /** The longest start of a word that fits; empty where none does, though a line of its own has one letter at least. */
  #fitting(word: string, look: Look, room: number): string {
    const letters = [...word];
    let [fits, tooMany] = [0, letters.length + 1];
    while (tooMany - fits > 1) {
      const count = (fits + tooMany) >> 1;
      if (this.#measure(letters.slice(0, count).join(""), look) <= room) fits = count;
      else tooMany = count;
    }
    return letters.slice(0, room < look.size ? fits : Math.max(fits, 1)).join("");
  }

  #text(text: string, look: Look, x: number, baseline: number, width: number): void {
    this.marks.push({ kind: "text", x, baseline, width, text, look });
  }
}

function baseline(size: number): number {
  return size * LINE * 0.72;
}

/** What no line may be broken within, though its looks differ: a space, the end of a line, or what stands between two of them. */
function wordsOf(runs: Run[]): Run[][] {
  const words: Run[][] = [];
  let isOpen = false;
  for (const { text, look } of runs)
    for (const part of text.match(/\n|[^\S\n]+|\S+/g) ?? []) {
      const isSpace = !part.trim();
      if (isOpen && !isSpace) words.at(-1)!.push({ text: part, look });
      else words.push([{ text: part, look }]);
      isOpen = !isSpace;
    }
  return words;
}

function joined(line: (Run & { width: number })[]): (Run & { width: number })[] {
  const parts: (Run & { width: number })[] = [];
  for (const one of line) {
    const last = parts.at(-1);
    if (last && last.look === one.look)
      parts[parts.length - 1] = { ...last, text: last.text + one.text, width: last.width + one.width };
    else parts.push(one);
  }
  return parts;
}

/** So much room given out: first to those that need least. */
function shared(natural: number[], room: number): number[] {
  const widths = natural.map(() => 0);
  let left = room;
  [...natural.keys()]
    .sort((a, b) => natural[a]! - natural[b]!)
    .forEach((column, place) => {
      const fair = left / (natural.length - place);
      widths[column] = Math.max(Math.min(natural[column]!, fair), Math.min(natural[column]!, LEAST_COLUMN));
      left -= widths[column]!;
    });
  return widths;
}

function closing(tokens: Token[], start: number): number {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    depth += tokens[at]!.nesting;
    if (depth === 0) return at;
  }
  return tokens.length;
}

/** An inline token as texts of one look each. */
function runsOf(inline: Token | undefined, base: Look): Run[] {
  const runs: Run[] = [];
  let look = base;
  const before: Look[] = [];
  for (const token of inline?.children ?? []) {
    if (token.nesting === 1) {
      before.push(look);
      look = { ...look, ...change(token) };
    } else if (token.nesting === -1) look = before.pop() ?? base;
    else if (token.type === "softbreak") runs.push({ text: " ", look });
    else if (token.type === "hardbreak") runs.push({ text: "\n", look });
    else if (token.type === "code_inline") runs.push({ text: oneLine(token.content), look: { ...look, code: true } });
    else if (token.type === "verdict") runs.push({ text: oneLine(token.content), look: { ...look, verdict: true } });
    else if (token.content) runs.push({ text: oneLine(token.content), look });
  }
  return runs;
}

function oneLine(text: string): string {
  return withVisibleControls(text.replace(/\s+/g, " "));
}

function change(token: Token): Partial<Look> {
  switch (token.type) {
    case "strong_open":
      return { bold: true };
    case "em_open":
      return { italic: true };
    case "s_open":
      return { strike: true };
    case "code_open":
      return { code: true };
    case "link_open":
      return { link: !FIGURE.test(String(token.attrGet("href"))) };
    case "claim_open":
      return { claim: (token.attrGet("data-status") ?? undefined) as Look["claim"] };
    default:
      return {};
  }
}
