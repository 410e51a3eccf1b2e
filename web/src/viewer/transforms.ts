/** Other call trees of the same recording: what is done to it, as the text that the server, commands and links have. */

/** In the order in which they are done; `drop-function:f12`. What stands behind the colon is encoded where it has a comma. */
export type Transforms = readonly string[];

/** What the server says of a view that was transformed. */
export interface TransformFacts {
  text: string;
  items: { text: string; words: string }[];
  left: number;
  of: number;
}

export const INVERT = "invert";
const MOST = 20;
const LONGEST = 1_100;
const PART = /^[a-z-]+(:[^,]*)?$/;

export interface BoxTransform {
  words: string;
  title: string;
  text: string;
}

/** What can be done with a box: its function's handle, and its own where it is one call or path. */
export function ofBox(frame: string, box: string, isInverted: boolean): BoxTransform[] {
  const subtree = box !== frame && !isInverted;
  return [
    {
      words: "Focus on function",
      title: "Only samples with it, from its outermost call on",
      text: `focus-function:${frame}`,
    },
    ...(subtree
      ? [{ words: "Focus on subtree", title: "Only this box with what it calls", text: `focus-subtree:${box}` }]
      : []),
    { words: "Hide its samples", title: "Drop every sample with this function", text: `drop-function:${frame}` },
    {
      words: "Merge into callers",
      title: "Take it out of stacks; what it spent is its caller's",
      text: `merge-function:${frame}`,
    },
    {
      words: "Collapse what it calls",
      title: "What it calls becomes its own",
      text: `collapse-function-subtree:${frame}`,
    },
    {
      words: "Collapse its recursion",
      title: "Merge its recursive calls into the outermost",
      text: `collapse-recursion:${frame}`,
    },
  ];
}

/** What is done to all of a tree, switched on and off. */
export const SWITCHES: { words: string; title: string; text: string }[] = [
  { words: "Collapse recursion", title: "Merge recursive calls of every function", text: "collapse-recursion" },
  { words: "Drop libraries", title: "Merge libraries' functions into their callers", text: "drop-library" },
  { words: "Invert", title: "Bottom up: functions by self, below them their callers", text: INVERT },
];

/** Only the samples with a text in a function's name or file. */
export function onlyWith(words: string): string {
  return `filter-samples:${words.replaceAll("%", "%25").replaceAll(",", "%2C")}`;
}

/** With one more, unless it is the last already; the inverting stays at the end. */
export function withOne(transforms: Transforms, one: string): Transforms {
  const upright = transforms.filter((text) => text !== INVERT);
  const ending = transforms.length > upright.length || one === INVERT ? [INVERT] : [];
  if (one === INVERT || upright.at(-1) === one) return [...upright, ...ending];
  return [...upright, one, ...ending];
}

/** Without the one at a place. */
export function without(transforms: Transforms, place: number): Transforms {
  return transforms.filter((_, at) => at !== place);
}

/** As the server takes them; null for none. */
export function textOf(transforms: Transforms): string | null {
  return transforms.length ? transforms.join(",") : null;
}

/** Of functions: how a tree lies makes no difference to them. */
export function uprightText(transforms: Transforms): string | null {
  return textOf(transforms.filter((text) => text !== INVERT));
}

/** Those of a link; null for what cannot be some. */
export function transformsOf(text: string | null): Transforms | null {
  const parts = text ? text.split(",") : [];
  const fit = parts.length <= MOST && parts.every((part) => part.length <= LONGEST && PART.test(part));
  return fit ? parts : null;
}
