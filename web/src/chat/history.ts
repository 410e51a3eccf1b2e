/** Stored messages become turns again, as they looked when they ended. */
import type { Check, Citation, HistoryMessage, OutsideSource, Table, Usage } from "../protocol.ts";
import { codePoints } from "./code_points.ts";
import { emptyTool, newTurn, ofTrace, type ToolPart, type Turn } from "./turn.ts";

const NO_ANSWER = "no_answer";

/** What the server stores with an answer. */
interface AnswerMetadata {
  model?: string;
  promptVersion?: string;
  usage?: Usage;
  checks?: Check[];
  citations?: Citation[];
  suggestions?: string[];
  sources?: OutsideSource[];
  usedFacts?: string[];
  partial?: boolean;
}

export function turnsOf(history: HistoryMessage[]): Turn[] {
  const turns = new Map<string, Turn>();
  for (const message of history) {
    const turnId = message.turnId ?? message.messageId;
    let turn = turns.get(turnId);
    if (!turn) turns.set(turnId, (turn = { ...newTurn(turnId, null, "completed"), isStored: true }));
    add(turn, message);
  }
  return [...turns.values()].map(withoutAnswerIsFailed);
}

/** The last turn of a history that neither has an answer nor a note of how it ended: accepted, and not started yet. */
export function unendedIn(history: HistoryMessage[]): string | null {
  const turnId = [...new Set(history.map((message) => message.turnId))].findLast((id) => id !== null);
  const [last] = turnsOf(history.filter((message) => message.turnId === turnId));
  return last?.failure?.code === NO_ANSWER ? last.turnId : null;
}

function add(turn: Turn, message: HistoryMessage): void {
  switch (message.sender) {
    case "user":
      turn.prompt = message.contentText;
      break;
    case "model":
      if (message.contentText) {
        turn.parts.push({
          kind: "text",
          messageId: message.messageId,
          text: message.contentText,
          length: codePoints(message.contentText),
        });
      }
      describe(turn, message.metadata as AnswerMetadata);
      turn.feedback = message.feedback;
      break;
    case "tool_request":
      Object.assign(toolOf(turn, message), { args: message.toolArgs ?? {}, message: message.contentText });
      break;
    case "tool_result":
      Object.assign(toolOf(turn, message), {
        status: message.toolStatus ?? "success",
        text: message.contentText,
        imageUrl: message.contentImageUrl,
        truncated: message.metadata.truncated === true,
        table: (message.metadata.table as Table | undefined) ?? null,
        shows: (message.metadata.ui_payload as Record<string, unknown> | undefined) ?? null,
        ...(message.toolArgs ? { args: message.toolArgs } : {}),
      });
      break;
    case "tool_error":
      Object.assign(toolOf(turn, message), { status: "error", text: message.contentText });
      break;
    case "system_event":
      ended(turn, message);
      break;
  }
}

/** A turn that did not complete leaves a note of how it ended; a prompt that was refused leaves a note alone. */
function ended(turn: Turn, note: HistoryMessage): void {
  if (note.metadata.event === "turn_cancelled") turn.status = "cancelled";
  if (note.metadata.event !== "turn_failed" && note.metadata.event !== "prompt_refused") return;
  const code = String(note.metadata.code ?? "failed");
  turn.status = "failed";
  turn.failure = { code, message: note.contentText, retryable: code !== "limit_exceeded" };
}

function describe(turn: Turn, metadata: AnswerMetadata): void {
  turn.model = metadata.model ?? turn.model;
  turn.promptVersion = metadata.promptVersion ?? turn.promptVersion;
  turn.usage = metadata.usage ?? turn.usage;
  turn.checks = metadata.checks ?? turn.checks;
  turn.citations = metadata.citations ? ofTrace(metadata.citations) : turn.citations;
  turn.suggestions = metadata.suggestions ?? turn.suggestions;
  turn.sources = metadata.sources ?? turn.sources;
  turn.usedFacts = metadata.usedFacts ?? turn.usedFacts;
  turn.partial = metadata.partial ?? turn.partial;
}

function toolOf(turn: Turn, message: HistoryMessage): ToolPart {
  const toolCallId = message.toolCallId ?? message.messageId;
  const existing = turn.parts.find((part) => part.kind === "tool" && part.toolCallId === toolCallId);
  if (existing?.kind === "tool") return existing;
  const tool = emptyTool(toolCallId, message.toolName ?? "tool");
  turn.parts.push(tool);
  return tool;
}

/** A tool without result was stopped with its turn; a prompt without anything stored got no answer. */
function withoutAnswerIsFailed(turn: Turn): Turn {
  const parts = turn.parts.map((part) =>
    part.kind === "tool" && part.status === "running" ? { ...part, status: "stopped" as const } : part,
  );
  if (parts.some((part) => part.kind === "text") || turn.status === "cancelled" || turn.failure)
    return { ...turn, parts };
  const message = "This question ended without an answer.";
  return { ...turn, parts, status: "failed", failure: { code: NO_ANSWER, message, retryable: true } };
}
