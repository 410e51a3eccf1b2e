import assert from "node:assert/strict";
import { test } from "node:test";
import { missingRange } from "../src/viewer/detail.ts";
import { MOST_OPEN, OpenThreads } from "../src/viewer/open_threads.ts";
import type { View } from "../src/viewer/view_bytes.ts";
import type { ViewRequest, ViewSource } from "../src/viewer/view_source.ts";

function viewOf(profile: string, start: number, end: number, merged = 0): View {
  return { mode: "time_order", profile, axisStart: start, axisEnd: end, merged } as View;
}

/** Threads that begin 10 apart and last 100. */
function threads(merged = 0) {
  const asked: ViewRequest[] = [];
  const load = (request: ViewRequest) => {
    asked.push(request);
    const start = 10 * Number(request.profile.slice(1));
    if (request.profile === "p9") return Promise.reject(new Error("no such thread"));
    return Promise.resolve(viewOf(request.profile, start, start + 100, request.window ? 0 : merged));
  };
  return { asked, open: new OpenThreads({ load } as unknown as ViewSource) };
}

test("open threads lie on an axis that has them all, each asked for once", async () => {
  const { asked, open } = threads();
  await open.set(["p1", "p3"]);
  await open.set(["p1", "p3", "p7"]);
  assert.deepEqual(open.around({ start: 20, end: 50 }), { start: 10, end: 170 });
  assert.deepEqual(
    asked.map((one) => one.profile),
    ["p1", "p3", "p7"],
  );
  await open.set(["p1"]);
  assert.deepEqual(open.read().handles, []);
  assert.deepEqual(open.around({ start: 20, end: 50 }), { start: 20, end: 50 });
});

test("no more than eight threads are open, and one that cannot be read says why", async () => {
  const { open } = threads();
  await open.set(Array.from({ length: 12 }, (_, at) => `p${at}`));
  assert.equal(open.read().handles.length, MOST_OPEN);
  await open.set(["p0", "p9"]);
  assert.equal(open.read().problems.get("p9"), "no such thread");
  assert.equal(open.view("p9"), null);
});

test("a thread that is chosen elsewhere takes the place of the one that was", async () => {
  const { open } = threads();
  await open.set(["p0", "p1"]);
  open.follow("p1", "p5", []);
  assert.deepEqual(open.read().handles, ["p0", "p5"]);
  open.follow("p5", "p0", []);
  assert.deepEqual(open.read().handles, ["p0", "p5"]);
  open.follow("p7", "p8", []);
  assert.deepEqual(open.read().handles, ["p8", "p0", "p5"]);
});

test("threads that are on their way arrive when another one is chosen meanwhile", async () => {
  const { open } = threads();
  const opened = open.set(["p0", "p1"]);
  open.follow("p0", "p1", []);
  await opened;
  assert.ok(open.view("p0") && open.view("p1"));
});

test("other transforms are asked of every open thread", async () => {
  const { asked, open } = threads();
  await open.set(["p0", "p1"]);
  open.follow("p0", "p0", ["drop-function:f3"]);
  assert.deepEqual(
    asked.slice(2).map((one) => [one.profile, one.transforms]),
    [
      ["p0", ["drop-function:f3"]],
      ["p1", ["drop-function:f3"]],
    ],
  );
});

test("what came merged is fetched in full where a window rests, and nothing twice", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { asked, open } = threads(5);
  await open.set(["p0", "p1"]);
  const rest = async () => {
    open.rest({ start: 40, end: 44 });
    context.mock.timers.tick(200);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  await rest();
  assert.deepEqual(
    asked.slice(2).map((one) => [one.profile, one.window]),
    [
      ["p0", { start: 38, end: 46 }],
      ["p1", { start: 38, end: 46 }],
    ],
  );
  assert.equal(open.view("p1")!.merged, 0);
  await rest();
  assert.equal(asked.length, 4);
});

test("a wide window is served by the first view", () => {
  const axis = { start: 0, end: 100 };
  assert.equal(missingRange({ start: 10, end: 60 }, axis, viewOf("p0", 0, 100, 9), null), "all");
  const inside = { start: 40, end: 60 };
  assert.equal(missingRange({ start: 45, end: 50 }, axis, viewOf("p0", 0, 100, 0), inside), "nothing");
  assert.deepEqual(missingRange({ start: 45, end: 50 }, axis, viewOf("p0", 0, 100, 3), inside), {
    start: 42.5,
    end: 52.5,
  });
});
