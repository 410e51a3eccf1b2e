/**
 * Stands in the built page where markdown-it imports entities: the browser knows the names of HTML (`&auml;`) itself, so their
 * table of 12 kB need not cross the network.
 */
const NAMED = /^&[a-z][a-z0-9]{1,31};$/i;
const known = new Map<string, string>();

/** What a named character reference stands for; itself where HTML has no such name. Nothing else is given to the parser. */
export function decodeHTMLStrict(reference: string): string {
  if (!NAMED.test(reference)) return reference;
  const before = known.get(reference);
  if (before !== undefined) return before;
  const decoded = read(reference);
  known.set(reference, decoded);
  return decoded;
}

function read(reference: string): string {
  // White space at the beginning of a document is no part of it: a letter goes first.
  const text = new DOMParser().parseFromString(`x${reference}`, "text/html").body.textContent!.slice(1);
  // Of `&ltx;` HTML reads the beginning, Markdown nothing.
  return text.endsWith(";") && text !== ";" ? reference : text;
}
