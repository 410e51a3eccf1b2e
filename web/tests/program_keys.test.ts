import assert from "node:assert/strict";
import test from "node:test";
import { standing, type ProgramKey } from "../src/accounts/program_keys.ts";

const KEY: ProgramKey = {
  keyId: "1",
  name: "ci",
  prefix: "abcdefghij",
  scopes: ["ask"],
  createdAt: "2026-11-01T00:00:00Z",
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
};
const NOW = new Date("2026-11-26T12:00:00Z");

test("a key says whether it works, and when it was used last", () => {
  assert.equal(standing(KEY, NOW), "never used");
  assert.equal(standing({ ...KEY, lastUsedAt: "2026-11-20T01:02:03Z" }, NOW), "used last 2026-11-20");
  const ending = { ...KEY, expiresAt: "2026-11-26T12:00:01Z" };
  assert.equal(standing(ending, NOW), "never used, ends 2026-11-26");
  assert.equal(standing(ending, new Date("2026-11-26T12:00:01Z")), "ended 2026-11-26");
  assert.equal(standing({ ...ending, revokedAt: "2026-11-25T00:00:00Z" }, NOW), "revoked 2026-11-25");
});
