/** A question with everything until its answer is complete, and how the events of the wire change it. */
import type {
  AskedOfPage,
  Check,
  Citation,
  ModelResponseEnd,
  OutsideSource,
  Table,
  TurnEvent,
  Usage,
} from "../protocol.ts";
import { codePoints, keepCodePoints } from "./code_points.ts";

export interface TextPart {
  kind: "text";
  messageId: string;
  text: string;
  /** Length in code points: the wire counts characters as Python does. */
  length: number;
}

export interface ToolPart {
  kind: "tool";
  toolCallId: string;
  toolName: string;
  args: Record<string, unknown>;
  /** What the tool is doing, in words. */
  message: string;
  status: "running" | "success" | "success_with_warning" | "error" | "stopped";
  text: string | null;
  imageUrl: string | null;
  table: Table | null;
  /** What its tool says that it shows. */
  shows: Record<string, unknown> | null;
  truncated: boolean;
}

export type Part = TextPart | ToolPart;
export type TurnStatus = "sending" | "waiting" | "running" | "completed" | "cancelled" | "failed";

/** The turn whose place another one takes, and how. */
export interface Replaces {
  turnId: string;
  how: "regenerate" | "edit_prompt";
}

export interface Turn {
  turnId: string;
  prompt: string | null;
  status: TurnStatus;
  /** Place in the server's queue while it waits. */
  position: number | null;
  /** Last event applied. */
  seq: number;
  parts: Part[];
  /** Tokens of its prompt that the model has read, and all, while nothing else comes. */
  reading: { read: number; of: number } | null;
  /** What it waits for. */
  asked: AskedOfPage | null;
  model: string | null;
  promptVersion: string | null;
  checks: Check[];
  /** What the answer cites and the trace has; null until that is known. */
  citations: Citation[] | null;
  suggestions: string[];
  /** Whom the answer asked outside. */
  sources: OutsideSource[];
  /** Remembered facts that the answer goes by. */
  usedFacts: string[];
  usage: Usage | null;
  partial: boolean;
  failure: { code: string; message: string; retryable: boolean } | null;
  replaces: Replaces | null;
  /** The server has stored it and it has ended: it can be answered again. */
  isStored: boolean;
  /** What the person thought of the answer. */
  feedback: -1 | 0 | 1 | null;
}

export function newTurn(turnId: string, prompt: string | null, status: TurnStatus): Turn {
  return {
    turnId,
    prompt,
    status,
    position: null,
    seq: 0,
    parts: [],
    reading: null,
    asked: null,
    model: null,
    promptVersion: null,
    checks: [],
    citations: null,
    suggestions: [],
    sources: [],
    usedFacts: [],
    usage: null,
    partial: false,
    failure: null,
    replaces: null,
    isStored: false,
    feedback: null,
  };
}

/** The message that people judge: the last that was said. */
export function answerOf(turn: Turn): string | null {
  return turn.parts.findLast((part) => part.kind === "text")?.messageId ?? null;
}

export function hasEnded(turn: Turn): boolean {
  return turn.status === "completed" || turn.status === "cancelled" || turn.status === "failed";
}

/** The turn after an event in its order; null when its text does not fit, which also means that something was missed. */
export function applied(before: Turn, next: TurnEvent): Turn | null {
  const turn = before.reading || before.asked ? { ...before, reading: null, asked: null } : before;
  switch (next.type) {
    case "turn_started":
      return { ...turn, model: next.model, promptVersion: next.promptVersion };
    case "model_chunk_start":
    case "model_chunk_append":
      return withText(turn, next.messageId, next.offset, next.chunk);
    case "model_text_reset":
      return withText(turn, next.messageId, next.offset, "");
    case "model_reading":
      return { ...turn, reading: { read: next.tokensRead, of: next.tokensInAll } };
    case "tool_start":
      return withTool(turn, next.toolCallId, next.toolName, { args: next.args, message: next.message });
    case "tool_progress":
      return withTool(turn, next.toolCallId, next.toolName, {
        message: next.inAll === null ? next.message : `${next.message}: ${next.done ?? 0} of ${next.inAll}`,
      });
    case "tool_result":
      return withTool(turn, next.toolCallId, next.toolName, {
        status: next.status,
        text: next.textContent,
        imageUrl: next.imageUrl,
        table: next.table,
        shows: next.uiPayload,
        truncated: next.truncated,
      });
    case "tool_error":
      return withTool(turn, next.toolCallId, next.toolName, { status: "error", text: next.message });
    case "interrupt": {
      const { interruptId, toolCallId, toolName, args, expiresAt } = next;
      return { ...turn, asked: { interruptId, toolCallId, toolName, args, expiresAt } };
    }
    case "viewer_action":
    case "session_title":
      return turn;
    case "model_response_end":
      return completed(turn, next);
    case "turn_cancelled":
      return { ...turn, status: "cancelled", isStored: true, parts: turn.parts.map(stopped) };
    case "turn_failed":
      return {
        ...turn,
        status: "failed",
        isStored: next.code !== "not_stored",
        parts: turn.parts.map(stopped),
        failure: { code: next.code, message: next.message, retryable: next.retryable },
      };
    default: // of a newer server
      return turn;
  }
}

function completed(turn: Turn, end: ModelResponseEnd): Turn {
  return {
    ...turn,
    status: "completed",
    isStored: true,
    usage: end.usage,
    checks: end.checks,
    citations: ofTrace(end.citations),
    suggestions: end.suggestions,
    partial: end.partial,
    sources: end.sources ?? [],
    usedFacts: end.usedFacts ?? [],
  };
}

/** Those of places in the trace; documents stand among the sources. */
export function ofTrace(citations: Citation[]): Citation[] {
  return citations.filter((one) => one.kind !== "document");
}

function stopped(part: Part): Part {
  return part.kind === "tool" && part.status === "running" ? { ...part, status: "stopped" } : part;
}

/** Text up to `offset` code points is kept and `chunk` follows it, whitespace and all. */
function withText(turn: Turn, messageId: string, offset: number, chunk: string): Turn | null {
  const index = turn.parts.findIndex((part) => part.kind === "text" && part.messageId === messageId);
  const existing = turn.parts[index];
  const before = existing?.kind === "text" ? existing : { kind: "text" as const, messageId, text: "", length: 0 };
  if (offset > before.length) return null;
  const kept = offset === before.length ? before.text : keepCodePoints(before.text, offset);
  const part: TextPart = { ...before, text: kept + chunk, length: offset + codePoints(chunk) };
  return { ...turn, parts: existing ? turn.parts.with(index, part) : [...turn.parts, part] };
}

function withTool(turn: Turn, toolCallId: string, toolName: string, change: Partial<ToolPart>): Turn {
  const index = turn.parts.findIndex((part) => part.kind === "tool" && part.toolCallId === toolCallId);
  const existing = turn.parts[index];
  const before = existing?.kind === "tool" ? existing : emptyTool(toolCallId, toolName);
  const part: ToolPart = { ...before, ...change };
  return { ...turn, parts: existing ? turn.parts.with(index, part) : [...turn.parts, part] };
}

export function emptyTool(toolCallId: string, toolName: string): ToolPart {
  return {
    kind: "tool",
    toolCallId,
    toolName,
    args: {},
    message: "",
    status: "running",
    text: null,
    imageUrl: null,
    table: null,
    shows: null,
    truncated: false,
  };
}
