/**
 * The conversation without a socket to the server: turns are heard on the project's Realtime, everything else goes over HTTP.
 *
 * It looks like the server's WebSocket to whoever holds it. Realtime may lose or leave out what it tells; the server is asked for the
 * turn whenever something does not follow what came before, after each subscription, and when nothing was heard for a while.
 */
import { ApiError } from "../api.ts";
import type { ClientMessage, ConnectionAck, ServerMessage, TurnEvent, TurnSnapshot, UserPrompt } from "../protocol.ts";
import type { FollowedEvent } from "./conversation.ts";
import { unendedIn } from "./history.ts";

/** What is asked of the server and of Realtime. */
export interface RealtimeDoor {
  join(
    sessionId: string,
    traceId: string,
    mountedTools: string[],
  ): Promise<{ ack: ConnectionAck; snapshot: TurnSnapshot | null }>;
  ask(
    sessionId: string,
    prompt: Omit<UserPrompt, "type" | "sessionId">,
  ): Promise<{ turnId: string; position: number | null }>;
  cancel(turnId: string): Promise<void>;
  /** Listen to a session until the returned function is called; `status` hears whether it is heard now. */
  listen(
    sessionId: string,
    heard: (event: string, payload: unknown) => void,
    status: (isHeard: boolean) => void,
  ): () => void;
  authenticate(token: string): void;
}

interface Told {
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
  #door: RealtimeDoor;
  #joined: { sessionId: string; traceId: string; mountedTools: string[] } | null = null;
  #unlisten: (() => void) | null = null;
  #isHeard = false;
  #running: string | null = null;
  #heardAt = 0;
  #listenAgain: ReturnType<typeof setTimeout> | undefined;
  #looking: ReturnType<typeof setInterval>;

  constructor(door: RealtimeDoor) {
    this.#door = door;
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
        return this.#door.cancel(message.turnId).catch((error: Error) => this.#refused(error));
      case "authenticate":
        return this.#door.authenticate(message.accessToken);
      case "ping":
        return this.#hear({ type: "pong", nonce: message.nonce });
      case "viewer_context":
        return; // each prompt carries it
      default:
        this.#hear({
          type: "protocol_error",
          code: "not_supported",
          message: "This needs a connection to the server itself; this page hears its answers by way of Realtime.",
          field: null,
        });
    }
  }

  /** Have the session as it stands, and the running turn. */
  async #join(): Promise<void> {
    if (!this.#joined) return;
    const { sessionId, traceId, mountedTools } = this.#joined;
    try {
      const { ack, snapshot } = await this.#door.join(sessionId, traceId, mountedTools);
      this.#running = ack.running?.turnId ?? unendedIn(ack.history);
      this.#heardAt = Date.now();
      this.#hear(ack);
      if (snapshot) this.#hear(snapshot);
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0;
      const code = status === 401 ? 4401 : status === 403 || status === 404 ? 4403 : 1006;
      this.close(code, code === 1006 ? "" : (error as Error).message);
    }
  }

  async #ask({ sessionId, type: _, ...prompt }: UserPrompt): Promise<void> {
    try {
      const accepted = await this.#door.ask(sessionId, { ...prompt, traceId: this.#joined?.traceId ?? null });
      this.#running = accepted.turnId;
      this.#heardAt = Date.now();
      this.#hear({ type: "waiting_for_model", ...accepted });
      if (!this.#isHeard) this.#listen();
    } catch (error) {
      this.#refused(error as Error);
    }
  }

  #listen(): void {
    if (!this.#joined || this.readyState !== WebSocket.OPEN) return;
    clearTimeout(this.#listenAgain);
    this.#unlisten?.();
    this.#unlisten = this.#door.listen(
      this.#joined.sessionId,
      (event, payload) => this.#told(event, payload),
      (isHeard) => {
        this.#isHeard = isHeard;
        clearTimeout(this.#listenAgain);
        if (isHeard) void this.#join();
        else if (this.readyState === WebSocket.OPEN)
          this.#listenAgain = setTimeout(() => this.#listen(), LISTEN_AGAIN_MS);
      },
    );
  }

  #told(event: string, payload: unknown): void {
    this.#heardAt = Date.now();
    if (event === "chat_error") return this.#hear(payload as ServerMessage);
    let { after } = payload as Told;
    for (const one of (payload as Told).events) {
      const followed: FollowedEvent | TurnSnapshot = one.type === "turn_snapshot" ? one : { ...one, follows: after };
      after = one.seq;
      this.#running = ENDS.has(one.type) ? null : one.turnId;
      this.#hear(followed);
    }
  }

  /** A running turn of which nothing is heard may go on unheard. */
  #lookAgain(): void {
    const patience = this.#isHeard ? SILENCE_MS : LOOK_EVERY_MS;
    if (!this.#running || Date.now() - this.#heardAt < patience) return;
    this.#heardAt = Date.now(); // asked once, however long the answer takes
    void this.#join();
  }

  #refused(error: Error): void {
    const limit = error instanceof ApiError && error.status === 429 ? error.problem : {};
    if (typeof limit.limitType === "string") {
      const { limitType, used, limit: most, planName, resetsAt } = limit;
      const told = { limitType, used, limit: most, planName, resetsAt } as Record<string, unknown>;
      this.#hear({ type: "chat_error", errorCode: "limit_exceeded", message: error.message, ...told } as ServerMessage);
      return;
    }
    const status = error instanceof ApiError ? error.status : 0;
    const code = status === 409 ? "turn_in_progress" : status === 400 ? "bad_field" : "busy";
    this.#hear({ type: "protocol_error", code, message: error.message, field: null });
  }

  #hear(message: ServerMessage): void {
    if (this.readyState === WebSocket.OPEN) this.onmessage?.({ data: JSON.stringify(message) });
  }
}
