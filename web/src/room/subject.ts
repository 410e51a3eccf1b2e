/** What an answer is about: the first thing of the trace that its text links to, and in which thread. */
import { parseAddress, placeOf, profileOf } from "../chat/addresses.ts";
import { answerOf, type Turn } from "../chat/turn.ts";

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
  const found = [...text.text.matchAll(LINK)].flatMap(([, link]) => {
    const subject = linked(link!);
    return subject && (cited.has(subject.handle) || subject.profile) ? [subject] : [];
  });
  return found.find(({ handle }) => !handle.startsWith("p")) ?? found[0] ?? null;
}

function linked(link: string): Subject | null {
  if (HANDLE.test(link)) return { handle: link, profile: null };
  const address = parseAddress(link);
  const handle = "error" in address ? null : placeOf(address);
  if ("error" in address || !handle) return null;
  const profile = profileOf(address);
  return { handle, profile: profile === handle ? null : profile };
}
