/** Keys for programs as the server sends them. */
import { json, post } from "../api.ts";

export type Scope = "traces:read" | "traces:write" | "render" | "ask" | "gate" | "questions";

/** What a scope lets a program do, in words. */
export const SCOPE_WORDS: Record<Scope, string> = {
  "traces:write": "upload and label traces",
  "traces:read": "read traces",
  gate: "read and run gates",
  questions: "run questions over many traces",
  render: "have pictures drawn",
  ask: "ask questions and read answers",
};

export interface ProgramKey {
  keyId: string;
  name: string;
  /** How it begins, after `fc_`. */
  prefix: string;
  scopes: Scope[];
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
}

/** A key with its secret, which is in no other answer. */
export interface MadeKey {
  key: ProgramKey;
  secret: string;
}

/** Whether a key works at that moment, and when it was used last. */
export function standing(key: ProgramKey, now: Date): string {
  if (key.revokedAt) return `revoked ${day(key.revokedAt)}`;
  if (key.expiresAt && new Date(key.expiresAt) <= now) return `ended ${day(key.expiresAt)}`;
  const used = key.lastUsedAt ? `used last ${day(key.lastUsedAt)}` : "never used";
  return key.expiresAt ? `${used}, ends ${day(key.expiresAt)}` : used;
}

function day(moment: string): string {
  return moment.slice(0, 10);
}

export const programKeys = {
  list: async () => (await json<{ keys: ProgramKey[] }>("/keys")).keys,
  make: async (name: string, scopes: Scope[], days: number | null) =>
    (await post("/keys", { name, scopes, days })) as MadeKey,
  revoke: (keyId: string) => json<{ key: ProgramKey }>(`/keys/${encodeURIComponent(keyId)}`, { method: "DELETE" }),
};
