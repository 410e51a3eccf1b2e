import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseAddress, placeOf, profileOf, type Address, type FigureAddress } from "../src/chat/addresses.ts";

/** The server's parser is tested by the same examples. */
const EXAMPLES: { text: string }[] = JSON.parse(
  readFileSync(new URL("../../tests/server/agent/verification/references/addresses.json", import.meta.url), "utf-8"),
);

const parts = (figure: FigureAddress) => [figure.scope, figure.subject, figure.measure, figure.base];

test("addresses are read as the server reads them", () => {
  assert.ok(EXAMPLES.length > 50);
  for (const example of EXAMPLES) {
    const parsed = parseAddress(example.text);
    const found =
      "error" in parsed
        ? parsed
        : {
            figure: parts(parsed.figure),
            ...(parsed.other && { operator: parsed.operator, other: parts(parsed.other) }),
          };
    assert.deepEqual({ text: example.text, ...found }, example);
  }
});

test("an address leads to its subject, else to its profile", () => {
  const place = (text: string) => placeOf(parseAddress(text) as Address);
  assert.equal(place("f12.self/p0"), "f12");
  assert.equal(place("p3.f12.self"), "f12");
  assert.equal(place("p3.busy"), "p3");
  assert.equal(place("q2.r3.calls"), null);
  assert.equal(place("t.total/p1"), "p1");
});

test("a click on a figure goes to the profile that its address names", () => {
  const profile = (text: string) => profileOf(parseAddress(text) as Address);
  assert.equal(profile("#p3.f12.self"), "p3");
  assert.equal(profile("f12.self/p0"), "p0");
  assert.equal(profile("w3.f12.self"), null);
  assert.equal(profile("f12.self"), null);
});
