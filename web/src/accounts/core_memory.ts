/** What the account remembers: read, written with the version that was read, with how it came to be. */
import { ApiError, json } from "../api.ts";

export interface CoreMemory {
  text: string;
  version: number;
  mostCharacters: number;
  conflicts: { older: string; newer: string }[];
}

export interface MemoryChange {
  version: number;
  before: string;
  after: string;
  decision: string;
  decidedAt: string;
  mine: boolean;
  byUser: string | null;
}

/** Names of the members of an account, by their ids. */
export type Names = ReadonlyMap<string, string>;

/** Who said what a change brought. */
export function whoSaid({ mine, byUser }: MemoryChange, names: Names): string {
  return mine ? "you" : (byUser !== null && names.get(byUser)) || "somebody who has left";
}

/** The change by which a line came in; none of a line that was there before changes were noted. */
export function cameWith(fact: string, newestFirst: MemoryChange[]): MemoryChange | undefined {
  return newestFirst.find(({ before, after }) => lines(after).includes(fact) && !lines(before).includes(fact));
}

export function lines(text: string): string[] {
  return text ? text.split("\n") : [];
}

/** The facts with one in place of another, without it for an empty text, or with one more. */
export function withFact(facts: string[], old: string | null, text: string): string[] {
  const line = text.replace(/\s+/g, " ").trim();
  const next = old === null ? [...facts, line] : facts.map((fact) => (fact === old ? line : fact));
  return [...new Set(next.filter(Boolean))];
}

/** What a change did, in a line. */
export function inWords({ before, after, decision }: MemoryChange): string {
  const [was, is] = [lines(before), lines(after)];
  const came = is.filter((line) => !was.includes(line));
  const went = was.filter((line) => !is.includes(line));
  const how = decision === "undo" ? "taken back: " : decision === "auto" ? "kept at once: " : "";
  if (came.length && went.length) return `${how}${quoted(came)} in place of ${quoted(went)}`;
  return came.length ? `${how}${quoted(came)}` : `${how}struck ${quoted(went)}`;
}

function quoted(texts: string[]): string {
  return texts.map((text) => `“${text}”`).join(", ");
}

export const coreMemory = {
  read: () => json<CoreMemory>("/memory/core"),
  changes: async () => (await json<{ changes: MemoryChange[] }>("/memory/core/changes")).changes,
  /** Raises an ApiError, of status 409 when somebody else has written meanwhile. */
  write: (facts: string[], version: number) => written(facts, version),
};

async function written(facts: string[], version: number): Promise<CoreMemory> {
  return json<CoreMemory>("/memory/core", {
    method: "PUT",
    headers: { "Content-Type": "application/json", "If-Match": `"v${version}"` },
    body: JSON.stringify({ text: facts.join("\n") }),
  });
}

/** Whether somebody else has written meanwhile. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}

/** Strike a fact, whatever else has changed meanwhile. */
export async function struck(fact: string): Promise<void> {
  const { text, version } = await coreMemory.read();
  const rest = lines(text).filter((line) => line !== fact);
  if (rest.length < lines(text).length) await coreMemory.write(rest, version);
}
