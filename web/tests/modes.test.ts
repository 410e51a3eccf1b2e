import assert from "node:assert/strict";
import { test } from "node:test";
import { hasOrder, modesOf } from "../src/viewer/modes.ts";
import type { TraceProfile } from "../src/api.ts";
import type { ViewerStore } from "../src/viewer/viewer_store.ts";

const profile = (handle: string, order: "time" | "none" | undefined, kind = "sampled") =>
  ({ handle, kind, ...(order && { order }) }) as TraceProfile;

test("what has no times has no order, but calls of a file have its own", () => {
  assert.equal(hasOrder(profile("p0", "time")), true);
  assert.equal(hasOrder(profile("p0", "none")), false);
  assert.equal(hasOrder(profile("p0", "none", "evented")), true);
  assert.equal(hasOrder(profile("p0", undefined)), true, "a summary of before does not say");
});

test("each thread is offered the views that it has, and who came by a link no comparison", () => {
  const offered = (chosen: string, transforms: string[] = [], canCompare = true) => {
    const profiles = [profile("p0", "time"), profile("p1", "none")];
    const store = { read: () => ({ profile: chosen, transforms }), profiles, canCompare };
    return modesOf(store as unknown as ViewerStore).map(({ mode }) => mode);
  };
  assert.deepEqual(offered("p0"), ["time_order", "left_heavy", "sandwich", "diff"]);
  assert.deepEqual(offered("p1"), ["left_heavy", "sandwich", "diff"]);
  assert.deepEqual(offered("p1", [], false), ["left_heavy", "sandwich"]);
  assert.deepEqual(offered("p0", ["drop-library", "invert"]), ["left_heavy", "sandwich", "diff"]);
});
