import assert from "node:assert/strict";
import { test } from "node:test";
import { acting, actFor, actingHeader } from "../src/accounts/acting.ts";
import { accounts, current, invitationOf, loadAccounts } from "../src/accounts/teams.ts";

const stored = new Map<string, string>();
Object.assign(globalThis, {
  sessionStorage: {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  },
});

const OWN = {
  accountId: "p",
  name: "Personal",
  role: "owner" as const,
  isPersonal: true,
  memoryDecidedBy: "members" as const,
};
const TEAM = {
  accountId: "t",
  name: "Team",
  role: "viewer" as const,
  isPersonal: false,
  memoryDecidedBy: "members" as const,
};

test("a request names the account that the tab acts for, and none for one's own", () => {
  actFor("t");
  assert.deepEqual(actingHeader(), { "Flamechat-Account": "t" });
  actFor(null);
  assert.deepEqual(actingHeader(), {});
});

test("the account is the chosen one, else one's own", () => {
  assert.equal(current([OWN, TEAM], "t"), TEAM);
  assert.equal(current([OWN, TEAM], "gone"), OWN);
  assert.equal(current([], null), null);
});

test("who has left the account acts for their own again", async () => {
  const asked: (string | undefined)[] = [];
  globalThis.fetch = async (_path, options) => {
    const account = (options?.headers as Record<string, string>)["Flamechat-Account"];
    asked.push(account);
    if (account) return new Response(JSON.stringify({ detail: "There is no such account." }), { status: 404 });
    return new Response(JSON.stringify({ accounts: [OWN], acting: "p" }));
  };
  actFor("t");
  await loadAccounts();
  assert.deepEqual(asked, ["t", undefined]);
  assert.equal(acting.read(), null);
  assert.deepEqual(accounts.read(), [OWN]);
});

test("an address brings an invitation in its fragment", () => {
  assert.equal(invitationOf("#invitation=abc_-1"), "abc_-1");
  assert.equal(invitationOf("#access_token=x"), null);
  assert.equal(invitationOf(""), null);
});
