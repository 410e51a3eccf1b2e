import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyConversation, reduce } from "../src/chat/conversation.ts";
import type { ConnectionAck } from "../src/protocol.ts";

const ACK: ConnectionAck = {
  type: "connection_ack",
  sessionId: "s1",
  protocol: 1,
  opening: { summary: "", findings: [], suggestions: [], gate: null },
  history: [],
  limits: {
    planName: "local",
    messagesUsed: 0,
    messagesLimit: null,
    sessionsUsed: 0,
    sessionsLimit: null,
    resetsAt: null,
  },
  running: null,
  memory: null,
  ignoredTools: [],
};

const FACT = {
  proposalId: "m1",
  turnId: "t1",
  action: "append" as const,
  text: "we ship",
  old: null,
  reason: "in your words",
  decision: null,
};

test("what is proposed to remember waits until it is decided, also after joining again", () => {
  const proposed = reduce(emptyConversation("s1"), { type: "memory_proposed", ...FACT });
  assert.deepEqual(proposed.proposals, [{ ...FACT, outcome: null }]);
  assert.deepEqual(reduce(proposed, { type: "memory_proposed", ...FACT }).proposals, proposed.proposals);
  const decided = reduce(proposed, { type: "memory_changed", version: 1, proposalId: "m1", decision: "keep" });
  assert.equal(decided.proposals[0]!.outcome, "keep");
  const other = { ...FACT, proposalId: "m2" };
  const joined = reduce(decided, { ...ACK, memory: { version: 1, proposals: [other] } });
  assert.deepEqual(
    joined.proposals.map((one) => [one.proposalId, one.outcome]),
    [
      ["m1", "keep"],
      ["m2", null],
    ],
  );
});
