import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeView } from "../src/viewer/view_bytes.ts";

/** The format by hand: magic, length, padded header, then columns. */
function encoded(): ArrayBuffer {
  const columns = [Float64Array.of(0, 0.5), Float64Array.of(2, 1), Int32Array.of(7, 99), Int32Array.of(40, 41)];
  const header = {
    mode: "time_order",
    profile: "p1",
    unit: "nanoseconds",
    axisStart: 0,
    axisEnd: 2,
    refKind: "span",
    boxes: 2,
    total: 5,
    merged: 3,
    rowOffsets: [0, 1, 2],
    frames: { ids: [3, 7], names: ["a", "b"], files: [null, "b.js"], lines: [null, 4] },
    callers: null,
    frame: null,
    columns: ["start", "end", "frame", "ref"].map((name, index) => ({
      name,
      dtype: index < 2 ? "f8" : "i4",
      offset: 1000 + index * 16,
      length: 2,
    })),
  };
  const text = new TextEncoder().encode(JSON.stringify(header).padEnd(992));
  const bytes = new Uint8Array(1000 + 4 * 16);
  bytes.set([0x46, 0x43, 0x56, 0x31]);
  new DataView(bytes.buffer).setUint32(4, text.length, true);
  bytes.set(text, 8);
  columns.forEach((column, index) => bytes.set(new Uint8Array(column.buffer), 1000 + index * 16));
  return bytes.buffer;
}

test("a view's columns are read where they lie, frames by their place in its table", () => {
  const view = decodeView(encoded());
  assert.deepEqual([...view.boxes.start], [0, 0.5]);
  assert.deepEqual([...view.boxes.end], [2, 1]);
  assert.deepEqual([...view.boxes.ref], [40, 41]);
  assert.equal(view.frames.names[view.boxes.frame[0]!], "b");
  assert.equal(view.boxes.frame[1], -1);
  assert.deepEqual([view.profile, view.merged, view.total], ["p1", 3, 5]);
});

test("spans without an end are marked where a view has some", () => {
  const marked = encoded();
  const text = new TextDecoder().decode(new Uint8Array(marked, 8, 992)).replace('"name":"ref"', '"name":"unfinished"');
  const both = text
    .trimEnd()
    .replace('"columns":[', '"columns":[{"name":"ref","dtype":"i4","offset":1048,"length":2},');
  new Uint8Array(marked).set(new TextEncoder().encode(both.padEnd(992)), 8);
  assert.deepEqual([...decodeView(marked).boxes.unfinished!], [40, 41]);
  assert.equal(decodeView(encoded()).boxes.unfinished, undefined);
});

test("bytes that are no view are refused", () => {
  assert.throws(() => decodeView(new TextEncoder().encode("<!doctype html>").buffer), /not a chart/);
  assert.throws(() => decodeView(new ArrayBuffer(3)), /not a chart/);
});
