import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { ChatStore } from "../src/chat/chat_store.ts";
import { runningTurn } from "../src/chat/conversation.ts";
import type { ClientMessage, ConnectionAck, ServerMessage } from "../src/protocol.ts";

/** A socket in the server's hand. */
class ScriptedSocket {
  readyState = 0;
  sent: ClientMessage[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;

  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  says(...messages: ServerMessage[]): void {
    for (const message of messages) this.onmessage?.({ data: JSON.stringify(message) });
  }

  drop(code = 1006): void {
    this.readyState = 3;
    this.onclose?.({ code, reason: "" });
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as ClientMessage);
  }

  close(): void {
    this.drop(1000);
  }

  sentOf<T extends ClientMessage["type"]>(type: T): Extract<ClientMessage, { type: T }>[] {
    return this.sent.filter((message): message is Extract<ClientMessage, { type: T }> => message.type === type);
  }
}

const ACK: ConnectionAck = {
  type: "connection_ack",
  sessionId: "s",
  protocol: 1,
  history: [],
  running: null,
  memory: null,
  ignoredTools: [],
  opening: { summary: "", findings: [], suggestions: [], gate: null },
  limits: {
    planName: "local",
    messagesUsed: 0,
    messagesLimit: null,
    sessionsUsed: 0,
    sessionsLimit: null,
    resetsAt: null,
  },
};

let sockets: ScriptedSocket[];
let signs: EventTarget;

/** The store in a page without a screen: what a frame would do happens at once, and timers wait for the test. */
function opened(): ChatStore {
  const store = new ChatStore({
    traceId: "t",
    sessionId: "s",
    mountedTools: () => ["show_in_viewer"],
    connect: () => {
      sockets.push(new ScriptedSocket());
      return sockets.at(-1) as unknown as WebSocket;
    },
  });
  store.open();
  return store;
}

beforeEach(() => {
  sockets = [];
  signs = new EventTarget();
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  Object.assign(globalThis, {
    addEventListener: signs.addEventListener.bind(signs),
    document: { hidden: false, addEventListener: () => undefined },
    requestAnimationFrame: (flush: () => void) => flush(),
  });
});

test("a conversation is joined before anything else is said", () => {
  const store = opened();
  store.ask("Why?");
  sockets[0]!.open();
  assert.deepEqual(
    sockets[0]!.sent.map((message) => message.type),
    ["start_analysis"],
  );
  sockets[0]!.says(ACK);
  assert.deepEqual(
    sockets[0]!.sent.map((message) => message.type),
    ["start_analysis", "user_prompt"],
  );
  store.close();
});

test("a prompt that a cut connection swallowed is sent again under the same turn id", () => {
  const store = opened();
  sockets[0]!.open();
  sockets[0]!.says(ACK);
  store.ask("Why?");
  sockets[0]!.drop();
  assert.equal(store.read().connection.state, "reconnecting");
  mock.timers.tick(1000);
  sockets[1]!.open();
  sockets[1]!.says(ACK);
  assert.equal(store.read().connection.state, "open");
  assert.equal(sockets[1]!.sentOf("user_prompt")[0]!.turnId, sockets[0]!.sentOf("user_prompt")[0]!.turnId);
  store.close();
});

test("a question carries the model that is chosen then, also one that is answered again", () => {
  const store = opened();
  sockets[0]!.open();
  sockets[0]!.says(ACK);
  store.askOf("small");
  store.ask("Why?");
  const turn = runningTurn(store.read().conversation)!;
  sockets[0]!.says({
    type: "turn_failed",
    turnId: turn.turnId,
    sessionId: "s",
    seq: 1,
    code: "m",
    message: "",
    retryable: true,
  });
  store.replace(turn);
  assert.equal(sockets[0]!.sentOf("user_prompt")[0]!.model, "small");
  assert.equal(sockets[0]!.sentOf("regenerate")[0]!.model, "small");
  store.close();
});

test("only one question is on its way at a time", () => {
  const store = opened();
  sockets[0]!.open();
  sockets[0]!.says(ACK);
  store.ask("Why?");
  store.ask("Why?");
  assert.equal(sockets[0]!.sentOf("user_prompt").length, 1);
  store.close();
});

test("a missed event makes the store rejoin for a snapshot: what it holds is in doubt", () => {
  const store = opened();
  sockets[0]!.open();
  sockets[0]!.says(ACK);
  store.ask("Why?");
  const turnId = runningTurn(store.read().conversation)!.turnId;
  const started = {
    type: "turn_started",
    turnId,
    sessionId: "s",
    seq: 1,
    attempt: 1,
    model: "m",
    promptVersion: "v",
  } as const;
  sockets[0]!.says(started, {
    type: "model_chunk_append",
    turnId,
    sessionId: "s",
    seq: 3,
    messageId: "m",
    offset: 4,
    chunk: "lost",
  });
  assert.equal(sockets[0]!.sentOf("start_analysis").length, 2);
  assert.equal(sockets[0]!.sentOf("start_analysis").at(-1)!.resume, null);
  store.close();
});

test("after a cut the store goes on from the event it holds, and what follows is applied without a snapshot", () => {
  const store = opened();
  sockets[0]!.open();
  sockets[0]!.says(ACK);
  store.ask("Why?");
  const turnId = runningTurn(store.read().conversation)!.turnId;
  const of = { turnId, sessionId: "s", messageId: "m" };
  sockets[0]!.says(
    { type: "turn_started", turnId, sessionId: "s", seq: 1, attempt: 1, model: "m", promptVersion: "v" },
    { type: "model_chunk_start", ...of, seq: 2, offset: 0, chunk: "It " },
  );
  sockets[0]!.drop();
  mock.timers.tick(1000);
  sockets[1]!.open();
  assert.deepEqual(sockets[1]!.sentOf("start_analysis")[0]!.resume, { turnId, seq: 2 });
  sockets[1]!.says(
    { ...ACK, running: { turnId, seq: 3 } },
    { type: "model_chunk_append", ...of, seq: 3, offset: 3, chunk: "is" },
  );
  const [part] = runningTurn(store.read().conversation)!.parts;
  assert.equal(part!.kind === "text" && part!.text, "It is");
  assert.equal(sockets[1]!.sentOf("start_analysis").length, 1);
  store.close();
});

test("a turn that the server does not know any more is not gone on with: the store joins anew", () => {
  const store = opened();
  sockets[0]!.open();
  sockets[0]!.says(ACK);
  store.ask("Why?");
  const turnId = runningTurn(store.read().conversation)!.turnId;
  sockets[0]!.says({
    type: "turn_started",
    turnId,
    sessionId: "s",
    seq: 1,
    attempt: 1,
    model: "m",
    promptVersion: "v",
  });
  sockets[0]!.drop();
  mock.timers.tick(1000);
  sockets[1]!.open();
  sockets[1]!.says({ type: "protocol_error", code: "bad_field", message: "No such turn.", field: "resume.turnId" });
  assert.deepEqual(
    sockets[1]!.sentOf("start_analysis").map((message) => message.resume),
    [{ turnId, seq: 1 }, null],
  );
  assert.equal(store.read().conversation.notice, null);
  sockets[1]!.says(ACK);
  assert.equal(runningTurn(store.read().conversation), null);
  store.close();
});

test("a stop that was pressed while the connection was cut is said after the reconnect", () => {
  const store = opened();
  sockets[0]!.open();
  sockets[0]!.says(ACK);
  store.ask("Why?");
  const turnId = runningTurn(store.read().conversation)!.turnId;
  sockets[0]!.drop();
  store.stop();
  mock.timers.tick(1000);
  sockets[1]!.open();
  sockets[1]!.says({ ...ACK, running: { turnId, seq: 0 } });
  assert.deepEqual(
    sockets[1]!.sentOf("cancel_turn").map((message) => message.turnId),
    [turnId],
  );
  store.close();
});

test("a socket that was closed for idleness is opened again by the first sign of life", () => {
  const store = opened();
  sockets[0]!.open();
  sockets[0]!.says(ACK);
  sockets[0]!.drop(4410);
  mock.timers.tick(600_000);
  assert.equal(sockets.length, 1);
  signs.dispatchEvent(new Event("keydown"));
  store.ask("Why?");
  assert.equal(sockets.length, 2);
  sockets[1]!.open();
  sockets[1]!.says(ACK);
  assert.equal(sockets[1]!.sentOf("user_prompt").length, 1);
  store.close();
});

test("a conversation that is refused is not asked for again", () => {
  const store = opened();
  sockets[0]!.open();
  sockets[0]!.drop(4403);
  mock.timers.tick(60_000);
  assert.equal(store.read().connection.state, "refused");
  assert.equal(sockets.length, 1);
  store.close();
});

const STORED: ConnectionAck = {
  ...ACK,
  history: (["user", "model"] as const).map((sender, position) => ({
    messageId: `${sender}-1`,
    turnId: "t1",
    position,
    sender,
    contentText: sender === "user" ? "Why?" : "Because.",
    contentImageUrl: null,
    toolName: null,
    toolCallId: null,
    toolArgs: null,
    toolStatus: null,
    metadata: {},
    createdAt: "2026-01-01T00:00:00Z",
    feedback: null,
  })),
};

test("answering again and editing are sent once, and again after a cut, under one new turn id", () => {
  const store = opened();
  sockets[0]!.open();
  sockets[0]!.says(STORED);
  store.replace(store.read().conversation.turns[0]!);
  const [sent] = sockets[0]!.sentOf("regenerate");
  assert.equal(sent!.turnId, "t1");
  sockets[0]!.drop();
  mock.timers.tick(1000);
  sockets[1]!.open();
  sockets[1]!.says(STORED);
  assert.deepEqual(sockets[1]!.sentOf("regenerate"), [sent]);
  assert.equal(sockets[1]!.sentOf("user_prompt").length, 0);
  store.close();
});

test("an edited prompt names the turn it replaces", () => {
  const store = opened();
  sockets[0]!.open();
  sockets[0]!.says(STORED);
  store.replace(store.read().conversation.turns[0]!, "How?");
  const [sent] = sockets[0]!.sentOf("edit_prompt");
  assert.deepEqual([sent!.turnId, sent!.prompt], ["t1", "How?"]);
  store.close();
});

test("an opinion is about the answer's last message", () => {
  const store = opened();
  sockets[0]!.open();
  sockets[0]!.says(STORED);
  store.rate(store.read().conversation.turns[0]!, -1);
  assert.deepEqual(sockets[0]!.sentOf("feedback"), [{ type: "feedback", messageId: "model-1", score: -1 }]);
  assert.equal(store.read().conversation.turns[0]!.feedback, -1);
  store.close();
});
