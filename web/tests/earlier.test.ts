import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyConversation, reduce, type Action, type Conversation } from "../src/chat/conversation.ts";
import { hasEarlier } from "../src/chat/earlier.ts";
import type { ConnectionAck, HistoryMessage } from "../src/protocol.ts";

const play = (...actions: Action[]): Conversation => actions.reduce(reduce, emptyConversation("s1"));
const ack = (history: HistoryMessage[]) =>
  ({ type: "connection_ack", sessionId: "s1", history, running: null, memory: null }) as unknown as ConnectionAck;
const row = (sender: HistoryMessage["sender"], more: Partial<HistoryMessage>) =>
  ({
    messageId: sender,
    sender,
    contentText: "text",
    toolArgs: null,
    metadata: {},
    feedback: null,
    ...more,
  }) as HistoryMessage;

test("earlier turns come before those that are shown, complete where a page cut one, and stay over a reconnect", () => {
  const turn = (number: number, position: number): HistoryMessage[] => [
    row("user", { turnId: `t${number}`, position, messageId: `u${number}`, contentText: `Question ${number}` }),
    row("tool_request", { turnId: `t${number}`, position: position + 1, toolCallId: `c${number}`, toolName: "x" }),
    row("model", { turnId: `t${number}`, position: position + 2, messageId: `m${number}`, contentText: "Answer" }),
  ];
  const all = [1, 2, 3, 4].flatMap((number) => turn(number, number * 3 - 2));
  const names = (state: Conversation) => state.turns.map((one) => [one.prompt, one.parts.length]);
  const opened = play(ack(all.slice(8)));
  assert.equal(hasEarlier(opened.earliest), true);
  assert.deepEqual(names(opened), [
    [null, 1],
    ["Question 4", 2],
  ]);
  const more = reduce(opened, { type: "earlier_loaded", messages: all.slice(4, 8) });
  assert.deepEqual(names(more).slice(1), [
    ["Question 3", 2],
    ["Question 4", 2],
  ]);
  const complete4 = reduce(more, { type: "earlier_loaded", messages: all.slice(0, 4) });
  const complete = [1, 2, 3, 4].map((number) => [`Question ${number}`, 2]);
  assert.deepEqual(names(complete4), complete);
  assert.equal(hasEarlier(complete4.earliest), false);
  const again = reduce(complete4, ack(all.slice(8)));
  assert.deepEqual(names(again), complete);
  assert.equal(hasEarlier(again.earliest), false);
  const replaced = reduce(complete4, ack(all.slice(0, 3)));
  assert.deepEqual(names(replaced), complete.slice(0, 1));
  assert.equal(hasEarlier(reduce(opened, { type: "earlier_loaded", messages: [] }).earliest), false);
});
