/**
 * A function's name in a box, shortened by the rule of pictures (rendering/text.py), which a test compares: arguments go first, then the
 * middle of the qualification, last the end of the function's own name.
 */

const ELLIPSIS = "…";
/** Fewer letters before an ellipsis identify nothing. */
const LEAST_LETTERS = 2;
const MOST_CHARACTERS = 2_000;
const SEPARATORS = ".:/#\\";
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Zs}]/gu;

/** The width of one character, in pixels. */
export type Advance = (character: string) => number;

/** A name on one line, nothing invisible in it, no longer than any box can show, and never nothing. */
export function printable(name: string): string {
  if (!name.trim()) return "(unnamed)";
  let short = name;
  if (name.length > MOST_CHARACTERS) {
    const characters = [...name];
    const half = MOST_CHARACTERS / 2;
    if (characters.length > MOST_CHARACTERS)
      short = characters.slice(0, half).join("") + ELLIPSIS + characters.slice(-half).join("");
  }
  return short.replace(UNPRINTABLE, " ");
}

/** The name in at most `room` pixels; empty when nothing readable fits. */
export function elideName(advance: Advance, text: string, room: number): string {
  const width = (characters: string[]) => characters.reduce((sum, one) => sum + advance(one), 0);
  const fitting = (characters: string[], within: number) => {
    let sum = 0;
    for (let count = 0; count < characters.length; count++) {
      sum += advance(characters[count]!);
      if (sum > within) return count;
    }
    return characters.length;
  };
  const elideEnd = (characters: string[]) => {
    if (fitting(characters, room) === characters.length) return characters.join("");
    const kept = fitting(characters, room - advance(ELLIPSIS));
    return kept >= LEAST_LETTERS ? characters.slice(0, kept).join("").trimEnd() + ELLIPSIS : "";
  };

  const all = [...text];
  if (fitting(all, room) === all.length) return text;
  const bare = withoutArguments(all);
  if (bare.length < all.length && width([...bare, ..."(…)"]) <= room) return bare.join("") + "(…)";
  const starts = segmentStarts(bare);
  if (!starts.length) return elideEnd(bare);
  const dots = advance(ELLIPSIS);
  let tail: string[] = [];
  for (const start of starts.toReversed()) {
    const longer = bare.slice(start + separatorsAt(bare, start));
    if (dots + width(longer) > room) break;
    tail = longer;
  }
  const last = starts.at(-1)!;
  if (!tail.length) return elideEnd(bare.slice(last + separatorsAt(bare, last)));
  const head = bare.slice(0, fitting(bare, room - dots - width(tail)));
  const kept = head.length > LEAST_LETTERS ? head.join("").replace(/[.:/#\\]+$/, "") : "";
  return kept + ELLIPSIS + tail.join("");
}

/** How many separators stand from a place on. */
function separatorsAt(characters: string[], start: number): number {
  let count = 0;
  while (isSeparator(characters[start + count])) count++;
  return count;
}

function isSeparator(character: string | undefined): boolean {
  return character !== undefined && SEPARATORS.includes(character);
}

/** `draw(int, Point const&)` becomes `draw`: overloads matter less than the name itself. */
function withoutArguments(characters: string[]): string[] {
  if (characters.at(-1) !== ")") return characters;
  let depth = 0;
  for (let index = characters.length - 1; index > 0; index--) {
    depth += characters[index] === ")" ? 1 : characters[index] === "(" ? -1 : 0;
    if (depth === 0) return [...characters.slice(0, index).join("").trimEnd()];
  }
  return characters;
}

/** Where the parts of a qualified name begin, separators included, outside brackets: `a.b::c` at 1 and 3. */
function segmentStarts(characters: string[]): number[] {
  const starts: number[] = [];
  let depth = 0;
  characters.forEach((character, index) => {
    if ("<([{".includes(character)) depth += 1;
    else if (">)]}".includes(character)) depth = Math.max(0, depth - 1);
    else if (depth === 0 && index > 0 && isSeparator(character) && !isSeparator(characters[index - 1]))
      starts.push(index);
  });
  return starts.filter((start) => start + separatorsAt(characters, start) < characters.length);
}
