import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyConversation, reduce, type Action } from "../src/chat/conversation.ts";

function play(...actions: Action[]) {
  return actions.reduce(reduce, emptyConversation("s1"));
}

function prompted(): Action {
  return { type: "prompted", turnId: "t1", prompt: "why?" };
}

function started(): Action {
  return { type: "turn_started", turnId: "t1", sessionId: "s1", seq: 1, attempt: 1, model: "m", promptVersion: "1" };
}

test("what an answer waits for stands until the answer goes on", () => {
  const asked = { interruptId: "i1", toolCallId: "c1", toolName: "ask_person", args: {}, expiresAt: "2026-01-01" };
  const waiting = play(prompted(), started(), {
    type: "interrupt",
    turnId: "t1",
    sessionId: "s1",
    seq: 2,
    ...asked,
  });
  assert.deepEqual(waiting.turns[0]!.asked, asked);
  const shot = {
    type: "turn_snapshot",
    turnId: "t1",
    sessionId: "s1",
    attempt: 2,
    seq: 9,
    messages: [],
    tools: [],
  } as const;
  assert.deepEqual(reduce(waiting, { ...shot, messages: [], tools: [], interrupt: asked }).turns[0]!.asked, asked);
  assert.equal(reduce(waiting, { ...shot, messages: [], tools: [], interrupt: null }).turns[0]!.asked, null);
  const stopped = { type: "turn_cancelled", turnId: "t1", sessionId: "s1", seq: 3, messageId: null } as const;
  assert.equal(reduce(waiting, stopped).turns[0]!.asked, null);
});

test("that another tab has answered first is no failure of the answer", () => {
  const asking = play(prompted());
  const late = {
    type: "protocol_error",
    code: "bad_field",
    message: "answered already",
    field: "interruptId",
  } as const;
  assert.equal(reduce(asking, late), asking);
});
