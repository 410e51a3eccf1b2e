/** Notes on a trace: read, written, and alike in every tab of this browser that shows the trace. */
import { json, post, remove } from "../api.ts";
import { Store } from "../store.ts";
import type { View } from "./view_bytes.ts";
import { addressOf, OPENED } from "./view_state.ts";
import type { AxisWindow } from "./window.ts";

export const MOST_CHARACTERS = 2_000;

/** A function or a call by its handle, or a range of time by its ends. */
export interface NoteTarget {
  kind: "function" | "call" | "range";
  profile: string;
  handle: string | null;
  start: number | null;
  end: number | null;
  /** Of the function, or the time in words. */
  name: string;
  file: string | null;
}

export interface Note extends NoteTarget {
  noteId: string;
  text: string;
  createdAt: string;
  updatedAt: string;
}

export interface NoteList {
  /** The oldest first; null until they are there. */
  notes: Note[] | null;
  problem: string | null;
}

/** How long a tab that comes back into sight shows what it has before it asks again. */
const FRESH_MS = 2_000;

export class NotesStore extends Store<NoteList> {
  #path: string;
  #channel: BroadcastChannel | null = null;
  #asked = 0;
  #readAt = 0;

  /** `path` is where the trace is in the API. */
  constructor(path: string) {
    super({ notes: null, problem: null });
    this.#path = path;
  }

  /** Read them, and again when another tab writes or this one comes back into sight; returns what ends it. */
  open(): () => void {
    const stop = new AbortController();
    this.#channel = new BroadcastChannel(`flamechat notes ${this.#path}`);
    this.#channel.onmessage = () => void this.reload();
    const look = () => document.hidden || Date.now() - this.#readAt < FRESH_MS || void this.reload();
    document.addEventListener("visibilitychange", look, { signal: stop.signal });
    addEventListener("focus", look, { signal: stop.signal });
    void this.reload();
    return () => {
      stop.abort();
      this.#channel?.close();
      this.#channel = null;
    };
  }

  async reload(): Promise<void> {
    const asked = ++this.#asked;
    this.#readAt = Date.now();
    try {
      const { notes } = await json<{ notes: Note[] }>(`${this.#path}/notes`);
      if (asked === this.#asked) this.write({ notes, problem: null });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (asked === this.#asked) this.write({ ...this.read(), problem });
    }
  }

  /** Each throws an ApiError in the server's words. */
  add(target: NoteTarget, text: string): Promise<void> {
    return this.#changed(post(`${this.#path}/notes`, { ...target, text }));
  }

  rewrite(noteId: string, text: string): Promise<void> {
    return this.#changed(post(`${this.#path}/notes/${noteId}`, { text }, "PATCH"));
  }

  remove(noteId: string): Promise<void> {
    return this.#changed(remove(`${this.#path}/notes/${noteId}`));
  }

  async #changed(change: Promise<unknown>): Promise<void> {
    await change;
    this.#channel?.postMessage("changed");
    await this.reload();
  }
}

/** What of a view notes stand on. */
export interface Noted {
  ranges: AxisWindow[];
  /** Whether a box is a call or shows a function that has a note. */
  isNoted: (box: number) => boolean;
}

/** The notes on a thread as its view shows them; null where it shows none. */
export function notedIn(view: View, profile: string, notes: Note[] | null): Noted | null {
  const here = notesOf(notes, profile);
  if (here.length === 0 || view.mode === "diff") return null;
  const numbers = (kind: NoteTarget["kind"]) =>
    new Set(here.flatMap((note) => (note.kind === kind && note.handle ? [Number(note.handle.slice(1))] : [])));
  const [functions, calls] = [numbers("function"), numbers("call")];
  const frames = Uint8Array.from(view.frames.ids, (id) => (functions.has(id) ? 1 : 0));
  const hasCalls = calls.size > 0 && view.refKind === "span";
  return {
    ranges:
      view.mode === "time_order"
        ? here.flatMap(({ start, end }) => (start !== null ? [{ start, end: end! }] : []))
        : [],
    isNoted: (box) => frames[view.boxes.frame[box]!] === 1 || (hasCalls && calls.has(view.boxes.ref[box] ?? -1)),
  };
}

/** The notes on a thread. */
export function notesOf(notes: Note[] | null, profile: string): Note[] {
  return notes?.filter((note) => note.profile === profile) ?? [];
}

/** Of a thread's notes those that stand on a box, or on its function; as many as a tooltip has room for. */
export function notesOn(notes: Note[], handles: string[]): Note[] {
  return notes.filter(({ handle }) => handle && handles.includes(handle)).slice(0, 3);
}

/** `?…#…` of what a note is on, with the list of notes open; `first` is the thread that the trace opens with. */
export function noteAddress(note: NoteTarget, first: string): string {
  return addressOf({
    ...OPENED,
    profile: note.profile === first ? null : note.profile,
    window: note.kind === "range" ? { start: note.start!, end: note.end! } : null,
    selection: note.handle,
    panel: "notes",
  });
}
