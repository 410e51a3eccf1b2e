// Made by `python -m server.protocol.typescript` from the models in server/protocol: change those, then run it.

export const PROTOCOL_VERSION = 1;
export const MAX_PROMPT_CHARACTERS = 16000;

export type ClientMessage = StartAnalysis | UserPrompt | CancelTurn | Regenerate | EditPrompt | Feedback | ViewerContext
  | Authenticate | Ping;

export type ServerMessage = ConnectionAck | WaitingForModel | TurnSnapshot | Pong | ProtocolError | ChatError |
  TurnStarted | ModelChunkStart | ModelChunkAppend | ModelTextReset | ToolStart | ToolResult | ToolError | ViewerAction
  | SessionTitle | ModelResponseEnd | TurnCancelled | TurnFailed;

export type TurnEvent = TurnStarted | ModelChunkStart | ModelChunkAppend | ModelTextReset | ToolStart | ToolResult |
  ToolError | ViewerAction | SessionTitle | ModelResponseEnd | TurnCancelled | TurnFailed;

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
  limitType: "session_messages" | "lifetime_analyses" | "monthly_sessions" | null;
  message: string;
  used: number | null;
  limit: number | null;
  planName: string | null;
  resetsAt: string | null;
}

/** One claim of the answer, compared with the turn's tool results and the trace. `start` and `end` are character offsets in the answer; `how` says where a derived value comes from, such as `412 ms of 1.20 s`. */
export interface Check {
  claim: string;
  kind: "number" | "percentage" | "ratio" | "count" | "name" | "window" | "cause";
  status: "verified" | "derived" | "not_found";
  how: string | null;
  toolCallId: string | null;
  start: number;
  end: number;
}

/** A handle that the answer cites, resolved; name, file, line and engine version let a later reader resolve it again. */
export interface Citation {
  handle: string;
  label: string;
  name: string;
  file: string | null;
  line: number | null;
  engineVersion: string;
}

export interface ConnectionAck {
  type: "connection_ack";
  sessionId: string;
  protocol: number;
  opening: Opening;
  history: HistoryMessage[];
  limits: LimitsView;
  running: RunningTurn | null;
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

/** One row of the conversation, as the page shows it. */
export interface HistoryMessage {
  messageId: string;
  turnId: string | null;
  position: number;
  sender: "user" | "model" | "tool_request" | "tool_result" | "tool_error" | "system_event";
  contentText: string;
  contentImageUrl: string | null;
  toolName: string | null;
  toolCallId: string | null;
  toolArgs: Record<string, unknown> | null;
  toolStatus: "success" | "success_with_warning" | "error" | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  feedback: -1 | 0 | 1 | null;
}

/** Where the caller stands; `null` limits are unlimited. */
export interface LimitsView {
  planName: string;
  messagesUsed: number;
  messagesLimit: number | null;
  sessionsUsed: number;
  sessionsLimit: number | null;
  resetsAt: string | null;
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

/** The deterministic start of a session: costs nothing, needs no model. */
export interface Opening {
  summary: string;
  findings: string[];
  suggestions: string[];
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
  code: "turn_in_progress" | "not_supported" | "bad_field" | "unknown_type" | "bad_json" | "not_found" | "busy";
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

/** What the client has of a turn of this session: every event up to `seq`. */
export interface Resume {
  turnId: string;
  seq: number;
}

export interface RunningTurn {
  turnId: string;
  seq: number;
}

export interface SessionTitle {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "session_title";
  title: string;
}

/** Text of the answer so far; `position` orders it among the turn's tool cards. */
export interface SnapshotMessage {
  messageId: string;
  position: number;
  text: string;
}

/** A tool card as it stands: running until it has a status. */
export interface SnapshotTool {
  toolCallId: string;
  toolName: string;
  position: number;
  args: Record<string, unknown>;
  message: string;
  status: "running" | "success" | "success_with_warning" | "error";
  resultType: "text" | "image" | "table" | null;
  textContent: string | null;
  imageUrl: string | null;
  table: Table | null;
  uiPayload: Record<string, unknown> | null;
  truncated: boolean;
}

/** Opens or rejoins a session. Starts a turn only when it carries a prompt. */
export interface StartAnalysis {
  type: "start_analysis";
  traceId: string;
  sessionId: string;
  accessToken?: string | null;
  userId?: string | null;
  prompt?: string | null;
  turnId?: string | null;
  mountedTools?: string[];
  resume?: Resume | null;
}

export interface Table {
  columns: string[];
  rows: ((string | number | null)[])[];
}

export interface ToolError {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "tool_error";
  toolCallId: string;
  toolName: string;
  code: "validation" | "execution" | "unavailable" | "redaction_failed" | "timeout";
  message: string;
}

/** `text_content` is what the model saw. */
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

/** Of one turn; token counts are absent when the provider does not say. `cost` is in US dollars, absent when the price of the model, or what was used, is not known. `model` is the one that answered, as people read it. */
export interface Usage {
  inputTokens: number | null;
  outputTokens: number | null;
  modelCalls: number;
  toolCalls: number;
  cost: number | null;
  model: string | null;
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

/** The agent drives the viewer. `show` brings a thing, a window or a view into sight; `select`, `zoom`, `highlight`, `set_view` and `compare` do that one thing. `trace_id` is the other trace, before which this one is the after. */
export interface ViewerAction {
  turnId: string;
  sessionId: string;
  seq: number;
  type: "viewer_action";
  action: "show" | "select" | "zoom" | "highlight" | "set_view" | "compare";
  handle: string | null;
  window: Window | null;
  view: "time_order" | "left_heavy" | "sandwich" | "diff" | null;
  profile: string | null;
  pattern: string | null;
  traceId: string | null;
}

/** What the person is looking at, sent when it changes. */
export interface ViewerContext {
  type: "viewer_context";
  view?: "time_order" | "left_heavy" | "sandwich" | "diff" | null;
  profile?: string | null;
  selection?: string | null;
  window?: Window | null;
  mountedTools?: string[];
}

/** What the person is looking at. `selection` is a handle; `mounted_tools` are the viewer's own tools that are on the page. */
export interface ViewerState {
  view?: "time_order" | "left_heavy" | "sandwich" | "diff" | null;
  profile?: string | null;
  selection?: string | null;
  window?: Window | null;
  mountedTools?: string[];
}

/** A prompt was accepted; `position` is its place in the queue when others run first. */
export interface WaitingForModel {
  type: "waiting_for_model";
  turnId: string;
  position: number | null;
}

/** A range of a profile's axis, in its unit (nanoseconds for time). */
export interface Window {
  start: number;
  end: number;
}
