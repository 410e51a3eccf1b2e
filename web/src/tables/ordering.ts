/** Order and search of long columns, in a few milliseconds for 50,000 rows. */

const DIGITS = 1 << 16;

/**
 * The rows by their values, the least first; equal values keep the order of the rows, NaN comes last. A radix sort
 * over digits of 16 bits.
 */
export function ascending(values: Float64Array): Int32Array {
  const count = values.length;
  // the bits of a float stand in its order once a negative one is turned over and a positive one has its sign set
  const bits = new Uint32Array(new Float64Array(values).buffer);
  for (let row = 0; row < count; row++) {
    if (Number.isNaN(values[row]!)) bits[2 * row] = bits[2 * row + 1] = 0xffffffff;
    else if (values[row] === 0)
      bits[2 * row + 1] = 0x80000000; // of either sign
    else if (bits[2 * row + 1]! >>> 31) {
      bits[2 * row] = ~bits[2 * row]!;
      bits[2 * row + 1] = ~bits[2 * row + 1]!;
    } else bits[2 * row + 1]! |= 0x80000000;
  }
  const digits = new Uint16Array(bits.buffer);
  let order = new Int32Array(count);
  for (let row = 0; row < count; row++) order[row] = row;
  let next = new Int32Array(count);
  for (let digit = 0; digit < 4; digit++) {
    const places = new Int32Array(DIGITS + 1);
    for (let row = 0; row < count; row++) places[digits[4 * row + digit]! + 1]!++;
    if (places.includes(count)) continue; // all rows have the same one
    for (let value = 0; value < DIGITS; value++) places[value + 1]! += places[value]!;
    for (const row of order) next[places[digits[4 * row + digit]!]!++] = row;
    [order, next] = [next, order];
  }
  return order;
}

/** Texts in one piece, in lower case, which is searched at once. */
export class SearchedTexts {
  readonly #text: string;
  readonly #starts: Int32Array;

  constructor(texts: readonly string[]) {
    const lower = texts.map((text) => text.toLowerCase());
    this.#starts = new Int32Array(texts.length + 1);
    lower.forEach((text, index) => (this.#starts[index + 1] = this.#starts[index]! + text.length + 1));
    this.#text = lower.join("\0");
  }

  /** 1 for each text that has the words, which are in lower case. */
  with(words: string): Uint8Array {
    const starts = this.#starts;
    const found = new Uint8Array(starts.length - 1);
    for (let at = 0, index = 0; (at = this.#text.indexOf(words, at)) >= 0;) {
      while (starts[index + 1]! <= at) index++;
      if (at + words.length < starts[index + 1]!) {
        found[index] = 1;
        at = starts[index + 1]!;
      } else at++; // it runs into the next one
    }
    return found;
  }
}
