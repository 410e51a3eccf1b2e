/** The state of a conversation on the page, and the pure rules by which messages of the wire change it. */
import type {
  ChatError,
  ConnectionAck,
  GateChanged,
  HistoryMessage,
  LimitsView,
  Opening,
  ProposedFact,
  ProtocolError,
  ServerMessage,
  TurnEvent,
  TurnSnapshot,
  ViewerAction,
} from "../protocol.ts";
import { codePoints } from "./code_points.ts";
import { earliestOf, turnsBefore, withEarlier } from "./earlier.ts";
import { turnsOf, unendedIn } from "./history.ts";
import { applied, hasEnded, newTurn, type Part, type Replaces, type Turn } from "./turn.ts";

export type Decision = "keep" | "edit" | "no" | "auto";

/** What an answer proposes to remember, and what became of it. */
export type Proposal = ProposedFact & { outcome: Decision | null };

export interface Conversation {
  sessionId: string;
  opening: Opening | null;
  limits: LimitsView | null;
  title: string | null;
  turns: Turn[];
  /** The messages of the earliest turn that the server has sent. */
  earliest: HistoryMessage[];
  /** A limit or a setting that refuses prompts. */
  refusal: ChatError | null;
  /** The last thing the server would not accept. */
  notice: string | null;
  /** Something was missed: the session has to be rejoined to get a snapshot. */
  needsResync: boolean;
  /** What the agent has asked of the chart since the page was opened, in order. */
  viewerActions: ViewerAction[];
  proposals: Proposal[];
  /** The last upload of the account, of whatever recording, that broke a gate while the page is open. */
  brokenGate: GateChanged | null;
}

/** An event that says which one it follows: on Realtime text is merged, and numbers leap. */
export type FollowedEvent = TurnEvent & { follows?: number };

export type Action =
  | ServerMessage
  | FollowedEvent
  | { type: "prompted"; turnId: string; prompt: string; replaces?: Replaces }
  | { type: "rated"; turnId: string; score: -1 | 0 | 1 }
  | { type: "earlier_loaded"; messages: HistoryMessage[] }
  | { type: "limit_lifted" }
  | { type: "notice_read" }
  | { type: "broken_gate_read" };

export function emptyConversation(sessionId: string): Conversation {
  return {
    sessionId,
    opening: null,
    limits: null,
    title: null,
    turns: [],
    earliest: [],
    refusal: null,
    notice: null,
    needsResync: false,
    viewerActions: [],
    proposals: [],
    brokenGate: null,
  };
}

/** The turn that is on its way, if any: there is at most one. */
export function runningTurn(conversation: Conversation): Turn | null {
  return conversation.turns.find((turn) => !hasEnded(turn)) ?? null;
}

/** The conversation after one message; the same object when nothing changed. */
export function reduce(state: Conversation, action: Action): Conversation {
  switch (action.type) {
    case "prompted":
      return prompted(state, action.turnId, action.prompt, action.replaces ?? null);
    case "rated":
      return changeTurn(state, action.turnId, (turn) => ({ ...turn, feedback: action.score }));
    case "earlier_loaded":
      return {
        ...state,
        turns: withEarlier(state.turns, action.messages, state.earliest),
        earliest: action.messages.length ? earliestOf(action.messages) : [],
      };
    case "limit_lifted":
      return state.refusal === null ? state : { ...state, refusal: null };
    case "notice_read":
      return state.notice === null ? state : { ...state, notice: null };
    case "broken_gate_read":
      return { ...state, brokenGate: null };
    case "connection_ack":
      return acknowledged(state, action);
    case "waiting_for_model":
      return changeTurn(state, action.turnId, (turn) =>
        hasEnded(turn) || turn.status === "running" ? turn : { ...turn, status: "waiting", position: action.position },
      );
    case "turn_snapshot":
      return snapshot(state, action);
    case "protocol_error":
      return refused(state, action);
    case "chat_error":
      return failUnsent({ ...state, refusal: action }, action.errorCode, "This question was not accepted.", false);
    case "memory_proposed":
      return { ...state, proposals: [...without(state.proposals, action.proposalId), proposal(action)] };
    case "memory_changed":
      return {
        ...state,
        proposals: state.proposals.map((one) =>
          one.proposalId === action.proposalId ? { ...one, outcome: action.decision } : one,
        ),
      };
    case "limits_changed":
      return { ...state, notice: action.message };
    case "gate_changed":
      return action.outcome === "broken" ? { ...state, brokenGate: action } : state;
    case "pong":
      return state;
    default:
      return event(state, action);
  }
}

function proposal({ proposalId, turnId, action, text, old, reason, decision }: ProposedFact): Proposal {
  return { proposalId, turnId, action, text, old, reason, decision, outcome: decision };
}

function without(proposals: Proposal[], proposalId: string): Proposal[] {
  return proposals.filter((one) => one.proposalId !== proposalId);
}

/** Those that wait are the server's; of the others the page knows what became of them. */
function proposalsOf(state: Conversation, ack: ConnectionAck): Proposal[] {
  const open = (ack.memory?.proposals ?? []).map(proposal);
  const ids = new Set(open.map((one) => one.proposalId));
  const decided = state.proposals.filter((one) => one.outcome !== null && !ids.has(one.proposalId));
  return [...decided, ...open];
}

function prompted(state: Conversation, turnId: string, prompt: string, replaces: Replaces | null): Conversation {
  const turn = { ...newTurn(turnId, prompt, "sending"), replaces };
  return { ...state, notice: null, turns: [...standing(state.turns, replaces), turn] };
}

/** What is left when a turn goes with all that followed it. */
function standing(turns: Turn[], replaces: Replaces | null): Turn[] {
  const place = turns.findIndex((turn) => turn.turnId === replaces?.turnId);
  return place < 0 ? turns : turns.slice(0, place);
}

/** History is the truth for every ended turn; a turn on its way keeps what is known of it until its snapshot comes. */
function acknowledged(state: Conversation, ack: ConnectionAck): Conversation {
  const waiting = ack.running ? null : unendedIn(ack.history);
  let turns = turnsOf(ack.history).map((turn) => {
    if (turn.turnId === waiting) return { ...turn, status: "waiting" as const, failure: null, isStored: false };
    if (turn.turnId !== ack.running?.turnId) return turn;
    const existing = state.turns.find((known) => known.turnId === turn.turnId);
    return {
      ...(existing ?? { ...turn, parts: [] }),
      prompt: turn.prompt,
      status: existing?.status === "waiting" ? ("waiting" as const) : ("running" as const),
      failure: null,
      isStored: false,
    };
  });
  const before = turnsBefore(state.turns, turns);
  turns = [...before, ...turns.filter((turn) => turn.turnId !== before.at(-1)?.turnId)];
  for (const existing of state.turns) {
    const isHere = turns.some((turn) => turn.turnId === existing.turnId);
    if (!isHere && (existing.status === "sending" || existing.turnId === ack.running?.turnId))
      turns = [...standing(turns, existing.replaces), existing];
  }
  if (ack.running && !turns.some((turn) => turn.turnId === ack.running?.turnId))
    turns.push(newTurn(ack.running.turnId, null, "running"));
  return {
    ...state,
    opening: ack.opening,
    limits: ack.limits,
    turns,
    earliest: before.length ? state.earliest : ack.history.length ? earliestOf(ack.history) : [],
    proposals: proposalsOf(state, ack),
    needsResync: false,
  };
}

function snapshot(state: Conversation, shot: TurnSnapshot): Conversation {
  const parts: [number, Part][] = [
    ...shot.messages.map((message): [number, Part] => [
      message.position,
      { kind: "text", messageId: message.messageId, text: message.text, length: codePoints(message.text) },
    ]),
    ...shot.tools.map((tool): [number, Part] => [
      tool.position,
      {
        kind: "tool",
        toolCallId: tool.toolCallId,
        toolName: tool.toolName,
        args: tool.args,
        message: tool.message,
        status: tool.status,
        text: tool.textContent,
        imageUrl: tool.imageUrl,
        table: tool.table,
        shows: tool.uiPayload,
        truncated: tool.truncated,
      },
    ]),
  ];
  parts.sort((a, b) => a[0] - b[0]);
  const known = state.turns.some((turn) => turn.turnId === shot.turnId);
  if (!known && runningTurn(state)) return state; // late, of one that was replaced; of another its next event is a gap
  const turns = known ? state.turns : [...state.turns, newTurn(shot.turnId, null, "running")];
  return changeTurn({ ...state, turns }, shot.turnId, (turn) =>
    hasEnded(turn)
      ? turn
      : {
          ...turn,
          seq: shot.seq,
          status: "running",
          asked: shot.interrupt ?? null,
          parts: parts.map((pair) => pair[1]),
        },
  );
}

function refused(state: Conversation, error: ProtocolError): Conversation {
  if (error.field === "interruptId") return state; // another tab was first
  const retryable = error.code === "busy" || error.code === "turn_in_progress";
  return failUnsent({ ...state, notice: error.message }, error.code, error.message, retryable);
}

/** A refusal names no turn: it answers the prompt that is still unanswered. */
function failUnsent(state: Conversation, code: string, message: string, retryable: boolean): Conversation {
  const unsent = state.turns.findLast((turn) => turn.status === "sending" || turn.status === "waiting");
  if (!unsent) return state;
  if (unsent.replaces)
    // what it was to replace stands: only the server still knows it
    return { ...state, turns: state.turns.filter((turn) => turn !== unsent), needsResync: true };
  return changeTurn(state, unsent.turnId, (turn) => ({
    ...turn,
    status: "failed",
    failure: { code, message, retryable },
  }));
}

function changeTurn(state: Conversation, turnId: string, change: (turn: Turn) => Turn): Conversation {
  const index = state.turns.findIndex((turn) => turn.turnId === turnId);
  const turn = state.turns[index];
  if (!turn) return { ...state, needsResync: true };
  const changed = change(turn);
  return changed === turn ? state : { ...state, turns: state.turns.with(index, changed) };
}

/** Events are numbered within a turn: an old number is a duplicate, one that does not follow means that something was missed. */
function event(state: Conversation, next: FollowedEvent): Conversation {
  const existing = state.turns.find((turn) => turn.turnId === next.turnId);
  if (!existing) return { ...state, needsResync: true };
  if (hasEnded(existing) || next.seq <= existing.seq) return state;
  if (existing.seq < (next.follows ?? next.seq - 1)) return { ...state, needsResync: true };
  const turn = applied({ ...existing, seq: next.seq, status: "running", position: null }, next);
  if (!turn) return { ...state, needsResync: true };
  const changed = changeTurn(state, next.turnId, () => turn);
  if (next.type === "session_title") return { ...changed, title: next.title };
  if (next.type === "turn_failed" && existing.replaces) return { ...changed, needsResync: true }; // what it replaced is back
  if (next.type === "viewer_action") return { ...changed, viewerActions: [...changed.viewerActions, next] };
  return changed;
}
