/** Offsets on the wire count Unicode code points; JavaScript strings count UTF-16 units. */

const SURROGATES = /[\ud800-\udfff]/;

/** How many code points a text has. */
export function codePoints(text: string): number {
  if (!SURROGATES.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The first `count` code points of a text. */
export function keepCodePoints(text: string, count: number): string {
  if (!SURROGATES.test(text)) return text.slice(0, count);
  let units = 0;
  for (const character of text) {
    if (count-- <= 0) break;
    units += character.length;
  }
  return text.slice(0, units);
}
