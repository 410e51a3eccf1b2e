import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { KeptViews } from "../src/viewer/kept_views.ts";

const LONG = `?transforms=drop-function%3A${"%C3%A9".repeat(600)}&start=1&end=2&find=a%26b#f12`;
const before = globalThis.fetch;

/** A server that keeps parts under an id, and counts what it is asked. */
function server(status = 201): { asked: string[] } {
  const asked: string[] = [];
  const kept = new Map<string, unknown>();
  globalThis.fetch = async (path, options) => {
    const method = options?.method ?? "GET";
    asked.push(`${method} ${String(path)}`);
    if (method === "POST") {
      kept.set("abcdefghijkl", { transforms: "", find: "", ...(JSON.parse(String(options?.body)) as object) });
      return Response.json(status === 201 ? { viewId: "abcdefghijkl" } : { detail: "no" }, { status });
    }
    const found = kept.get(String(path).split("/").at(-1)!);
    return found ? Response.json(found) : Response.json({ detail: "There is no such kept view." }, { status: 404 });
  };
  return { asked };
}

afterEach(() => {
  globalThis.fetch = before;
});

test("a long address gets a short id, the fragment stays, and the id stands for what it was", async () => {
  const { asked } = server();
  const here = new KeptViews("/traces/t", true);
  const short = await here.shortened(LONG);
  assert.equal(short, "?start=1&end=2&kept=abcdefghijkl#f12");
  assert.equal(await here.shortened(LONG.replace("start=1", "start=0")), "?start=0&end=2&kept=abcdefghijkl#f12");
  assert.equal(asked.length, 1);
  const elsewhere = new KeptViews("/traces/t", true);
  for (const one of [here, elsewhere]) {
    const query = new URLSearchParams(await one.expanded("?start=1&end=2&kept=abcdefghijkl"));
    const all = new URLSearchParams(LONG.split("#")[0]);
    assert.deepEqual(Object.fromEntries(query), Object.fromEntries(all));
  }
  assert.equal(asked.length, 2);
});

test("what is refused or not one's own stays as it is", async () => {
  const { asked } = server(400);
  assert.equal(await new KeptViews("/shared/t", false).shortened(LONG), LONG);
  assert.equal(asked.length, 0);
  assert.equal(await new KeptViews("/traces/t", true).shortened(LONG), LONG);
});

test("an id that stands for nothing is named", async () => {
  server();
  const views = new KeptViews("/traces/t", true);
  await assert.rejects(views.expanded("?kept=<b>"), /names no view/);
  await assert.rejects(views.expanded("?kept=aaaaaaaaaaaa"), /no such kept view/);
  assert.equal(await views.expanded("?find=a"), "?find=a");
});
