import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyConversation, reduce, type Action } from "../src/chat/conversation.ts";

test("a late snapshot of the turn that was replaced is not shown beside the one that is on its way", () => {
  const of = { turnId: "t1", sessionId: "s1" };
  const actions: Action[] = [
    { type: "prompted", turnId: "t1", prompt: "Why?" },
    { type: "turn_cancelled", ...of, seq: 1, messageId: null },
    { type: "prompted", turnId: "t2", prompt: "Why?", replaces: { turnId: "t1", how: "regenerate" } },
    { type: "turn_snapshot", ...of, attempt: 1, seq: 2, messages: [], tools: [], interrupt: null },
  ];
  const state = actions.reduce(reduce, emptyConversation("s1"));
  assert.deepEqual(
    state.turns.map((turn) => turn.turnId),
    ["t2"],
  );
  const late = reduce(state, { type: "model_chunk_append", ...of, seq: 3, messageId: "m1", offset: 0, chunk: "old" });
  assert.equal(late.needsResync, true);
});
