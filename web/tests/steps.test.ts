import assert from "node:assert/strict";
import { test } from "node:test";
import { stepsSentence, withSteps } from "../src/chat/steps_of_turn.ts";
import { emptyTool, type Part } from "../src/chat/turn.ts";

const text = (messageId: string): Part => ({ kind: "text", messageId, text: "x", length: 1 });
const tool = (id: string, status: "success" | "error" = "success") => ({ ...emptyTool(id, "look"), status });

test("neighbouring uses of tools are one part, in their place between the texts", () => {
  const parts = withSteps([tool("a"), tool("b"), text("1"), tool("c"), text("2")]);
  assert.deepEqual(
    parts.map((part) => (part.kind === "text" ? part.messageId : part.tools.map((one) => one.toolCallId).join())),
    ["a,b", "1", "c", "2"],
  );
  assert.deepEqual(withSteps([]), []);
});

test("a line counts steps, and says how long they took and how many failed", () => {
  assert.equal(stepsSentence([tool("a")], null), "1 step");
  assert.equal(stepsSentence([tool("a"), tool("b", "error")], 1.84), "2 steps, 1.8 s, 1 failed");
  assert.equal(stepsSentence([tool("a"), tool("b")], 0), "2 steps, 0.0 s");
});
