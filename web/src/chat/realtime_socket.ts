/**
 * The conversation without a socket to the server: turns are received from the project's Realtime, everything else goes over HTTP.
 *
 * It has the interface of the server's WebSocket. Realtime may lose or leave out messages; the server is asked for the turn whenever
 * something does not follow what came before, after each subscription, and when nothing was received for a while.
 */
import { ApiError } from "../api.ts";
import type {
  ClientMessage,
  ConnectionAck,
  DecideMemory,
  MemoryChanged,
  MountedTool,
  ResumeTurn,
  ServerMessage,
  TurnEvent,
  TurnSnapshot,
  UserPrompt,
} from "../protocol.ts";
import type { FollowedEvent } from "./conversation.ts";
import { unendedIn } from "./history.ts";

/** What is asked of the server and of Realtime. */
export interface SessionClient {
  join(
    sessionId: string,
    traceId: string,
    mountedTools: (string | MountedTool)[],
  ): Promise<{ ack: ConnectionAck; snapshot: TurnSnapshot | null }>;
  ask(
    sessionId: string,
    prompt: Omit<UserPrompt, "type" | "sessionId">,
  ): Promise<{ turnId: string; position: number | null }>;
  cancel(turnId: string): Promise<void>;
  resume(answer: ResumeTurn, turnId: string | null): Promise<void>;
  /** Decide on what an answer proposed to remember. */
  decide(decision: DecideMemory): Promise<MemoryChanged>;
  /** Listen to a session until the returned function is called; `status` gets whether it is subscribed to now. */
  listen(
    sessionId: string,
    received: (event: string, payload: unknown) => void,
    status: (isSubscribed: boolean) => void,
  ): () => void;
  authenticate(token: string): void;
}

interface Broadcast {
  events: (TurnEvent | TurnSnapshot)[];
  /** The number of the event that the first one follows. */
  after: number;
}

/** A session that is new may not be listened to before its first prompt was accepted. */
const LISTEN_AGAIN_MS = 5_000;
const LOOK_EVERY_MS = 2_500;
const SILENCE_MS = 10_000;
const ENDS = new Set(["model_response_end", "turn_cancelled", "turn_failed"]);

export class RealtimeSocket {
  readyState: number = WebSocket.CONNECTING;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  #client: SessionClient;
  #joined: { sessionId: string; traceId: string; mountedTools: (string | MountedTool)[] } | null = null;
  #unlisten: (() => void) | null = null;
  #isSubscribed = false;
  #running: string | null = null;
  #receivedAt = 0;
  #listenAgain: ReturnType<typeof setTimeout> | undefined;
  #looking: ReturnType<typeof setInterval>;

  constructor(client: SessionClient) {
    this.#client = client;
    this.#looking = setInterval(() => this.#lookAgain(), LOOK_EVERY_MS);
    setTimeout(() => {
      if (this.readyState !== WebSocket.CONNECTING) return;
      this.readyState = WebSocket.OPEN;
      this.onopen?.();
    }, 0);
  }

  send(text: string): void {
    void this.#say(JSON.parse(text) as ClientMessage);
  }

  close(code = 1000, reason = ""): void {
    if (this.readyState === WebSocket.CLOSED) return;
    this.readyState = WebSocket.CLOSED;
    clearInterval(this.#looking);
    clearTimeout(this.#listenAgain);
    this.#unlisten?.();
    this.onclose?.({ code, reason });
  }

  async #say(message: ClientMessage): Promise<void> {
    switch (message.type) {
      case "start_analysis": {
        const { sessionId, traceId, mountedTools = [] } = message;
        this.#joined = { sessionId, traceId, mountedTools };
        await this.#join();
        if (!this.#unlisten) this.#listen();
        return;
      }
      case "user_prompt":
        return this.#ask(message);
      case "cancel_turn":
        return this.#client.cancel(message.turnId).catch((error: Error) => this.#refused(error));
      case "resume":
        return this.#client.resume(message, this.#running).catch((error: Error) => this.#refused(error));
      case "decide_memory":
        return this.#client.decide(message).then(
          (changed) => this.#deliver(changed),
          (error: Error) => this.#refused(error),
        );
      case "authenticate":
        return this.#client.authenticate(message.accessToken);
      case "ping":
        return this.#deliver({ type: "pong", nonce: message.nonce });
      case "viewer_context":
        return; // each prompt carries it
      default:
        this.#deliver({
          type: "protocol_error",
          code: "not_supported",
          message: "This needs a connection to the server itself; this page gets its answers by way of Realtime.",
          field: null,
        });
    }
  }

  /** Fetch the session as it is now, and the running turn. */
  async #join(): Promise<void> {
    if (!this.#joined) return;
    const { sessionId, traceId, mountedTools } = this.#joined;
    try {
      const { ack, snapshot } = await this.#client.join(sessionId, traceId, mountedTools);
      this.#running = ack.running?.turnId ?? unendedIn(ack.history);
      this.#receivedAt = Date.now();
      this.#deliver(ack);
      if (snapshot) this.#deliver(snapshot);
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0;
      const code = status === 401 ? 4401 : status === 403 || status === 404 ? 4403 : 1006;
      this.close(code, code === 1006 ? "" : (error as Error).message);
    }
  }

  async #ask({ sessionId, type: _, ...prompt }: UserPrompt): Promise<void> {
    try {
      const accepted = await this.#client.ask(sessionId, { ...prompt, traceId: this.#joined?.traceId ?? null });
      this.#running = accepted.turnId;
      this.#receivedAt = Date.now();
      this.#deliver({ type: "waiting_for_model", requestId: null, ...accepted });
      if (!this.#isSubscribed) this.#listen();
    } catch (error) {
      this.#refused(error as Error);
    }
  }

  #listen(): void {
    if (!this.#joined || this.readyState !== WebSocket.OPEN) return;
    clearTimeout(this.#listenAgain);
    this.#unlisten?.();
    this.#unlisten = this.#client.listen(
      this.#joined.sessionId,
      (event, payload) => this.#received(event, payload),
      (isSubscribed) => {
        this.#isSubscribed = isSubscribed;
        clearTimeout(this.#listenAgain);
        if (isSubscribed) void this.#join();
        else if (this.readyState === WebSocket.OPEN)
          this.#listenAgain = setTimeout(() => this.#listen(), LISTEN_AGAIN_MS);
      },
    );
  }

  #received(event: string, payload: unknown): void {
    this.#receivedAt = Date.now();
    if (event === "chat_error" || event === "limits_changed") return this.#deliver(payload as ServerMessage);
    if (event === "memory_proposed" || event === "memory_changed") return void this.#join(); // says what is one's own to decide
    let { after } = payload as Broadcast;
    for (const one of (payload as Broadcast).events) {
      const followed: FollowedEvent | TurnSnapshot = one.type === "turn_snapshot" ? one : { ...one, follows: after };
      after = one.seq;
      this.#running = ENDS.has(one.type) ? null : one.turnId;
      this.#deliver(followed);
    }
  }

  /** A running turn of which nothing is received may still go on. */
  #lookAgain(): void {
    const patience = this.#isSubscribed ? SILENCE_MS : LOOK_EVERY_MS;
    if (!this.#running || Date.now() - this.#receivedAt < patience) return;
    this.#receivedAt = Date.now(); // asked once, however long the answer takes
    void this.#join();
  }

  #refused(error: Error): void {
    const limit = error instanceof ApiError && error.status === 429 ? error.problem : {};
    if (typeof limit.limitType === "string") {
      const { limitType, used, limit: most, planName, resetsAt } = limit;
      const limits = { limitType, used, limit: most, planName, resetsAt } as Record<string, unknown>;
      this.#deliver({
        type: "chat_error",
        errorCode: "limit_exceeded",
        message: error.message,
        ...limits,
      } as ServerMessage);
      return;
    }
    const status = error instanceof ApiError ? error.status : 0;
    const code = status === 409 ? "turn_in_progress" : status === 400 ? "bad_field" : "busy";
    this.#deliver({ type: "protocol_error", code, message: error.message, field: null });
  }

  #deliver(message: ServerMessage): void {
    if (this.readyState === WebSocket.OPEN) this.onmessage?.({ data: JSON.stringify(message) });
  }
}
