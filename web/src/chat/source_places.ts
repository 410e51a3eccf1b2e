/**
 * Where the rendered characters of a block stand in its source.
 *
 * markdown-it gives lines, not columns. Within a line its tokens follow the source from left to right, and each says how it was
 * written (its markup), so that a walk along both finds the place of each. What cannot be found is left out, never guessed.
 */
import type { MarkdownIt, Token } from "markdown-it";

/** A token that shows text, and the place in the source of each of its characters; an escape or entity has one. */
export interface Placed {
  token: Token;
  places: number[];
}

/** Every token of a block that shows text, in order; `token.children` are what markdown-it made of each line. */
export function placedText(markdown: MarkdownIt, source: string, tokens: Token[]): Placed[] {
  const lineStarts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  let cell: number | null = null; // where the next cell of a row begins
  return tokens.flatMap((token) => {
    if (token.type === "tr_open") cell = lineStarts[token.map?.[0] ?? 0] ?? 0;
    if (token.type === "table_close") cell = null;
    if (token.type !== "inline") return [];
    if (cell === null) return placedTokens(markdown, token, placesOfLines(source, token, lineStarts));
    const start: number = cell + /^\s*\|?\s*/.exec(source.slice(cell))![0].length;
    const places = placesOfCell(source, token.content, start);
    cell = (places.at(-1) ?? start - 1) + 1;
    return placedTokens(markdown, token, places);
  });
}

/** Content of a paragraph or heading is the end of its lines, whose beginning is marks and indentation. */
function placesOfLines(source: string, inline: Token, lineStarts: number[]): number[] {
  const first = inline.map?.[0] ?? 0;
  return inline.content.split("\n").flatMap((content, index) => {
    const start = lineStarts[first + index] ?? source.length;
    const end = (lineStarts[first + index + 1] ?? source.length + 1) - 1;
    const at = source.slice(start, end).lastIndexOf(content);
    const places = Array.from(content.split(""), (_, offset) => (at < 0 ? -1 : start + at + offset));
    return [...(index > 0 ? [start - 1] : []), ...places];
  });
}

/** A cell stands between bars; a bar in it is written with a backslash. */
function placesOfCell(source: string, content: string, start: number): number[] {
  let at = start;
  const places: number[] = [];
  for (const unit of content.split("")) {
    if (unit === "|" && source[at] === "\\") at += 1;
    if (source[at] !== unit) return content.split("").map(() => -1);
    places.push(at++);
  }
  return places;
}

/** The tokens of a line that show text, each with the place of its characters. */
function placedTokens(markdown: MarkdownIt, inline: Token, places: number[]): Placed[] {
  const { content } = inline;
  const placed: Placed[] = [];
  let at = 0;
  for (const token of inline.children ?? []) {
    switch (token.type) {
      case "text": {
        const found = content.startsWith(token.content, at) ? at : content.indexOf(token.content, at);
        if (found < 0) return placed;
        placed.push({ token, places: places.slice(found, found + token.content.length) });
        at = found + token.content.length;
        break;
      }
      case "text_special":
        placed.push({ token, places: [places[at] ?? -1] });
        at += token.markup.length;
        break;
      case "code_inline": {
        const inner = content.slice(at + token.markup.length).replaceAll("\n", " ");
        const padding = inner.startsWith(token.content) ? 0 : 1; // a space on each side is taken off
        const start = at + token.markup.length + padding;
        placed.push({ token, places: places.slice(start, start + token.content.length) });
        at = start + token.content.length + padding + token.markup.length;
        break;
      }
      case "softbreak":
      case "hardbreak":
        at += /^[ \\]*\n[ \t]*/.exec(content.slice(at))?.[0].length ?? 0;
        break;
      case "link_open":
        at += 1;
        break;
      case "link_close":
        at = token.markup === "autolink" ? at + 1 : endOfLink(markdown, content, at);
        break;
      default:
        at += token.markup.length; // emphasis is written on both sides
    }
  }
  return placed;
}

/** Behind `](address "title")`, `][label]` or `]`. */
function endOfLink(markdown: MarkdownIt, content: string, at: number): number {
  const end = at + 1;
  if (content[end] === "[") return content.indexOf("]", end) + 1;
  if (content[end] !== "(") return end;
  const skip = (place: number) => place + /^\s*/.exec(content.slice(place))![0].length;
  const address = markdown.helpers.parseLinkDestination(content, skip(end + 1), content.length);
  let close = skip(address.ok ? address.pos : end + 1);
  const title = markdown.helpers.parseLinkTitle(content, close, content.length);
  if (title.ok) close = skip(title.pos);
  return content[close] === ")" ? close + 1 : end;
}
