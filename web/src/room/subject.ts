/** What an answer is about: the first thing of the trace that its text links to, and in which thread. */
import { parseAddress, placeOf, profileOf } from "../chat/addresses.ts";
import { answerOf, type Turn } from "../chat/turn.ts";
import { inItsProfile } from "./mentions.ts";

export interface Subject {
  handle: string;
  /** The thread that the link names. */
  profile: string | null;
}

const LINK = /\]\(#?([^()\s]{1,100})\)/g;
const HANDLE = /^[fpns]\d{1,10}$/;

/** Functions, paths and calls before threads; null for an answer that links to nothing of the trace. */
export function subjectOf(turn: Turn): Subject | null {
  const cited = new Set(turn.citations?.map((citation) => citation.handle));
  const text = turn.parts.find((part) => part.kind === "text" && part.messageId === answerOf(turn));
  if (text?.kind !== "text") return null;
  const found = linksOf(text.text).filter(({ handle, profile }) => cited.has(handle) || profile);
  return found.find(({ handle }) => !handle.startsWith("p")) ?? found[0] ?? null;
}

/** Where a click on a link goes that names a thing of the trace. */
export function addressIn(turn: Turn | undefined, { handle, profile }: Subject): string {
  if (profile) return `${profile}.${handle}`;
  return turn ? inItsProfile(turn, handle) : handle;
}

/** Where all links of a turn's texts go, so that one request asks for all places. */
export function addressesOf(turn: Turn): string[] {
  const linked = turn.parts.flatMap((part) => (part.kind === "text" ? linksOf(part.text) : []));
  const cited = turn.citations?.map(({ handle }) => ({ handle, profile: null })) ?? [];
  const placed = turn.checks.flatMap(({ place }) => place ?? []);
  return [...new Set([...cited, ...linked, ...placed].map((one) => addressIn(turn, one)))];
}

function linksOf(text: string): Subject[] {
  return [...text.matchAll(LINK)].flatMap(([, link]) => linked(link!) ?? []);
}

function linked(link: string): Subject | null {
  if (HANDLE.test(link)) return { handle: link, profile: null };
  const address = parseAddress(link);
  const handle = "error" in address ? null : placeOf(address);
  if ("error" in address || !handle) return null;
  const profile = profileOf(address);
  return { handle, profile: profile === handle ? null : profile };
}
