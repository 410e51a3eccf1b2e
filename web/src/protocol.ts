// Made by `python -m server.protocol.typescript` from the models in server/protocol: change those, then run it.
import type { AskedOfPage, Check, Citation, HistoryMessage, LimitsView, MemoryState, MountedTool, Opening, OutsideSource, Resume, RunningTurn, SnapshotMessage, SnapshotTool, Table, Usage, ViewerState,
  Window } from "./protocol_values.ts";

export type * from "./protocol_values.ts";
export const PROTOCOL_VERSION = 1;
export const MAX_PROMPT_CHARACTERS = 16000;

export type ClientMessage = StartAnalysis | UserPrompt | CancelTurn | Regenerate | EditPrompt | Feedback | DecideMemory | ViewerContext | ResumeTurn | Authenticate | Ping;

export type ServerMessage = ConnectionAck | WaitingForModel | TurnSnapshot | MemoryProposed | MemoryChanged | GateChanged | LimitsChanged | Pong | ProtocolError | ChatError | TurnStarted |
  ModelChunkStart | ModelChunkAppend | ModelTextReset | ModelReading | ToolStart | ToolProgress | ToolResult | ToolError | ViewerAction | Interrupted | SessionTitle | ModelResponseEnd | TurnCancelled
  | TurnFailed;

export type TurnEvent = TurnStarted | ModelChunkStart | ModelChunkAppend | ModelTextReset | ModelReading | ToolStart | ToolProgress | ToolResult | ToolError | ViewerAction | Interrupted | SessionTitle
  | ModelResponseEnd | TurnCancelled | TurnFailed;

export type TurnEnd = ModelResponseEnd | TurnCancelled | TurnFailed;

export interface Authenticate {
  type: "authenticate";
  accessToken: string;
}

export interface CancelTurn {
  type: "cancel_turn";
  turnId: string;
}

/** Refuses a prompt, or stops a turn in the graph: the client disables its input and shows how to upgrade. */
export interface ChatError {
  type: "chat_error";
  errorCode: "limit_exceeded" | "internal_error" | "config_error";
  limitType: "session_messages" | "lifetime_analyses" | "monthly_sessions" | "monthly_cost" | "monthly_tokens" | null;
  message: string;
  used: number | null;
  limit: number | null;
  planName: string | null;
  resetsAt: string | null;
}

export interface ConnectionAck {
  type: "connection_ack";
  sessionId: string;
  protocol: number;
  opening: Opening;
  history: HistoryMessage[];
  limits: LimitsView;
  running: RunningTurn | null;
  memory: MemoryState | null;
  ignoredTools: string[];
}

/** What the person says of a proposal; `text` is their own for `edit`. `no` takes back what a setting has kept. */
export interface DecideMemory {
  type: "decide_memory";
  proposalId: string;
  decision: "keep" | "edit" | "no";
  text?: string | null;
}

/** As `Regenerate`, with another prompt. */
export interface EditPrompt {
  type: "edit_prompt";
  turnId: string;
  prompt: string;
  newTurnId?: string | null;
  model?: string | null;
}

export interface Feedback {
  type: "feedback";
  messageId: string;
  score: -1 | 0 | 1;
  reason?: string | null;
}

/** A gate of the account has judged an upload, or could not, for the `problem` that it names: said once, to whoever is in a conversation of that account. */
export interface GateChanged {
  type: "gate_changed";
  resultId: string;
  gateId: string;
  gateName: string;
  traceId: string;
  outcome: "held" | "broken" | "not decidable" | null;
  problem: string | null;
}

/** The turn waits for the page: it acts, and answers with `resume`. Nothing of this attempt follows; what does begins with a snapshot. */
export interface Interrupted {
  interruptId: string;
  toolCallId: string;
  toolName: string;
  args: Record<string, unknown>;
  expiresAt: string;
  turnId: string;
  sessionId: string;
  seq: number;
  type: "interrupt";
}

/** 80 or 100 `percent` of a budget for language models are reached, said once: to the person, or where `account_id` names one to the members of that account, and to administrators. Costs are in cents. `user_id` made the call. */
export interface LimitsChanged {
  type: "limits_changed";
  limitType: "monthly_cost" | "monthly_tokens";
  percent: 80 | 100;
  used: number;
  limit: number;
  planName: string;
  resetsAt: string;
  userId: string;
  accountId: string | null;
  message: string;
}

/** What is remembered is another version now; `proposal_id` was decided on, and how, where a decision did it. */
export interface MemoryChanged {
  type: "memory_changed";
  version: number;
  proposalId: string | null;
  decision: "keep" | "edit" | "no" | "auto" | null;
}

/** A turn has proposed that something is remembered: of the session, after the turn's end. */
export interface MemoryProposed {
  proposalId: string;
  turnId: string;
  action: "append" | "replace" | "forget";
  text: string | null;
  old: string | null;
  reason: string;
  decision: "auto" | null;
  type: "memory_proposed";
}

export interface ModelChunkAppend {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "model_chunk_append";
  messageId: string;
  offset: number;
  chunk: string;
}

/** First text of a message. Text is applied at `offset` (in characters), so a replay is harmless. */
export interface ModelChunkStart {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "model_chunk_start";
  messageId: string;
  offset: number;
  chunk: string;
}

/** How much of its prompt the model has read, where its endpoint says so: nothing is said yet. */
export interface ModelReading {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "model_reading";
  tokensRead: number;
  tokensInAll: number;
}

/** `used_facts` are the remembered facts that the answer goes by. */
export interface ModelResponseEnd {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "model_response_end";
  messageId: string;
  usage: Usage;
  citations: Citation[];
  checks: Check[];
  suggestions: string[];
  partial: boolean;
  sources: OutsideSource[];
  usedFacts: string[];
}

/** Truncate the message at `offset`: a retried or resumed model call replaces what follows. */
export interface ModelTextReset {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "model_text_reset";
  messageId: string;
  offset: number;
}

export interface Ping {
  type: "ping";
  nonce: string;
}

export interface Pong {
  type: "pong";
  nonce: string;
}

/** The message was not accepted; the socket stays open. */
export interface ProtocolError {
  type: "protocol_error";
  code: "turn_in_progress" | "not_supported" | "bad_field" | "unknown_type" | "bad_json" | "not_found" | "not_allowed" | "busy";
  message: string;
  field: string | null;
}

/** Answers a prompt again, in the place of the turn it names and of what followed that. `new_turn_id` is the client's idempotency key; the server mints one when it is absent. */
export interface Regenerate {
  type: "regenerate";
  turnId: string;
  newTurnId?: string | null;
  model?: string | null;
}

/** The page's answer to an `interrupt`. `context` is what is on screen now, with the tools that are mounted now; without it those of the prompt stand. */
export interface ResumeTurn {
  type: "resume";
  interruptId: string;
  result: Record<string, unknown>;
  context?: ViewerState | null;
}

export interface SessionTitle {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "session_title";
  title: string;
}

/** Opens or rejoins a session. Starts a turn only when it carries a prompt. */
export interface StartAnalysis {
  type: "start_analysis";
  traceId: string;
  sessionId: string;
  accessToken?: string | null;
  userId?: string | null;
  accountId?: string | null;
  prompt?: string | null;
  turnId?: string | null;
  mountedTools?: (string | MountedTool)[];
  resume?: Resume | null;
}

export interface ToolError {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "tool_error";
  toolCallId: string;
  toolName: string;
  code: "validation" | "execution" | "unavailable" | "redaction_failed" | "timeout" | "memory_not_said" | "would_leak";
  message: string;
}

/** What a tool does that has run for two seconds, said each second: `message` is for people, and where the steps can be counted `done` of `in_all` are behind it. */
export interface ToolProgress {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "tool_progress";
  toolCallId: string;
  toolName: string;
  message: string;
  done: number | null;
  inAll: number | null;
}

/** `text_content` is what the model saw; `number` counts the results of the conversation: addresses of figures name it. */
export interface ToolResult {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "tool_result";
  toolCallId: string;
  toolName: string;
  status: "success" | "success_with_warning";
  resultType: "text" | "image" | "table";
  textContent: string;
  imageUrl: string | null;
  table: Table | null;
  uiPayload: Record<string, unknown> | null;
  truncated: boolean;
  number: number | null;
}

export interface ToolStart {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "tool_start";
  toolCallId: string;
  toolName: string;
  args: Record<string, unknown>;
  message: string;
}

/** `message_id` names the partial answer that was kept, if there was any. */
export interface TurnCancelled {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "turn_cancelled";
  messageId: string | null;
}

export interface TurnFailed {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "turn_failed";
  code: string;
  message: string;
  retryable: boolean;
}

/** Replaces what the client holds of that turn; live events continue from `seq` + 1. */
export interface TurnSnapshot {
  type: "turn_snapshot";
  turnId: string;
  sessionId: string;
  attempt: number;
  seq: number;
  messages: SnapshotMessage[];
  tools: SnapshotTool[];
  interrupt: AskedOfPage | null;
}

export interface TurnStarted {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "turn_started";
  attempt: number;
  model: string;
  promptVersion: string;
}

/** One prompt. `turn_id` is the client's idempotency key; the server mints one when it is absent. */
export interface UserPrompt {
  type: "user_prompt";
  sessionId: string;
  prompt: string;
  turnId?: string | null;
  traceId?: string | null;
  userId?: string | null;
  model?: string | null;
  mode?: "reject" | "queue";
  context?: ViewerState | null;
}

/** The agent drives the viewer. `show` brings a thing, a window or a view into sight; `select`, `zoom`, `highlight`, `set_view`, `compare` and `set_filter` do that one thing. `trace_id` is the other trace, before which this one is the after; `filter` is a transform of the call tree as a link has it, empty for none. */
export interface ViewerAction {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "viewer_action";
  action: "show" | "select" | "zoom" | "highlight" | "set_view" | "compare" | "set_filter";
  handle: string | null;
  window: Window | null;
  view: "time_order" | "left_heavy" | "sandwich" | "diff" | null;
  profile: string | null;
  pattern: string | null;
  traceId: string | null;
  filter: string | null;
}

/** What the person is looking at, sent when it changes. */
export interface ViewerContext {
  type: "viewer_context";
  view?: "time_order" | "left_heavy" | "sandwich" | "diff" | null;
  profile?: string | null;
  selection?: string | null;
  window?: Window | null;
  mountedTools?: (string | MountedTool)[];
  colours?: "file" | "package" | "category" | "owner" | "role" | "warm" | "ice" | "safe";
}

/** A prompt was accepted; `position` is its place in the queue when others run first, `requestId` finds it in the log. */
export interface WaitingForModel {
  type: "waiting_for_model";
  turnId: string;
  position: number | null;
  requestId: string | null;
}
