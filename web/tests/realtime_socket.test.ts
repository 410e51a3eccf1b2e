import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { ApiError } from "../src/api.ts";
import { RealtimeSocket, type RealtimeDoor } from "../src/chat/realtime_socket.ts";
import { emptyConversation, reduce, type Action } from "../src/chat/conversation.ts";
import type { ClientMessage, ConnectionAck, ServerMessage, TurnEvent, TurnSnapshot } from "../src/protocol.ts";

const ACK: ConnectionAck = {
  type: "connection_ack",
  sessionId: "s",
  protocol: 1,
  history: [],
  running: null,
  opening: { summary: "", findings: [], suggestions: [] },
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

/** A door in the hand of a test, and what the page heard through the socket. */
class HeldDoor implements RealtimeDoor {
  joins = 0;
  running: TurnSnapshot | null = null;
  refusal: Error | null = null;
  tell: (event: string, payload: unknown) => void = () => {};
  status: (isHeard: boolean) => void = () => {};
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

  listen(_: string, heard: HeldDoor["tell"], status: HeldDoor["status"]) {
    this.tell = heard;
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

async function opened(door: HeldDoor) {
  const heard: ServerMessage[] = [];
  const closed: number[] = [];
  const socket = new RealtimeSocket(door);
  socket.onmessage = ({ data }) => heard.push(JSON.parse(data) as ServerMessage);
  socket.onclose = ({ code }) => closed.push(code);
  mock.timers.tick(1);
  socket.send(JSON.stringify(START));
  await settle();
  const say = async (message: ClientMessage) => {
    socket.send(JSON.stringify(message));
    await settle();
  };
  const play = () =>
    heard.reduce((state, message) => reduce(state, message as Action), {
      ...reduce(emptyConversation("s"), { type: "prompted", turnId: "t1", prompt: "why?" }),
    });
  return { socket, heard, closed, say, play };
}

test("the session is joined at once, and again when it is listened to", async () => {
  const door = new HeldDoor();
  const { heard } = await opened(door);
  assert.deepEqual(
    heard.map((message) => message.type),
    ["connection_ack"],
  );
  door.status(true);
  await settle();
  assert.equal(door.joins, 2);
});

test("merged text follows what it says it follows, though its numbers leap", async () => {
  const door = new HeldDoor();
  const { say, play } = await opened(door);
  await say(PROMPT);
  door.tell("ai_response", { after: 0, events: [STARTED, text(5, 0, "It is ")] });
  door.tell("ai_response", { after: 5, events: [text(9, 6, "parse.")] });
  const state = play();
  assert.equal(state.needsResync, false);
  assert.deepEqual(
    state.turns[0]!.parts.map((part) => part.kind === "text" && part.text),
    ["It is parse."],
  );
});

test("what does not follow what is held is asked for again", async () => {
  const door = new HeldDoor();
  const { say, play } = await opened(door);
  await say(PROMPT);
  door.tell("ai_response", { after: 0, events: [STARTED] });
  door.tell("ai_response", { after: 7, events: [text(9, 40, "lost before")] });
  assert.equal(play().needsResync, true);
});

test("a running turn of which nothing is heard is asked for, soon when nobody listens", async () => {
  const door = new HeldDoor();
  const { say } = await opened(door);
  door.status(true);
  await settle();
  await say(PROMPT);
  const before = door.joins;
  mock.timers.tick(7_500);
  await settle();
  assert.equal(door.joins, before);
  mock.timers.tick(5_000);
  await settle();
  assert.equal(door.joins, before + 1);
  door.status(false);
  await say(PROMPT);
  mock.timers.tick(2_500);
  await settle();
  assert.ok(door.joins > before + 1);
});

test("a session that could not be listened to is tried again", async () => {
  const door = new HeldDoor();
  await opened(door);
  const first = door.status;
  first(false);
  mock.timers.tick(5_000);
  assert.notEqual(door.status, first);
  assert.equal(door.left, 1);
});

test("a prompt that the server does not take as it is cannot be tried again", async () => {
  const door = new HeldDoor();
  door.refusal = new ApiError("The model 'x' is not offered here.", 400, { field: "model" });
  const { say, heard } = await opened(door);
  await say(PROMPT);
  const told = heard.at(-1)!;
  assert.deepEqual([told.type, "code" in told && told.code], ["protocol_error", "bad_field"]);
});

test("a limit that refuses a prompt is told as the socket tells it", async () => {
  const door = new HeldDoor();
  door.refusal = new ApiError("No messages are left.", 429, {
    limitType: "session_messages",
    used: 4,
    limit: 4,
    planName: "demo",
    resetsAt: null,
  });
  const { say, play } = await opened(door);
  await say(PROMPT);
  const { refusal, turns } = play();
  assert.deepEqual([refusal?.limitType, refusal?.used, refusal?.limit], ["session_messages", 4, 4]);
  assert.equal(turns[0]!.status, "failed");
});

test("another turn in progress is told, and what needs the socket says so", async () => {
  const door = new HeldDoor();
  door.refusal = new ApiError("One at a time.", 409);
  const { say, heard } = await opened(door);
  await say(PROMPT);
  assert.equal((heard.at(-1) as { code: string }).code, "turn_in_progress");
  await say({ type: "regenerate", turnId: "t0" });
  assert.equal((heard.at(-1) as { code: string }).code, "not_supported");
});

test("who is not known is turned away for good", async () => {
  const door = new HeldDoor();
  door.join = () => Promise.reject(new ApiError("The token has expired.", 401));
  const { closed } = await opened(door);
  assert.deepEqual(closed, [4401]);
});
