/** One's accounts, who is in them, and who is invited. */
import { ApiError, json, post, remove, send } from "../api.ts";
import { Store } from "../store.ts";
import { acting, actFor } from "./acting.ts";

export type Role = "viewer" | "member" | "owner";

export const ROLE_WORDS: Record<Role, string> = {
  viewer: "viewer: reads",
  member: "member: uploads and asks",
  owner: "owner: administers",
};

export interface TeamAccount {
  accountId: string;
  name: string;
  role: Role;
  isPersonal: boolean;
  memoryDecidedBy: "members" | "owners";
}

export interface Member {
  userId: string;
  name: string | null;
  role: Role;
  isMe: boolean;
}

export interface Invitation {
  invitationId: string;
  email: string;
  role: Role;
  expiresAt: string;
}

export interface MemberList {
  members: Member[];
  invitations: Invitation[];
}

/** One's own first; empty until they are known. */
export const accounts = new Store<TeamAccount[]>([]);

const path = (accountId: string): string => `/accounts/${encodeURIComponent(accountId)}`;

/** Fetch them. Who has left the account that the tab acted for acts for their own again. */
export async function loadAccounts(): Promise<void> {
  try {
    accounts.write((await json<{ accounts: TeamAccount[] }>("/accounts")).accounts);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404 || !acting.read()) throw error;
    actFor(null);
    await loadAccounts();
  }
}

/** The account that the tab acts for, of those that are known. */
export function current(known: TeamAccount[], accountId: string | null): TeamAccount | null {
  return known.find((one) => one.accountId === accountId) ?? known.find((one) => one.isPersonal) ?? null;
}

export const teams = {
  async create(name: string): Promise<TeamAccount> {
    return (await post("/accounts", { name })) as TeamAccount;
  },
  administer: (accountId: string, changes: { name?: string; memoryDecidedBy?: "members" | "owners" }): Promise<void> =>
    send(path(accountId), "PATCH", changes),
  close: (accountId: string, withTraces: boolean): Promise<void> =>
    remove(path(accountId) + (withTraces ? "?with=traces" : "")),
  members: (accountId: string): Promise<MemberList> => json<MemberList>(`${path(accountId)}/members`),
  /** The address to give to whoever is invited. */
  async invite(accountId: string, email: string, role: Role): Promise<string> {
    const { link } = (await post(`${path(accountId)}/members`, { email, role })) as { link: string };
    return location.origin + link;
  },
  change: (accountId: string, userId: string, role: Role): Promise<void> =>
    send(`${path(accountId)}/members/${userId}`, "PATCH", { role }),
  removeMember: (accountId: string, userId: string): Promise<void> => remove(`${path(accountId)}/members/${userId}`),
  revoke: (accountId: string, invitationId: string): Promise<void> =>
    remove(`${path(accountId)}/invitations/${invitationId}`),
  async accept(token: string): Promise<TeamAccount> {
    return (await post("/invitations/accept", { token })) as TeamAccount;
  },
};

/** The token of an invitation that the address brings; null for any other fragment. */
export function invitationOf(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, "")).get("invitation");
}
