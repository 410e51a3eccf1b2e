import assert from "node:assert/strict";
import { test } from "node:test";
import { applied, newTurn, type ToolPart } from "../src/chat/turn.ts";
import type { TurnEvent } from "../src/protocol.ts";

const CALL = { turnId: "t1", sessionId: "s1", toolCallId: "c1", toolName: "ask_traces" };

function shown(...events: TurnEvent[]): ToolPart {
  const began: TurnEvent = { type: "tool_start", ...CALL, seq: 2, args: {}, message: "Looking" };
  const turn = [began, ...events].reduce(
    (before, event) => applied(before, event)!,
    newTurn("t1", "Since when?", "running"),
  );
  return turn.parts[0] as ToolPart;
}

test("what a call does is shown while it runs, with how many steps are done", () => {
  const planning: TurnEvent = { type: "tool_progress", ...CALL, seq: 3, message: "Planning", done: null, inAll: null };
  const counted: TurnEvent = { type: "tool_progress", ...CALL, seq: 4, message: "Measuring", done: 3, inAll: 20 };
  assert.equal(shown().message, "Looking");
  assert.equal(shown(planning).message, "Planning");
  assert.equal(shown(planning, counted).message, "Measuring: 3 of 20");
  assert.equal(shown(planning, counted).status, "running");
});
