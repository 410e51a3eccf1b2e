import assert from "node:assert/strict";
import { test } from "node:test";
import type { UploadStage } from "../src/api.ts";
import { ordinal, standing } from "../src/home/standing.ts";

const STAGE: UploadStage = { uploadId: "u", stage: "reading", place: null, bytesRead: null, bytes: 30e6 };

function at(share: number, stage: Partial<UploadStage> | null) {
  return standing({ share, size: 30e6, stage: stage && { ...STAGE, ...stage } });
}

test("an upload shows what has left this machine, then what has been read, and never guesses", () => {
  assert.deepEqual(at(0.5, null), { label: "50% of 30.0 MB", share: 0.5 });
  assert.deepEqual(at(1, null), { label: "Reading the trace…", share: null });
  assert.deepEqual(at(1, {}), { label: "Reading the trace…", share: null });
  assert.deepEqual(at(1, { bytesRead: 12e6 }), { label: "12.0 MB of 30.0 MB read", share: 0.4 });
  assert.deepEqual(at(1, { bytesRead: 30e6 }), { label: "All 30.0 MB read; working them out…", share: null });
  assert.deepEqual(at(1, { stage: "storing" }), { label: "Storing the trace…", share: null });
});

test("an upload that waits knows its place in the line", () => {
  assert.equal(at(1, { stage: "waiting", place: 3 }).label, "Waiting to be read, 3rd in line");
  assert.deepEqual(
    [1, 2, 3, 4, 11, 12, 13, 21, 102].map(ordinal).join(" "),
    "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd",
  );
});
