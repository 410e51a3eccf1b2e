/**
 * One conversation over one WebSocket at a time: joins, reduces what comes, reconnects, and sends again what was not answered.
 *
 * Prompts carry a turn id minted here, so sending one twice runs it once.
 */
import { json } from "../api.ts";
import { newId } from "../identifiers.ts";
import type {
  ClientMessage,
  HistoryMessage,
  MountedTool,
  ResumeTurn,
  ServerMessage,
  ViewerState,
} from "../protocol.ts";
import { Store } from "../store.ts";
import { emptyConversation, reduce, runningTurn, type Action, type Conversation } from "./conversation.ts";
import { answerOf, type Replaces, type Turn } from "./turn.ts";

export type Connection =
  | { state: "connecting" }
  | { state: "open" }
  | { state: "reconnecting"; attempt: number }
  | { state: "refused"; message: string };

export interface ChatState {
  conversation: Conversation;
  connection: Connection;
}

export interface ChatSettings {
  traceId: string;
  sessionId: string;
  /** The tools of the viewer that are on the page now. */
  mountedTools: () => (string | MountedTool)[];
  /** What the person looks at, null while nothing is shown: each question carries it as it is then. */
  seen?: () => ViewerState | null;
  /** Who asks, where that is not known otherwise. */
  token?: () => string | null;
  /** Called when the server did not take the token, with its reason. */
  unknown?: (reason: string) => void;
  /** Makes the socket, `failures` attempts after the last that opened; a test hands in its own. */
  connect?: (failures: number) => WebSocket;
}

const PING_EVERY_MS = 20_000;
const SILENCE_MS = 45_000; // two pings unanswered: the connection is dead, whatever the browser thinks
const BACKOFF_MS = [400, 1000, 2000, 4000, 8000];
/** Close codes after which another attempt would end the same way. */
const FINAL_CLOSE: Record<number, string> = {
  4401: "The server does not know you. Open the address that it printed when it started, or sign in again.",
  4403: "This conversation belongs to someone else.",
  4429: "Too many conversations are open at this server. Close one, then load this page again.",
};
/** Nobody was here for long: the server closed the socket until somebody is. */
const IDLE_CLOSE = 4410;
const SIGNS_OF_LIFE = ["online", "pointerdown", "keydown"] as const;

export function chatAddress(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/v1/chat`;
}

export class ChatStore extends Store<ChatState> {
  #settings: ChatSettings;
  #socket: WebSocket | null = null;
  #joined = false;
  #attempt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #ping: ReturnType<typeof setInterval> | undefined;
  #receivedAt = 0;
  #inbox: ServerMessage[] = [];
  #flushing = false;
  #viewer: ViewerState = {};
  #model: string | null = null;
  #stopping: string | null = null;
  #answer: ResumeTurn | null = null;
  #abort = new AbortController();

  constructor(settings: ChatSettings) {
    super({ conversation: emptyConversation(settings.sessionId), connection: { state: "connecting" } });
    this.#settings = settings;
  }

  open(): void {
    const atOnce = () => {
      if (this.#socket || this.read().connection.state === "refused") return;
      clearTimeout(this.#retry);
      this.#connect();
    };
    for (const sign of SIGNS_OF_LIFE) addEventListener(sign, atOnce, { signal: this.#abort.signal });
    document.addEventListener("visibilitychange", () => document.hidden || atOnce(), { signal: this.#abort.signal });
    this.#connect();
  }

  close(): void {
    this.#abort.abort();
    clearTimeout(this.#retry);
    clearInterval(this.#ping);
    this.#socket?.close(1000);
    this.#socket = null;
  }

  /** Ask a question; nothing happens while another one is on its way. */
  ask(prompt: string): void {
    if (runningTurn(this.read().conversation)) return;
    const turnId = newId();
    this.#dispatch([{ type: "prompted", turnId, prompt }]);
    if (this.#joined) this.#sendPrompt(turnId, prompt);
  }

  /** Have a turn answered again, or under another prompt; it goes, and what followed it. */
  replace(turn: Turn, prompt?: string): void {
    if (runningTurn(this.read().conversation)) return;
    const newTurnId = newId();
    const replaces: Replaces = { turnId: turn.turnId, how: prompt === undefined ? "regenerate" : "edit_prompt" };
    this.#dispatch([{ type: "prompted", turnId: newTurnId, prompt: prompt ?? turn.prompt ?? "", replaces }]);
    if (this.#joined) this.#sendPrompt(newTurnId, prompt ?? "", replaces);
  }

  /** Say what an answer was worth; 0 takes it back. */
  rate(turn: Turn, score: -1 | 0 | 1): void {
    const messageId = answerOf(turn);
    if (!messageId || !this.#joined) return;
    this.#dispatch([{ type: "rated", turnId: turn.turnId, score }]);
    this.#send({ type: "feedback", messageId, score });
  }

  /** Decide on what an answer proposes to remember. */
  decide(proposalId: string, decision: "keep" | "edit" | "no", text?: string): void {
    if (this.#joined) this.#send({ type: "decide_memory", proposalId, decision, text: text ?? null });
  }

  /** Answer what a turn waits for; said again after a reconnect, which changes nothing where it arrived. */
  resume(interruptId: string, result: Record<string, unknown>): void {
    const seen = this.#settings.seen?.();
    if (seen) this.#see(seen);
    this.#answer = { type: "resume", interruptId, result, context: this.#viewer.view ? this.#viewer : null };
    if (this.#joined) this.#send(this.#answer);
  }

  /** A page of messages from before the earliest that is shown. */
  async earlierMessages(): Promise<HistoryMessage[]> {
    const { sessionId, earliest } = this.read().conversation;
    const path = `/sessions/${encodeURIComponent(sessionId)}/messages?before=${earliest[0]!.position}`;
    return (await json<{ messages: HistoryMessage[] }>(path)).messages;
  }

  showEarlier(messages: HistoryMessage[]): void {
    this.#dispatch([{ type: "earlier_loaded", messages }]);
  }

  stop(): void {
    const turn = runningTurn(this.read().conversation);
    this.#stopping = turn?.turnId ?? null; // said again after a reconnect
    if (turn) this.#send({ type: "cancel_turn", turnId: turn.turnId });
  }

  /** The plan lets questions through again. */
  liftLimit(): void {
    this.#dispatch([{ type: "limit_lifted" }]);
  }

  dismissNotice(): void {
    this.#dispatch([{ type: "notice_read" }]);
  }

  dismissBrokenGate(): void {
    this.#dispatch([{ type: "broken_gate_read" }]);
  }

  /** The person has another token. */
  authenticate(accessToken: string): void {
    if (this.#joined) this.#send({ type: "authenticate", accessToken });
    else if (this.read().connection.state === "refused") {
      this.write({ ...this.read(), connection: { state: "connecting" } });
      this.#connect();
    }
  }

  /** Which model answers from now on; null is the server's default. */
  askOf(model: string | null): void {
    this.#model = model;
  }

  /** Send what the person is looking at. */
  look(viewer: ViewerState): void {
    this.#see(viewer);
    if (this.#joined) this.#send({ type: "viewer_context", ...this.#viewer });
  }

  #see(viewer: ViewerState): void {
    this.#viewer = { ...viewer, mountedTools: this.#settings.mountedTools() };
  }

  #connect(): void {
    const socket = (this.#settings.connect ?? (() => new WebSocket(chatAddress())))(this.#attempt);
    this.#socket = socket;
    this.#joined = false;
    this.#receivedAt = Date.now();
    socket.onopen = () => this.#join({ resuming: true });
    socket.onmessage = (message) => {
      this.#receivedAt = Date.now();
      this.#inbox.push(JSON.parse(message.data as string) as ServerMessage);
      this.#scheduleFlush();
    };
    socket.onclose = (event) => socket === this.#socket && this.#lost(event.code, event.reason);
    clearInterval(this.#ping);
    this.#ping = setInterval(() => this.#keepAlive(), PING_EVERY_MS);
  }

  /** `resuming`: receive a running turn from its last known event on. Where that is in doubt its snapshot is asked for instead. */
  #join({ resuming }: { resuming: boolean }): void {
    const { traceId, sessionId } = this.#settings;
    const mountedTools = this.#settings.mountedTools();
    const running = runningTurn(this.read().conversation);
    const resume = resuming && running && running.seq > 0 ? { turnId: running.turnId, seq: running.seq } : null;
    const accessToken = this.#settings.token?.() ?? null;
    this.#send({ type: "start_analysis", traceId, sessionId, mountedTools, resume, accessToken });
  }

  #lost(code: number, reason: string): void {
    this.#flush();
    this.#socket = null;
    this.#joined = false;
    clearInterval(this.#ping);
    if (this.#abort.signal.aborted) return;
    const final = FINAL_CLOSE[code];
    if (final) {
      if (code === 4401) this.#settings.unknown?.(reason || final);
      this.write({ ...this.read(), connection: { state: "refused", message: reason || final } });
      return;
    }
    if (code === IDLE_CLOSE) {
      this.write({ ...this.read(), connection: { state: "connecting" } });
      return;
    }
    const wait = BACKOFF_MS[Math.min(this.#attempt, BACKOFF_MS.length - 1)]!;
    this.#attempt += 1;
    this.write({ ...this.read(), connection: { state: "reconnecting", attempt: this.#attempt } });
    this.#retry = setTimeout(() => this.#connect(), wait * (0.75 + Math.random() / 2));
  }

  #keepAlive(): void {
    if (Date.now() - this.#receivedAt > SILENCE_MS) this.#socket?.close(4000, "silence");
    else if (this.#joined) this.#send({ type: "ping", nonce: String(Date.now()) });
  }

  /** One flush per frame while the page is seen: a fast answer renders 60 times a second, not once per token. */
  #scheduleFlush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    if (document.hidden) setTimeout(() => this.#flush(), 0);
    else requestAnimationFrame(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = false;
    const messages = this.#inbox;
    this.#inbox = [];
    if (messages.length) this.#dispatch(messages);
  }

  #dispatch(received: Action[]): void {
    const actions = received.filter((action) => !refusesResume(action));
    if (actions.length < received.length) this.#join({ resuming: false });
    const before = this.read();
    const conversation = actions.reduce(reduce, before.conversation);
    const acknowledged = actions.some((action) => action.type === "connection_ack");
    if (acknowledged) {
      this.#joined = true;
      this.#attempt = 0;
    }
    this.write(
      conversation === before.conversation && !acknowledged
        ? before
        : { conversation, connection: acknowledged ? { state: "open" } : before.connection },
    );
    if (acknowledged) this.#sendUnanswered(conversation);
    if (conversation.needsResync && this.#joined) {
      this.#joined = false;
      this.#join({ resuming: false });
    }
  }

  #sendUnanswered(conversation: Conversation): void {
    for (const turn of conversation.turns) {
      if (turn.status === "sending" && turn.prompt !== null) this.#sendPrompt(turn.turnId, turn.prompt, turn.replaces);
    }
    if (this.#answer && runningTurn(conversation)?.asked?.interruptId === this.#answer.interruptId)
      this.#send(this.#answer);
    if (this.#stopping && this.#stopping === runningTurn(conversation)?.turnId)
      this.#send({ type: "cancel_turn", turnId: this.#stopping });
    if (this.#viewer.view) this.#send({ type: "viewer_context", ...this.#viewer });
  }

  #sendPrompt(turnId: string, prompt: string, replaces: Replaces | null = null): void {
    const model = this.#model;
    if (replaces?.how === "regenerate")
      this.#send({ type: "regenerate", turnId: replaces.turnId, newTurnId: turnId, model });
    else if (replaces) this.#send({ type: "edit_prompt", turnId: replaces.turnId, prompt, newTurnId: turnId, model });
    else this.#ask(turnId, prompt);
  }

  #ask(turnId: string, prompt: string): void {
    const seen = this.#settings.seen?.();
    if (seen) this.#see(seen);
    this.#send({
      type: "user_prompt",
      sessionId: this.#settings.sessionId,
      prompt,
      turnId,
      model: this.#model,
      context: this.#viewer.view ? this.#viewer : null,
    });
  }

  #send(message: ClientMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

/** The turn we hold a part of is gone: its session was removed meanwhile. */
function refusesResume(action: Action): boolean {
  return action.type === "protocol_error" && (action.field?.startsWith("resume") ?? false);
}
