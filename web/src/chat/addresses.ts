/**
 * Addresses of figures: `[379 ms](#f12.self)` says which function's which measure the figure is. docs/protocol.md has the grammar,
 * server/agent/verification/references/addresses.py is the same parser on the server; both are tested by the same examples. Nothing here throws.
 */

export interface FigureAddress {
  scope: string | null;
  subject: string;
  measure: string;
  base: string | null;
}

/** A figure, or the sum, difference or ratio of two. */
export interface Address {
  figure: FigureAddress;
  operator: "+" | "-" | "/" | null;
  other: FigureAddress | null;
}

/** What is no address, and why: `thing` is a letter that names nothing there. */
export interface Malformed {
  error: "too_long" | "form" | "thing" | "measure";
}

const MEASURES: ReadonlySet<string> = new Set(
  "self total calls mean p50 p95 p99 max start end duration busy waiting idle samples threads saving".split(" "),
);
const LONGEST = 100;
const THING = "[a-z][0-9]{0,12}";
const FIGURE = `(?:(${THING})\\.)?(${THING})\\.([a-z][a-z0-9_]*)(?:/(${THING})(?![a-z0-9.]))?`;
const ADDRESS = new RegExp(`^${FIGURE}(?:([+/-])${FIGURE})?$`);
const CELL = /^c[0-9]{1,12}$/;
const COLUMN = /^[a-z][a-z0-9_]{0,39}$/;

/** The address that a text is, with or without a hash before it. */
export function parseAddress(text: string): Address | Malformed {
  const bare = text.startsWith("#") ? text.slice(1) : text;
  if (bare.length > LONGEST) return { error: "too_long" };
  const match = ADDRESS.exec(bare);
  if (!match) return { error: "form" };
  const figure = figureOf(match[1], match[2]!, match[3]!, match[4]);
  if ("error" in figure || match[5] === undefined) {
    return "error" in figure ? figure : { figure, operator: null, other: null };
  }
  const other = figureOf(match[6], match[7]!, match[8]!, match[9]);
  if ("error" in other) return other;
  return { figure, operator: match[5] as "+" | "-" | "/", other };
}

/** The handle of the chart that a figure's address leads to; null where it names nothing that the chart shows. */
export function placeOf({ figure }: Address): string | null {
  const places = [figure.subject, figure.scope, figure.base];
  return places.find((thing) => thing && /^[fnsp][0-9]+$/.test(thing)) ?? null;
}

/** The profile in which the figure is measured, as its address names it: by its scope, or by what it is a share of. */
export function profileOf({ figure }: Address): string | null {
  return [figure.scope, figure.base].find((thing) => thing && /^p[0-9]+$/.test(thing)) ?? null;
}

function figureOf(
  scope: string | undefined,
  subject: string,
  measure: string,
  base: string | undefined,
): FigureAddress | Malformed {
  const named = (thing: string | undefined, letters: string) =>
    thing === undefined || (letters.includes(thing[0]!) && (thing.length === 1) === (thing[0] === "t"));
  if (!named(scope, "tpwciq") || !named(subject, "fnsptwcgiqr") || !named(base, "fnsptwg")) return { error: "thing" };
  if (subject[0] === "r" && !(scope && "qi".includes(scope[0]!))) return { error: "thing" };
  const isCell = CELL.test(measure) && "qir".includes(subject[0]!);
  const isColumn = subject[0] === "r" && COLUMN.test(measure);
  if (!MEASURES.has(measure) && !isCell && !isColumn) return { error: "measure" };
  return {
    scope: plain(scope),
    subject: plain(subject)!,
    measure: isCell ? plain(measure)! : measure,
    base: plain(base),
  };
}

/** Without leading zeros. */
function plain(thing: string | undefined): string | null {
  return thing === undefined ? null : thing.replace(/^([a-z])0*([0-9])/, "$1$2");
}
