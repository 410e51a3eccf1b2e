import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { ApiError } from "../src/api.ts";
import { RealtimeSocket, type SessionClient } from "../src/chat/realtime_socket.ts";
import { emptyConversation, reduce, type Action } from "../src/chat/conversation.ts";
import type {
  ClientMessage,
  ConnectionAck,
  DecideMemory,
  MemoryChanged,
  ServerMessage,
  TurnEvent,
  TurnSnapshot,
} from "../src/protocol.ts";

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
    planName: "team",
    messagesUsed: 0,
    messagesLimit: null,
    sessionsUsed: 0,
    sessionsLimit: null,
    resetsAt: null,
  },
};
const START: ClientMessage = { type: "start_analysis", sessionId: "s", traceId: "t", mountedTools: [] };
const PROMPT: ClientMessage = { type: "user_prompt", sessionId: "s", prompt: "why?", turnId: "t1" };
const OF_TURN = { turnId: "t1", sessionId: "s" };
const STARTED: TurnEvent = { type: "turn_started", ...OF_TURN, seq: 1, attempt: 1, model: "m", promptVersion: "1" };

function text(seq: number, offset: number, chunk: string): TurnEvent {
  const type = offset === 0 ? "model_chunk_start" : "model_chunk_append";
  return { type, ...OF_TURN, seq, messageId: "m1", offset, chunk };
}

/** A client that a test scripts, and what the page received through the socket. */
class ScriptedClient implements SessionClient {
  joins = 0;
  running: TurnSnapshot | null = null;
  refusal: Error | null = null;
  broadcast: (event: string, payload: unknown) => void = () => {};
  status: (isSubscribed: boolean) => void = () => {};
  left = 0;

  async join() {
    this.joins += 1;
    const running = this.running && { turnId: this.running.turnId, seq: this.running.seq };
    return { ack: { ...ACK, running }, snapshot: this.running };
  }

  async ask() {
    if (this.refusal) throw this.refusal;
    return { turnId: "t1", position: null };
  }

  async cancel() {}

  async resume() {}

  async decide({ proposalId, decision }: DecideMemory): Promise<MemoryChanged> {
    if (this.refusal) throw this.refusal;
    return { type: "memory_changed", version: 2, proposalId, decision };
  }

  listen(_: string, received: ScriptedClient["broadcast"], status: ScriptedClient["status"]) {
    this.broadcast = received;
    this.status = status;
    return () => void (this.left += 1);
  }

  authenticate() {}
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
});

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

async function opened(client: ScriptedClient) {
  const received: ServerMessage[] = [];
  const closed: number[] = [];
  const socket = new RealtimeSocket(client);
  socket.onmessage = ({ data }) => received.push(JSON.parse(data) as ServerMessage);
  socket.onclose = ({ code }) => closed.push(code);
  mock.timers.tick(1);
  socket.send(JSON.stringify(START));
  await settle();
  const say = async (message: ClientMessage) => {
    socket.send(JSON.stringify(message));
    await settle();
  };
  const play = () =>
    received.reduce((state, message) => reduce(state, message as Action), {
      ...reduce(emptyConversation("s"), { type: "prompted", turnId: "t1", prompt: "why?" }),
    });
  return { socket, received, closed, say, play };
}

test("the session is joined at once, and again when it is listened to", async () => {
  const client = new ScriptedClient();
  const { received } = await opened(client);
  assert.deepEqual(
    received.map((message) => message.type),
    ["connection_ack"],
  );
  client.status(true);
  await settle();
  assert.equal(client.joins, 2);
});

test("merged text follows what it says it follows, though its numbers leap", async () => {
  const client = new ScriptedClient();
  const { say, play } = await opened(client);
  await say(PROMPT);
  client.broadcast("ai_response", { after: 0, events: [STARTED, text(5, 0, "It is ")] });
  client.broadcast("ai_response", { after: 5, events: [text(9, 6, "parse.")] });
  const state = play();
  assert.equal(state.needsResync, false);
  assert.deepEqual(
    state.turns[0]!.parts.map((part) => part.kind === "text" && part.text),
    ["It is parse."],
  );
});

test("an event that does not follow the last one is asked for again", async () => {
  const client = new ScriptedClient();
  const { say, play } = await opened(client);
  await say(PROMPT);
  client.broadcast("ai_response", { after: 0, events: [STARTED] });
  client.broadcast("ai_response", { after: 7, events: [text(9, 40, "lost before")] });
  assert.equal(play().needsResync, true);
});

test("a running turn of which nothing is received is asked for, soon when nobody listens", async () => {
  const client = new ScriptedClient();
  const { say } = await opened(client);
  client.status(true);
  await settle();
  await say(PROMPT);
  const before = client.joins;
  mock.timers.tick(7_500);
  await settle();
  assert.equal(client.joins, before);
  mock.timers.tick(5_000);
  await settle();
  assert.equal(client.joins, before + 1);
  client.status(false);
  await say(PROMPT);
  mock.timers.tick(2_500);
  await settle();
  assert.ok(client.joins > before + 1);
});

test("a session that could not be listened to is tried again", async () => {
  const client = new ScriptedClient();
  await opened(client);
  const first = client.status;
  first(false);
  mock.timers.tick(5_000);
  assert.notEqual(client.status, first);
  assert.equal(client.left, 1);
});

test("a prompt that the server does not take as it is cannot be tried again", async () => {
  const client = new ScriptedClient();
  client.refusal = new ApiError("The model 'x' is not offered here.", 400, { field: "model" });
  const { say, received } = await opened(client);
  await say(PROMPT);
  const last = received.at(-1)!;
  assert.deepEqual([last.type, "code" in last && last.code], ["protocol_error", "bad_field"]);
});

test("a limit that refuses a prompt is reported as the socket reports it", async () => {
  const client = new ScriptedClient();
  client.refusal = new ApiError("No messages are left.", 429, {
    limitType: "session_messages",
    used: 4,
    limit: 4,
    planName: "demo",
    resetsAt: null,
  });
  const { say, play } = await opened(client);
  await say(PROMPT);
  const { refusal, turns } = play();
  assert.deepEqual([refusal?.limitType, refusal?.used, refusal?.limit], ["session_messages", 4, 4]);
  assert.equal(turns[0]!.status, "failed");
});

test("another turn in progress is reported, and what needs the socket says so", async () => {
  const client = new ScriptedClient();
  client.refusal = new ApiError("One at a time.", 409);
  const { say, received } = await opened(client);
  await say(PROMPT);
  assert.equal((received.at(-1) as { code: string }).code, "turn_in_progress");
  await say({ type: "regenerate", turnId: "t0" });
  assert.equal((received.at(-1) as { code: string }).code, "not_supported");
});

test("who is not known is turned away for good", async () => {
  const client = new ScriptedClient();
  client.join = () => Promise.reject(new ApiError("The token has expired.", 401));
  const { closed } = await opened(client);
  assert.deepEqual(closed, [4401]);
});

test("what is proposed to remember is looked at anew, and decided on over HTTP", async () => {
  const client = new ScriptedClient();
  const { received, say } = await opened(client);
  for (const event of ["memory_proposed", "memory_changed"]) {
    client.broadcast(event, {});
    await settle();
  }
  assert.equal(client.joins, 3);
  await say({ type: "decide_memory", proposalId: "p", decision: "keep", text: null });
  assert.deepEqual(received.at(-1), { type: "memory_changed", version: 2, proposalId: "p", decision: "keep" });
  client.refusal = new Error("gone");
  await say({ type: "decide_memory", proposalId: "p", decision: "no", text: null });
  assert.equal(received.at(-1)!.type, "protocol_error");
});
