/** What an answer says of functions and calls becomes notes on them, after a click. */
import type { Turn } from "../chat/turn.ts";
import type { NoteTarget } from "../viewer/notes.ts";
import type { Place } from "../viewer/places.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";

export interface Marked {
  /** As the answer links to it: a handle, or the address of a figure about one. */
  address: string;
  text: string;
}

const MOST = 5;
const LONGEST = 400;
const LINK = /\[((?:[^\]\\]|\\.)*)\]\(#([^)\s]{1,100})\)/g;
/** A function or call, or the address of a figure about one, with the thread that it names. */
const THING = /^(?:(p\d{1,10})\.)?([fs]\d{1,10})(?:\..{1,100})?$/;
const WRONG = new Set(["contradicted", "not_found"]);

/** The first sentence about each thing that an answer links to; what the trace contradicts is left out. */
export function markedIn({ parts, checks }: Pick<Turn, "parts" | "checks">): Marked[] {
  const wrong = checks.filter((check) => WRONG.has(check.status)).map((check) => check.claim);
  const found = new Map<string, Marked>();
  for (const part of parts) {
    if (part.kind !== "text") continue;
    for (const sentence of sentencesOf(part.text)) {
      if (wrong.some((claim) => sentence.includes(claim))) continue;
      const thing = [...sentence.matchAll(LINK)].map((link) => THING.exec(link[2]!)).find((one) => one !== null);
      if (!thing || found.has(thing[2]!)) continue;
      const address = thing[1] ? `${thing[1]}.${thing[2]}` : thing[2]!;
      found.set(thing[2]!, { address, text: plain(sentence).slice(0, LONGEST) });
    }
  }
  return [...found.values()].slice(0, MOST);
}

/** Write them; returns how many there are now that were not there before. */
export async function noteAnswer(viewer: ViewerStore, turn: Turn): Promise<number> {
  const marked = markedIn(turn);
  const there = new Set(viewer.notes.read().notes?.map((note) => `${note.handle} ${note.text}`));
  let written = 0;
  for (const { address, text } of marked) {
    const place = await viewer.places.of(
      address,
      marked.map((one) => one.address),
    );
    const target = "problem" in place ? null : targetAt(place);
    if (!target || there.has(`${target.handle} ${text}`)) continue;
    await viewer.notes.add(target, text);
    written += 1;
  }
  return written;
}

function targetAt({ profile, frame, span, handle, name, file }: Place): NoteTarget | null {
  const kind = handle.startsWith("s") ? "call" : "function";
  const on = kind === "call" ? span : frame;
  return on ? { kind, profile, handle: on, start: null, end: null, name, file } : null;
}

/** Lines, items and rows of Markdown, and the sentences in them. A point in a link or in code ends none. */
function sentencesOf(text: string): string[] {
  const ends = /(?:\[(?:[^\]\\]|\\.)*\]\([^)]*\)|`[^`]*`|[^.!?]|[.!?](?!\s|$))+[.!?]*\s*/g;
  return text.split(/\n+/).flatMap((line) => line.match(ends) ?? []);
}

/** As it is read: no marks of Markdown. */
function plain(sentence: string): string {
  return sentence
    .replace(LINK, "$1")
    .replace(/^\s*(?:[-*+]|\d+[.)]|#{1,6}|>)\s+/, "")
    .replace(/\*\*|`|\\(?=[^\w\s])/g, "")
    .trim();
}
