import assert from "node:assert/strict";
import { test } from "node:test";
import { readSession, renewalIn, sessionOf } from "../src/accounts/kept_session.ts";

const NOW = 1_800_000_000_000;
const HOUR = 3600;
const session = (endsIn: number, lasts = HOUR) => ({
  access_token: "a",
  refresh_token: "r",
  expires_at: NOW / 1000 + endsIn,
  expires_in: lasts,
});
const token = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;

test("what is kept is read as a session only where it is one", () => {
  const kept = { access_token: "a", refresh_token: "r", expires_at: 5 };
  assert.deepEqual(readSession(JSON.stringify(kept)), { ...kept, expires_in: 3600 });
  for (const other of [null, "", "{", "null", "[]", '"a"', "7", JSON.stringify({ ...kept, refresh_token: 1 })])
    assert.equal(readSession(other), null);
  assert.equal(readSession(JSON.stringify({ ...kept, expires_at: "5" })), null);
});

test("a link's token says when it ends, also with letters beyond ASCII in it; anything else is no session", () => {
  const brought = sessionOf(token({ iat: 100, exp: 3700, email: "zoë@例え.jp" }), "r");
  assert.deepEqual(brought, {
    access_token: brought!.access_token,
    refresh_token: "r",
    expires_at: 3700,
    expires_in: 3600,
  });
  for (const other of ["", "a", "a.b.c", "a.%%%.c", token({ exp: 5 }), token([])])
    assert.equal(sessionOf(other, "r"), null);
});

test("a session is renewed 90 s before it ends, a short one at half its time", () => {
  assert.equal(renewalIn(session(HOUR), NOW, Infinity), (HOUR - 90) * 1000);
  assert.equal(renewalIn(session(60, 60), NOW, Infinity), 30_000);
  assert.equal(renewalIn(session(30), NOW, Infinity), 0);
});

test("a clock that is far ahead renews once a minute at most, one that is behind waits", () => {
  assert.equal(renewalIn(session(-7200), NOW, 0), 60_000);
  assert.equal(renewalIn(session(-7200), NOW, 45_000), 15_000);
  assert.equal(renewalIn(session(-5, 10), NOW, 0), 5_000);
  assert.equal(renewalIn(session(2 * HOUR), NOW, 0), (2 * HOUR - 90) * 1000);
});
