// Made by `python -m server.protocol.typescript` from the models in server/protocol: change those, then run it.

/** A call of another server's tool, with all that would leave. */
export interface ApproveCallArgs {
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
}

/** Whether this one call may be made. */
export interface ApproveCallResult {
  status: "allowed" | "declined";
}

export interface AskPersonArgs {
  question: string;
  choices: string[];
}

/** One of the choices, or the person's own words. */
export interface AskPersonResult {
  status: "answered" | "declined";
  answer?: string | null;
}

/** What a turn waits for: the answer of a page to one call of a tool, until `expires_at`. `args` are by the tool's schema. */
export interface AskedOfPage {
  interruptId: string;
  toolCallId: string;
  toolName: string;
  args: Record<string, unknown>;
  expiresAt: string;
}

/** One claim of the answer, compared with the turn's tool results and the trace. `start` and `end` are character offsets in the answer; `how` says where a value comes from, such as `412 ms of 1.20 s`. `actual` is what the trace says instead of a claim that it contradicts. `address` is that of a figure which is a link, where it resolves: verified, it is exact by reference. `place` is where such a figure is in the chart, when its address does not say. `external` is a figure of another source, which the trace does not verify. */
export interface Check {
  claim: string;
  kind: "number" | "percentage" | "ratio" | "count" | "name" | "window" | "cause" | "relation";
  status: "verified" | "derived" | "contradicted" | "unchecked" | "not_found" | "external";
  how: string | null;
  actual: string | null;
  address: string | null;
  place: FigurePlace | null;
  toolCallId: string | null;
  start: number;
  end: number;
}

/** A handle that the answer cites, resolved; name, file, line and engine version let a later reader resolve it again. Of `kind` `document` it is a passage (`k17`) of the `document`, under its `heading`, and no place in the trace. */
export interface Citation {
  kind: "trace" | "document";
  handle: string;
  label: string;
  name: string;
  file: string | null;
  line: number | null;
  engineVersion: string;
  document: string | null;
  heading: string | null;
}

/** Where a figure is in the chart: a handle, its profile, and the window in which it was measured. */
export interface FigurePlace {
  handle: string;
  profile: string | null;
  window: Window | null;
}

/** What a gate of the account found broken of the trace, as Markdown, by rule and without a model; `before` is the newest of the runs that it was judged by, where that is still there. */
export interface GateOpening {
  resultId: string;
  gateName: string;
  text: string;
  beforeTraceId: string | null;
  beforeName: string | null;
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

/** The version of what is remembered, and what of this conversation the person can decide on. */
export interface MemoryState {
  version: number;
  proposals: ProposedFact[];
}

/** A viewer's tool on a page that answers. `context` is what the page says of it: data for the model, at most 2 kB as JSON; of `read_view` it is a ShownView. */
export interface MountedTool {
  name: string;
  version: number;
  context?: Record<string, unknown> | null;
}

/** One step of the chart, as in `viewer_action`. */
export interface NavigateArgs {
  action: "set_view" | "zoom" | "select" | "highlight" | "compare";
  handle: string | null;
  window: ShownWindow | null;
  view: "time_order" | "left_heavy" | "sandwich" | "diff" | null;
  profile: string | null;
  pattern: string | null;
  traceId: string | null;
}

/** `view` is what the chart shows afterwards, `problem` why it is not what was asked for. */
export interface NavigateResult {
  status: "shown" | "not_shown";
  view?: ShownView | null;
  problem?: string | null;
}

export interface OfferedTrace {
  traceId: string;
  name: string;
  created: string;
}

/** The deterministic start of a session: costs nothing, needs no model. */
export interface Opening {
  summary: string;
  findings: string[];
  suggestions: string[];
  gate: GateOpening | null;
}

/** Who outside the trace was asked for an answer, and answered: a site, a page, another server, a repository; or a document that it cites by its `handle`, such as `k17`. `url` is null where there is none to open. */
export interface OutsideSource {
  name: string;
  url: string | null;
  handle: string | null;
}

export interface PickTraceArgs {
  question: string;
  traces: OfferedTrace[];
}

/** One of the traces that were offered. */
export interface PickTraceResult {
  status: "picked" | "declined";
  traceId?: string | null;
}

/** A change of what is remembered, for the person to decide on: `text` comes, `old` goes. `decision` is `auto` where a setting has kept it, which can be undone; null where it waits. */
export interface ProposedFact {
  proposalId: string;
  turnId: string;
  action: "append" | "replace" | "forget";
  text: string | null;
  old: string | null;
  reason: string;
  decision: "auto" | null;
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

/** One box on screen: its function, its row and where it lies on the axis. */
export interface ShownBox {
  frame: string;
  row: number;
  start: number;
  end: number;
}

/** What is on screen. Names are left to whoever has the trace: boxes and the selection are handles. `depth` is the number of rows with a box, `boxes` the widest of the window. */
export interface ShownView {
  profile: string;
  view: "time_order" | "left_heavy" | "sandwich" | "diff";
  window: ShownWindow;
  depth?: number;
  boxes?: ShownBox[];
  selection?: string | null;
  search?: string | null;
  filters?: string[];
}

/** A range of a profile's axis, in its unit. */
export interface ShownWindow {
  start: number;
  end: number;
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

export interface Table {
  columns: string[];
  rows: ((string | number | null)[])[];
}

/** Of one turn; token counts are absent when the provider does not say. `cost` is in US dollars, absent when the price of the model, or what was used, is not known. `model` is the one that answered, as people read it; `seconds` is how long the agent worked on the answer, absent in answers older than this field. */
export interface Usage {
  inputTokens: number | null;
  outputTokens: number | null;
  modelCalls: number;
  toolCalls: number;
  cost: number | null;
  model: string | null;
  seconds: number | null;
}

/** What the person is looking at. `selection` is a handle; `mounted_tools` are the viewer's own tools that are on the page; pictures of an answer have the chart's `colours`. */
export interface ViewerState {
  view?: "time_order" | "left_heavy" | "sandwich" | "diff" | null;
  profile?: string | null;
  selection?: string | null;
  window?: Window | null;
  mountedTools?: (string | MountedTool)[];
  colours?: "file" | "package" | "category" | "owner" | "role" | "warm" | "ice" | "safe";
}

/** A range of a profile's axis, in its unit (nanoseconds for time). */
export interface Window {
  start: number;
  end: number;
}
