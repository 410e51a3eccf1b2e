import assert from "node:assert/strict";
import { test } from "node:test";
import { notedIn, noteAddress, notesOf, notesOn, type Note } from "../src/viewer/notes.ts";
import type { View } from "../src/viewer/view_bytes.ts";
import { viewOf } from "../src/viewer/view_state.ts";

const PLACE = { profile: "p0", handle: null, start: null, end: null, file: null, name: "draw" };
const WHEN = { createdAt: "2026-01-01", updatedAt: "2026-01-01" };

function note(of: Partial<Note>): Note {
  return { ...PLACE, ...WHEN, kind: "function", noteId: "1", text: "slow", ...of };
}

function view(of: Partial<View> = {}): View {
  return {
    mode: "time_order",
    refKind: "span",
    frames: { ids: [7, 9] },
    boxes: { frame: [0, 1, -1], ref: [4, 5, -1] },
    ...of,
  } as unknown as View;
}

const noted = (notes: Note[], shown = view()) => {
  const found = notedIn(shown, "p0", notes);
  return found && [0, 1, 2].filter((box) => found.isNoted(box));
};

test("a note on a function marks its boxes, one on a call that call alone", () => {
  assert.deepEqual(noted([note({ handle: "f9" })]), [1]);
  assert.deepEqual(noted([note({ kind: "call", handle: "s4" })]), [0]);
  assert.deepEqual(noted([note({ kind: "call", handle: "s4" })], view({ refKind: "node" })), []);
});

test("a note on a time marks the ruler, where there is time", () => {
  const range = note({ kind: "range", start: 2, end: 5 });
  assert.deepEqual(notedIn(view(), "p0", [range])?.ranges, [{ start: 2, end: 5 }]);
  assert.deepEqual(notedIn(view({ mode: "left_heavy" }), "p0", [range])?.ranges, []);
});

test("notes on other threads, and on what is compared, mark nothing", () => {
  assert.equal(noted([note({ handle: "f9", profile: "p1" })]), null);
  assert.equal(noted([note({ handle: "f9" })], view({ mode: "diff" })), null);
  assert.equal(notedIn(view(), "p0", null), null);
});

test("the notes of a box are those on it and on its function, in its thread", () => {
  const notes = [note({ handle: "f9", noteId: "a" }), note({ handle: "s5", kind: "call", noteId: "b" })];
  assert.deepEqual(
    notesOn(notesOf(notes, "p0"), ["s5", "f9"]).map((one) => one.noteId),
    ["a", "b"],
  );
  assert.deepEqual(notesOn(notesOf(notes, "p1"), ["s5", "f9"]), []);
});

test("the link to a note leads to what it is on, with the list open", () => {
  const profiles = new Set(["p0", "p1"]);
  const read = (one: Note) => {
    const [query, hash] = noteAddress(one, "p0").split("#");
    return viewOf(query!, hash ?? "", profiles);
  };
  const [call, problems] = read(note({ kind: "call", handle: "s4", profile: "p1" }));
  assert.deepEqual([call.profile, call.selection, call.panel, problems], ["p1", "s4", "notes", []]);
  const [range] = read(note({ kind: "range", start: 2.5, end: 5 }));
  assert.deepEqual([range.profile, range.window, range.panel], [null, { start: 2.5, end: 5 }, "notes"]);
});
