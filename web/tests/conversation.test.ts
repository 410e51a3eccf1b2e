import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyConversation, reduce, runningTurn, type Action, type Conversation } from "../src/chat/conversation.ts";
import { unendedIn } from "../src/chat/history.ts";
import type { ConnectionAck, HistoryMessage, TurnEvent } from "../src/protocol.ts";

const LIMITS = {
  planName: "local",
  messagesUsed: 0,
  messagesLimit: null,
  sessionsUsed: 0,
  sessionsLimit: null,
  resetsAt: null,
};
const OPENING = { summary: "A trace.", findings: ["f"], suggestions: ["Why?"], gate: null };

function play(...actions: Action[]): Conversation {
  return actions.reduce(reduce, emptyConversation("s1"));
}

function prompted(turnId = "t1"): Action {
  return { type: "prompted", turnId, prompt: "Why?" };
}

function started(seq = 1): TurnEvent {
  return { type: "turn_started", turnId: "t1", sessionId: "s1", seq, attempt: 1, model: "m", promptVersion: "v1" };
}

function chunk(seq: number, offset: number, text: string, turnId = "t1"): TurnEvent {
  return { type: "model_chunk_append", turnId, sessionId: "s1", seq, messageId: "m1", offset, chunk: text };
}

function ack(history: HistoryMessage[] = [], running: ConnectionAck["running"] = null): ConnectionAck {
  return {
    type: "connection_ack",
    sessionId: "s1",
    protocol: 1,
    opening: OPENING,
    history,
    limits: LIMITS,
    running,
    memory: null,
    ignoredTools: [],
  };
}

function row(sender: HistoryMessage["sender"], more: Partial<HistoryMessage> = {}): HistoryMessage {
  return {
    messageId: `${sender}1`,
    turnId: "t1",
    position: 0,
    sender,
    contentText: "text",
    contentImageUrl: null,
    toolName: null,
    toolCallId: null,
    toolArgs: null,
    toolStatus: null,
    metadata: {},
    createdAt: "2026-01-01T00:00:00Z",
    feedback: null,
    ...more,
  };
}

function textOf(state: Conversation): string {
  return state.turns
    .flatMap((turn) => turn.parts)
    .map((part) => (part.kind === "text" ? part.text : ""))
    .join("");
}

test("text is appended at its offset and keeps every space and line break", () => {
  const state = play(prompted(), started(), chunk(2, 0, "a  \n"), chunk(3, 4, "\n  b"));
  assert.equal(textOf(state), "a  \n\n  b");
});

test("offsets count code points, so an emoji is one", () => {
  const state = play(prompted(), started(), chunk(2, 0, "🔥 hot"), chunk(3, 5, "!"), {
    ...chunk(4, 1, ""),
    type: "model_text_reset",
  } as TurnEvent);
  assert.equal(textOf(state), "🔥");
});

test("a duplicate event changes nothing", () => {
  const state = play(prompted(), started(), chunk(2, 0, "a"));
  assert.equal(reduce(state, chunk(2, 0, "a")), state);
});

test("a gap in the numbers asks for a snapshot and applies nothing", () => {
  const state = play(prompted(), started(), chunk(3, 0, "lost the one before"));
  assert.equal(state.needsResync, true);
  assert.equal(textOf(state), "");
});

test("text past what we hold asks for a snapshot", () => {
  assert.equal(play(prompted(), started(), chunk(2, 7, "x")).needsResync, true);
});

test("an event of a turn that another tab started asks for a snapshot", () => {
  assert.equal(play(chunk(1, 0, "x", "elsewhere")).needsResync, true);
});

test("a snapshot replaces the turn, in the order of positions, and live events go on from it", () => {
  const tool = {
    toolCallId: "c1",
    toolName: "find_frames",
    position: 1,
    args: {},
    message: "Looking",
    status: "success" as const,
    resultType: "text" as const,
    textContent: "r",
    imageUrl: null,
    table: null,
    uiPayload: null,
    truncated: false,
  };
  const state = play(
    prompted(),
    started(),
    chunk(2, 0, "old"),
    {
      type: "turn_snapshot",
      turnId: "t1",
      sessionId: "s1",
      attempt: 2,
      seq: 9,
      tools: [tool],
      interrupt: null,
      messages: [
        { messageId: "m1", position: 2, text: "new" },
        { messageId: "m0", position: 0, text: "first" },
      ],
    },
    chunk(10, 3, "er"),
  );
  assert.deepEqual(
    state.turns[0]!.parts.map((part) => (part.kind === "text" ? part.text : part.toolName)),
    ["first", "find_frames", "newer"],
  );
});

test("a retried model call takes its text back", () => {
  const reset: TurnEvent = {
    type: "model_text_reset",
    turnId: "t1",
    sessionId: "s1",
    seq: 3,
    messageId: "m1",
    offset: 1,
  };
  assert.equal(textOf(play(prompted(), started(), chunk(2, 0, "abc"), reset, chunk(4, 1, "Z"))), "aZ");
});

test("rejoining keeps the running turn's text and the prompt of the history", () => {
  const state = play(
    prompted(),
    started(),
    chunk(2, 0, "half"),
    ack([row("user", { contentText: "Why?" })], { turnId: "t1", seq: 2 }),
    chunk(3, 4, " done"),
  );
  assert.equal(textOf(state), "half done");
  assert.equal(runningTurn(state)?.prompt, "Why?");
});

test("a prompt that never reached the server survives rejoining, to be sent again", () => {
  assert.equal(play(ack(), prompted("t2"), ack([row("user"), row("model")])).turns.at(-1)?.status, "sending");
});

test("history becomes turns with their tools, pictures, checks and follow-ups", () => {
  const check = { claim: "34%", kind: "percentage", status: "verified", toolCallId: "c1", start: 0, end: 3 };
  const [turn] = play(
    ack([
      row("user", { contentText: "Why?" }),
      row("tool_request", { toolCallId: "c1", toolName: "top", toolArgs: { limit: 3 }, contentText: "Looking" }),
      row("tool_result", { toolCallId: "c1", toolName: "top", toolStatus: "success", contentImageUrl: "/p.png" }),
      row("model", { contentText: "Because.", metadata: { checks: [check], suggestions: ["And?"], model: "m" } }),
    ]),
  ).turns;
  const tool = turn!.parts[0]!;
  assert.ok(tool.kind === "tool" && tool.imageUrl === "/p.png" && tool.args.limit === 3 && tool.status === "success");
  assert.deepEqual(
    [turn!.status, turn!.checks.length, turn!.suggestions, turn!.model],
    ["completed", 1, ["And?"], "m"],
  );
});

test("history shows how a turn ended that did not complete", () => {
  const note = (event: string) =>
    play(
      ack([
        row("user"),
        row("model"),
        row("system_event", { contentText: "No model.", metadata: { event, code: "model_failed" } }),
      ]),
    ).turns[0]!;
  assert.equal(note("turn_cancelled").status, "cancelled");
  assert.deepEqual(note("turn_failed").failure, { code: "model_failed", message: "No model.", retryable: true });
});

test("a refused prompt is shown once with its reason and is not what waits for an answer", () => {
  const refused = row("system_event", {
    turnId: null,
    messageId: "n1",
    contentText: "Upgrade.",
    metadata: { event: "prompt_refused", code: "limit_exceeded" },
  });
  const { turns } = play(ack([row("user"), refused]));
  assert.deepEqual(turns[1]!.failure, { code: "limit_exceeded", message: "Upgrade.", retryable: false });
  assert.equal(turns[1]!.prompt, null);
  assert.equal(unendedIn([row("user"), refused]), turns[0]!.turnId);
});

test("a prompt without an answer in history says so and can be asked again", () => {
  const answered = [row("user", { turnId: "t2" }), row("model", { turnId: "t2" })];
  const [turn] = play(ack([row("user"), ...answered])).turns;
  assert.equal(turn!.status, "failed");
  assert.equal(turn!.failure?.retryable, true);
});

test("the last prompt in history waits for its answer: how a turn ended is written down", () => {
  const state = play(ack([row("user")]));
  assert.equal(state.turns[0]!.status, "waiting");
  const running = reduce(state, { ...started(), turnId: "t1", seq: 1 } as TurnEvent);
  assert.deepEqual([running.turns[0]!.status, running.needsResync], ["running", false]);
});

test("a stopped turn keeps its text and stops its tools", () => {
  const tool: TurnEvent = {
    type: "tool_start",
    turnId: "t1",
    sessionId: "s1",
    seq: 3,
    toolCallId: "c",
    toolName: "t",
    args: {},
    message: "",
  };
  const state = play(prompted(), started(), chunk(2, 0, "part"), tool, {
    type: "turn_cancelled",
    turnId: "t1",
    sessionId: "s1",
    seq: 4,
    messageId: "m1",
  });
  assert.equal(state.turns[0]!.status, "cancelled");
  assert.equal(textOf(state), "part");
  assert.equal(
    state.turns[0]!.parts.at(-1)?.kind === "tool" && (state.turns[0]!.parts.at(-1) as { status: string }).status,
    "stopped",
  );
});

test("nothing follows the end of a turn", () => {
  const failed: TurnEvent = {
    type: "turn_failed",
    turnId: "t1",
    sessionId: "s1",
    seq: 2,
    code: "x",
    message: "No.",
    retryable: true,
  };
  const state = play(prompted(), started(), failed);
  assert.equal(reduce(state, chunk(3, 0, "late")), state);
});

test("a limit fails the unanswered prompt and stays until the page says how to go on", () => {
  const state = play(prompted(), {
    type: "chat_error",
    errorCode: "limit_exceeded",
    limitType: "session_messages",
    message: "10 of 10",
    used: 10,
    limit: 10,
    planName: "free",
    resetsAt: null,
  });
  assert.equal(state.refusal?.limit, 10);
  assert.equal(state.turns[0]!.status, "failed");
});

test("a refused prompt fails with the server's words", () => {
  const state = play(prompted(), {
    type: "protocol_error",
    code: "turn_in_progress",
    message: "One at a time.",
    field: null,
  });
  assert.deepEqual(state.turns[0]!.failure, { code: "turn_in_progress", message: "One at a time.", retryable: true });
});

test("the agent's wishes to move the chart are handed on in order, each once", () => {
  const move: TurnEvent = {
    type: "viewer_action",
    turnId: "t1",
    sessionId: "s1",
    seq: 2,
    action: "select",
    handle: "f3",
    window: null,
    view: null,
    profile: null,
    pattern: null,
    traceId: null,
    filter: null,
  };
  const state = play(prompted(), started(), move);
  const again = reduce(reduce(state, move), { ...move, seq: 3, handle: "f4" });
  assert.deepEqual(
    again.viewerActions.map((action) => action.handle),
    ["f3", "f4"],
  );
});

test("a turn that takes the place of another one hides it and what followed", () => {
  const history = [
    row("user", { turnId: "t1", messageId: "u1" }),
    row("model", { turnId: "t1", messageId: "a1" }),
    row("user", { turnId: "t2", messageId: "u2" }),
    row("model", { turnId: "t2", messageId: "a2" }),
  ];
  const edited: Action = {
    type: "prompted",
    turnId: "t3",
    prompt: "How?",
    replaces: { turnId: "t1", how: "edit_prompt" },
  };
  const state = play(ack(history), edited);
  assert.deepEqual(
    state.turns.map((turn) => [turn.turnId, turn.prompt]),
    [["t3", "How?"]],
  );
  const rejoined = reduce(state, ack(history));
  assert.deepEqual(
    rejoined.turns.map((turn) => turn.turnId),
    ["t3"],
  );
});

test("what was to be replaced is asked for again when the new turn is refused or fails", () => {
  const again: Action = {
    type: "prompted",
    turnId: "t2",
    prompt: "Why?",
    replaces: { turnId: "t1", how: "regenerate" },
  };
  const before = [ack([row("user"), row("model")]), again];
  const limit: Action = {
    type: "chat_error",
    errorCode: "limit_exceeded",
    limitType: "session_messages",
    message: "No more.",
    used: 2,
    limit: 2,
    planName: "two",
    resetsAt: null,
  };
  const refused = play(...before, limit);
  assert.equal(refused.needsResync, true);
  assert.equal(refused.refusal?.message, "No more.");
  const failed = play(...before, {
    type: "turn_failed",
    turnId: "t2",
    sessionId: "s1",
    seq: 1,
    code: "model_failed",
    message: "It failed.",
    retryable: true,
  });
  assert.equal(failed.needsResync, true);
});

test("an opinion is shown at once, and comes back with the history", () => {
  const state = play(ack([row("user"), row("model", { feedback: 1 })]));
  assert.equal(state.turns[0]!.feedback, 1);
  assert.equal(reduce(state, { type: "rated", turnId: "t1", score: 0 }).turns[0]!.feedback, 0);
});

test("how much a model has read is shown until something else of the turn comes", () => {
  const of = { turnId: "t1", sessionId: "s1" };
  const reading: TurnEvent = { type: "model_reading", ...of, seq: 2, tokensRead: 1200, tokensInAll: 4870 };
  const state = play(prompted(), started(), reading);
  assert.deepEqual(state.turns[0]?.reading, { read: 1200, of: 4870 });
  assert.equal(reduce(state, chunk(3, 0, "It ")).turns[0]?.reading, null);
});

test("an event that this version of the page does not know changes nothing and asks for nothing", () => {
  const unknown = { type: "from_the_future", turnId: "t1", sessionId: "s1", seq: 2 } as unknown as TurnEvent;
  const state = play(prompted(), started(), unknown, chunk(3, 0, "It "));
  assert.equal(state.needsResync, false);
  assert.deepEqual(state.turns[0]?.parts.length, 1);
});
