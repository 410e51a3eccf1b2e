import assert from "node:assert/strict";
import { test } from "node:test";
import { fromFragment } from "../src/accounts/token.ts";

test("a link brings its token, whatever else stands in it", () => {
  const hash = "#access_token=a.b.c&expires_in=3600&refresh_token=r&token_type=bearer&type=magiclink";
  assert.deepEqual(fromFragment(hash), { token: "a.b.c", refreshToken: "r", refusal: null });
});

test("a link that has run out says why", () => {
  const hash = "#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired";
  assert.deepEqual(fromFragment(hash), {
    token: null,
    refreshToken: null,
    refusal: "Email link is invalid or has expired",
  });
});

test("a handle in the address is no token", () => {
  for (const hash of ["", "#", "#f12", "#error=5"]) assert.equal(fromFragment(hash), null);
});
