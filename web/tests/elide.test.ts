import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { elideName, printable } from "../src/viewer/elide.ts";

const cases = JSON.parse(readFileSync(new URL("./elided.json", import.meta.url), "utf-8")) as [
  string,
  number,
  string,
][];

/** Letters of three widths, as the test of pictures has them too. */
function advance(character: string): number {
  return "iljt.,:;/'!|()[] ".includes(character) ? 3 : "mwMW…".includes(character) ? 9 : 6;
}

test("a name is shortened as in pictures, and never leaves its room", () => {
  assert.ok(cases.length > 300);
  for (const [name, room, text] of cases) {
    assert.equal(elideName(advance, printable(name), room), text, `${name.slice(0, 60)} in ${room}`);
    assert.ok([...text].reduce((sum, one) => sum + advance(one), 0) <= room);
  }
});
