// One socket's conversation, without the socket: what it receives, and what it is sent. Messages and close codes are
// those of /api/v1/chat, as far as a function without a view of the session can send them.

export interface Person {
  userId: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

/** What the server answered. */
export interface Forwarded {
  status: number;
  body: Record<string, unknown>;
}

export interface Outside {
  personOf(token: string): Promise<Person | null>;
  forward(turn: Record<string, unknown>): Promise<Forwarded>;
  send(message: Record<string, unknown>): void;
  close(code: number, reason: string): void;
}

type Message = Record<string, unknown> & { type?: unknown };

const FIRST_MESSAGE_MS = 5_000;
const EXPIRED_GRACE_S = 60;
const MAX_MESSAGE_CHARACTERS = 256 << 10;
const PROTOCOL = 1;

export class Conversation {
  readonly #outside: Outside;
  #person: Person | null = null;
  #session: { traceId: unknown; sessionId: unknown } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Messages are answered one after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  begin(): void {
    this.#timer = setTimeout(() => this.#outside.close(4408, "No start_analysis came in time."), FIRST_MESSAGE_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  receive(data: unknown): Promise<void> {
    this.#last = this.#last
      .then(() => this.#answer(data))
      .catch(() => this.#refuse("internal_error", "The server cannot be reached. Try again."));
    return this.#last;
  }

  async #answer(data: unknown): Promise<void> {
    if (typeof data !== "string" || data.length > MAX_MESSAGE_CHARACTERS) {
      return this.#outside.close(1009, "The message is too large, or no text.");
    }
    let message: Message;
    try {
      message = JSON.parse(data);
    } catch {
      return this.#protocolError("bad_json", "The message is not a JSON object.");
    }
    if (message === null || typeof message !== "object") {
      return this.#protocolError("bad_json", "The message is not a JSON object.");
    }
    if (!this.#session && message.type !== "start_analysis") {
      return this.#outside.close(4401, "not_authenticated: The first message must be start_analysis.");
    }
    if (message.type === "ping") return this.#outside.send({ type: "pong", nonce: message.nonce });
    if (message.type === "start_analysis" || message.type === "authenticate") {
      if (!(await this.#identify(message.accessToken))) return;
      if (message.type === "authenticate") return;
      const { traceId, sessionId } = message;
      await this.#forward(
        { ...this.#turn(message, { traceId, sessionId }), type: "start_analysis" },
        { traceId, sessionId },
      );
      return;
    }
    if (message.type !== "user_prompt") {
      return this.#protocolError("not_supported", "Send this to the server itself; here only prompts are passed on.");
    }
    if (message.sessionId !== this.#session?.sessionId) {
      return this.#protocolError("bad_field", "This socket has joined another session.", "sessionId");
    }
    await this.#forward({ ...this.#turn(message, this.#session!), type: "user_prompt" });
  }

  /** Whether the token is a good one of the same person as before; otherwise the socket is closed. */
  async #identify(token: unknown): Promise<boolean> {
    const person = typeof token === "string" ? await this.#outside.personOf(token) : null;
    if (!person || (this.#person && person.userId !== this.#person.userId)) {
      this.#outside.close(4401, "not_authenticated: Sign in first: this needs an access token of the project.");
      return false;
    }
    clearTimeout(this.#timer);
    this.#person = person;
    const left = (person.expiresAt + EXPIRED_GRACE_S) * 1000 - Date.now();
    this.#timer = setTimeout(
      () => this.#outside.close(4401, "token_expired: The sign-in has expired. Sign in again."),
      Math.min(left, 2 ** 31 - 1),
    );
    return true;
  }

  #turn(message: Message, session: { traceId: unknown; sessionId: unknown }): Record<string, unknown> {
    const { prompt = null, turnId = null, model: modelName = null } = message;
    return { ...session, userId: this.#person!.userId, prompt, turnId, modelName };
  }

  async #forward(turn: Record<string, unknown>, joins?: { traceId: unknown; sessionId: unknown }): Promise<void> {
    const { status, body } = await this.#outside.forward(turn);
    if (status === 202) {
      if (joins) {
        this.#session = joins;
        this.#outside.send({ type: "connection_ack", sessionId: joins.sessionId, protocol: PROTOCOL });
      }
      if (body.turnId) this.#outside.send({ type: "waiting_for_model", turnId: body.turnId, position: body.position });
      return;
    }
    const text = typeof body.detail === "string" ? body.detail : "The server did not accept this.";
    if (status === 404) return this.#outside.close(4403, text.slice(0, 100));
    if (status === 409) return this.#protocolError("turn_in_progress", text);
    if (status === 400) return this.#protocolError("bad_field", text, body.field);
    if (status === 429 && body.limitType !== undefined) {
      const { limitType, used, limit, planName, resetsAt } = body;
      return this.#refuse("limit_exceeded", text, { limitType, used, limit, planName, resetsAt });
    }
    // What is wrong between this function and the server is nothing a browser can repair: it gets no details.
    this.#refuse("internal_error", status >= 500 ? text : "This function is not set up to reach the server.");
  }

  #protocolError(code: string, message: string, field: unknown = null): void {
    this.#outside.send({ type: "protocol_error", code, message, field });
  }

  #refuse(errorCode: string, message: string, more: Record<string, unknown> = {}): void {
    this.#outside.send({ type: "chat_error", errorCode, message, ...more });
  }
}
