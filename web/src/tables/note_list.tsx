/** The notes on a trace: what they stand on, their texts, and a new one on what is selected or marked. */
import { useEffect, useRef, useState } from "preact/hooks";
import { firstProfile } from "../api.ts";
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { goTo, goToCited } from "../viewer/navigation.ts";
import { MOST_CHARACTERS, noteAddress, type Note, type NoteTarget } from "../viewer/notes.ts";
import { spokenRange } from "../viewer/questions.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { around, span } from "../viewer/window.ts";

const LONGEST_NAME = 300;

export function NoteList({ store }: { store: ViewerStore }) {
  const notes = usePart(store.notes, (state) => state.notes);
  const unread = usePart(store.notes, (state) => state.problem);
  return (
    <div class="note-list">
      {store.canCompare && <NewNote store={store} />}
      {unread && <p role="alert">{unread}</p>}
      {notes?.length === 0 && <p class="note">No notes on this trace yet.</p>}
      {notes === null && !unread && <p class="note">Looking…</p>}
      <ul aria-label="Notes">
        {notes?.map((note) => (
          <Item key={note.noteId} store={store} note={note} />
        ))}
      </ul>
    </div>
  );
}

/** What a new note can stand on: what is marked, else what is selected. */
export function targetsOf(store: ViewerStore): NoteTarget[] {
  const { range, rangeThreads, profile, selection, view } = store.read();
  if (range && view && span(range) > 0) {
    const name = spokenRange(range, store.axis().start, view.unit);
    const on = rangeThreads?.[0] ?? profile;
    return [{ kind: "range", profile: on, handle: null, start: range.start, end: range.end, name, file: null }];
  }
  const frame = store.selectedFrame();
  if (!frame || !selection || !view || view.mode === "diff") return [];
  const of = { profile, start: null, end: null, name: view.frames.names[frame.local]!.slice(0, LONGEST_NAME) };
  const file = view.frames.files[frame.local] ?? null;
  const call = store.handlesAt(selection).find((handle) => handle.startsWith("s"));
  return [
    { kind: "function", handle: frame.handle, file, ...of },
    ...(call ? [{ kind: "call" as const, handle: call, file, ...of }] : []),
  ];
}

const KINDS = { function: "this function", call: "this call", range: "this time" };

function NewNote({ store }: { store: ViewerStore }) {
  usePart(store, (state) => state.selection);
  usePart(store, (state) => state.range);
  usePart(store, (state) => state.view);
  const targets = targetsOf(store);
  const [kind, setKind] = useState<NoteTarget["kind"]>("function");
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const target = targets.find((one) => one.kind === kind) ?? targets[0];
  if (!target) return <p class="note">Select a box, or drag along the ruler to mark a time: a note stands on that.</p>;
  const save = async (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    try {
      await store.notes.add(target, text);
      setText("");
      setProblem(null);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error)); // the text stays
    }
  };
  return (
    <form class="new-note" onSubmit={(event) => void save(event)}>
      <p>
        On <bdi>{target.name}</bdi>
        {targets.length > 1 && (
          <select
            aria-label="What the note is on"
            value={target.kind}
            onChange={(event) => setKind(event.currentTarget.value as NoteTarget["kind"])}
          >
            {targets.map((one) => (
              <option key={one.kind} value={one.kind}>
                {KINDS[one.kind]}
              </option>
            ))}
          </select>
        )}
      </p>
      <Editor text={text} label="New note" change={setText} />
      <button type="submit" class="primary" disabled={!text.trim()}>
        Add note
      </button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}

function Editor({ text, label, change }: { text: string; label: string; change: (text: string) => void }) {
  return (
    <textarea
      aria-label={label}
      dir="auto"
      rows={2}
      maxLength={MOST_CHARACTERS}
      value={text}
      placeholder="What should be known of it"
      onInput={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
      }}
    />
  );
}

function Item({ store, note }: { store: ViewerStore; note: Note }) {
  const [state, setState] = useState<"shown" | "editing" | "deleting">("shown");
  const [text, setText] = useState(note.text);
  const [problem, setProblem] = useState<string | null>(null);
  const [isCopied, setCopied] = useState(false);
  const confirm = useRef<HTMLButtonElement>(null);
  useEffect(() => setText(note.text), [note.text]);
  useEffect(() => confirm.current?.focus(), [state]);
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
      setProblem(null);
      setState("shown");
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const copy = async () => {
    await navigator.clipboard.writeText(
      location.origin + location.pathname + noteAddress(note, firstProfile(store.trace)),
    );
    setCopied(true);
  };
  if (state === "editing")
    return (
      <li>
        <form
          class="new-note"
          onSubmit={(event) => {
            event.preventDefault();
            void attempt(() => store.notes.rewrite(note.noteId, text));
          }}
        >
          <Editor text={text} label="Text of the note" change={setText} />
          <button type="submit" class="primary" disabled={!text.trim()}>
            Save
          </button>
          <button type="button" onClick={() => setState("shown")}>
            Cancel
          </button>
          {problem && <p role="alert">{problem}</p>}
        </form>
      </li>
    );
  return (
    <li>
      <button
        type="button"
        class="link note-place"
        title={`Show ${note.name} in the chart`}
        onClick={() => void showNote(store, note).catch((error: Error) => store.report(error.message))}
      >
        <bdi>{note.name || note.handle}</bdi>
        {note.kind === "call" && <i> this call</i>}
      </button>
      <p class="note-text" dir="auto">
        {note.text}
      </p>
      <span class="note-actions">
        {navigator.clipboard && (
          <button
            type="button"
            class="icon-button"
            aria-label="Copy a link to this note"
            title={isCopied ? "Copied" : "Copy a link to this note"}
            onClick={() => void attempt(copy)}
          >
            <Icon name={isCopied ? "check" : "copy"} />
          </button>
        )}
        {store.canCompare && (
          <>
            <button
              type="button"
              class="icon-button"
              aria-label="Edit this note"
              title="Edit this note"
              onClick={() => setState("editing")}
            >
              <Icon name="edit" />
            </button>
            {state === "deleting" ? (
              <button
                type="button"
                ref={confirm}
                onBlur={() => setState("shown")}
                onClick={() => void attempt(() => store.notes.remove(note.noteId))}
              >
                Delete it
              </button>
            ) : (
              <button
                type="button"
                class="icon-button"
                aria-label="Delete this note"
                title="Delete this note"
                onClick={() => setState("deleting")}
              >
                <Icon name="trash" />
              </button>
            )}
          </>
        )}
      </span>
      {problem && <p role="alert">{problem}</p>}
    </li>
  );
}

/** Bring what a note is on into sight. */
async function showNote(store: ViewerStore, note: Note): Promise<void> {
  const { profile, handle, name, file } = note;
  const isCut = name.length >= LONGEST_NAME || name.includes("\\u20"); // by the server, or with what reorders text
  if (handle && isCut) return void (await goTo(store, `${profile}.${handle}`));
  if (handle) return goToCited(store, { handle, name, file }, `${profile}.${handle}`, []);
  const now = store.read();
  if (now.mode !== "time_order" || now.profile !== profile) await store.show({ mode: "time_order", profile });
  const range = { start: note.start!, end: note.end! };
  store.mark(range);
  store.moveTo(around(range.start, range.end, store.bounds()));
}
