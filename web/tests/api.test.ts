/** A network that fails is reported in words, wherever in an answer it fails. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { ApiError, errorFrom, listTraces } from "../src/api.ts";

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
});

const breaksOff = () =>
  new ReadableStream({
    start: (body) => {
      body.enqueue(new TextEncoder().encode('{"traces": ['));
      body.error(new TypeError("network error"));
    },
  });

for (const [where, answer] of [
  ["before the answer", () => Promise.reject(new TypeError("Failed to fetch"))],
  ["in the middle of the answer", () => Promise.resolve(new Response(breaksOff()))],
  ["in the middle of a refusal", () => Promise.resolve(new Response(breaksOff(), { status: 503 }))],
] as const) {
  test(`a connection that is cut ${where} is a server that cannot be reached`, async () => {
    globalThis.fetch = answer;
    await assert.rejects(listTraces(), (error) => error instanceof ApiError && /cannot be reached/.test(error.message));
  });
}

test("a refusal names no field to people", () => {
  const said = (body: object) => errorFrom(422, JSON.stringify(body)).message;
  const refused = { field: "before_profile", detail: "before_profile: other units cannot be compared" };
  assert.equal(said(refused), "Other units cannot be compared");
  assert.equal(said({ detail: "app.json is no recording." }), "app.json is no recording.");
  assert.equal(said({ field: "name", detail: "The name: it is too long." }), "The name: it is too long.");
});
