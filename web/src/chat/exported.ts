/** A conversation as text that is read elsewhere: links lead to the page, pictures are addresses, nothing is rendered. */
import type { Check } from "../protocol.ts";
import { bareClaim, checksSentence } from "./checks_sentence.ts";
import { claimsOf, claimsOfBlocks, verdict, type Claim } from "./claims.ts";
import { blocksOf } from "./markdown.ts";
import { escapedLine, escapedPrompt, plainMarkdown } from "./plain_markdown.ts";
import { answerOf, hasEnded, type TextPart, type Turn } from "./turn.ts";

export interface ExportedNote {
  /** What it is on. */
  name: string;
  text: string;
  address: string;
}

export interface Exported {
  title: string;
  traceName: string;
  /** The page of the conversation, without a fragment. */
  address: string;
  turns: Turn[];
  /** What people wrote on the trace. */
  notes: ExportedNote[];
  /** An address that draws the trace's chart; null where there is none. */
  chart: string | null;
}

export function exportedMarkdown(exported: Exported): string {
  const { title, traceName, address, turns } = exported;
  const parts = [`# ${escapedLine(title)}`, `Trace: [${escapedLine(traceName)}](${address})`];
  for (const turn of turns) {
    if (turn.prompt !== null) parts.push(quoted(escapedPrompt(turn.prompt)));
    parts.push(...answerParts(turn, address), ...picturesOf(turn, address).slice(-1), ...notesOf(turn));
    const open = turn.checks.filter((check) => check.status === "unchecked");
    if (open.length > 0) parts.push(open.map((check) => `- ${claimLine(check)}`).join("\n"));
  }
  if (exported.notes.length > 0) parts.push("## Notes", exported.notes.map(noteMarkdown).join("\n"));
  return parts.join("\n\n") + "\n";
}

function noteMarkdown({ name, text, address }: ExportedNote): string {
  return `- [${escapedLine(name)}](${address}): ${escapedLine(text)}`;
}

/** One answer, as it is pasted anywhere. */
export function answerMarkdown(turn: Turn, address: string): string {
  return [...answerParts(turn, address), ...notesOf(turn)].join("\n\n");
}

/** One answer for a review: with its question, what became of its claims, and where to read on. No picture: a review cannot load it. */
export function reviewMarkdown(turn: Turn, traceName: string, address: string): string {
  return [
    ...(turn.prompt === null ? [] : [quoted(escapedPrompt(turn.prompt))]),
    ...answerParts(turn, address),
    ...notesOf(turn),
    `Trace: [${escapedLine(traceName)}](${address})`,
  ].join("\n\n");
}

/** Everything that the page knows of each turn; a text part's `source` is what the checks count characters of. */
export function exportedJson({ title, traceName, address, turns, notes }: Exported): string {
  const entries = turns.map((turn) => ({
    turnId: turn.turnId,
    prompt: turn.prompt,
    status: hasEnded(turn) ? turn.status : "unfinished",
    model: turn.model,
    promptVersion: turn.promptVersion,
    parts: turn.parts.map((part) =>
      part.kind === "text"
        ? { kind: part.kind, messageId: part.messageId, text: textOf(turn, part, address), source: part.text }
        : { ...part, imageUrl: part.imageUrl && new URL(part.imageUrl, address).href },
    ),
    checks: turn.checks,
    checked: checksSentence(turn.checks),
    citations: turn.citations?.map((citation) => ({ ...citation, address: `${address}#${citation.handle}` })) ?? null,
    usage: turn.usage,
    failure: turn.failure,
  }));
  return JSON.stringify({ title, trace: traceName, address, turns: entries, notes }, null, 2) + "\n";
}

/** How a turn ended where it has no answer, or only a part of one. */
export function endingOf(turn: Turn): string | null {
  if (turn.failure) return turn.failure.message;
  if (turn.status === "cancelled") return "Stopped before its end.";
  if (turn.status !== "completed") return "This answer was still being written.";
  return turn.partial ? "This answer was cut short." : null;
}

/** The claims of a text part by its blocks; only the answer itself was checked. */
export function claimsOfPart(turn: Turn, part: TextPart): Claim[][] {
  if (part.messageId !== answerOf(turn)) return [];
  return claimsOfBlocks(blocksOf(part.text), claimsOf(part.text, turn.checks));
}

/** What a turn may cite; null while that is not known. */
export function handlesOf(turn: Turn): ReadonlySet<string> | null {
  return turn.citations && new Set(turn.citations.map((citation) => citation.handle));
}

/** "40 ms: Not so. The trace says: 12 ms." */
function claimLine(check: Check): string {
  return `${escapedLine(bareClaim(check.claim))}: ${escapedLine(verdict(check))}`;
}

function answerParts(turn: Turn, address: string): string[] {
  return turn.parts.flatMap((part) => (part.kind === "text" ? [textOf(turn, part, address)] : []));
}

function textOf(turn: Turn, part: TextPart, address: string): string {
  return plainMarkdown(part.text, address, claimsOfPart(turn, part), handlesOf(turn));
}

function picturesOf(turn: Turn, address: string): string[] {
  return turn.parts.flatMap((part) =>
    part.kind === "tool" && part.imageUrl ? [`![Flamegraph](${new URL(part.imageUrl, address).href})`] : [],
  );
}

function notesOf(turn: Turn): string[] {
  const sentence = checksSentence(turn.checks);
  const ending = endingOf(turn);
  return [
    ...(ending ? [`_${escapedLine(ending)}_`] : []),
    ...(sentence ? [`_Against the trace: ${escapedLine(sentence)}._`] : []),
  ];
}

function quoted(text: string): string {
  return text.replace(/^/gm, "> ");
}
