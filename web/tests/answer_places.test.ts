import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatStore } from "../src/chat/chat_store.ts";
import { emptyConversation, type Conversation } from "../src/chat/conversation.ts";
import { newTurn, type Turn } from "../src/chat/turn.ts";
import { AnswerPlaces } from "../src/room/answer_places.ts";
import { addressesOf, subjectOf } from "../src/room/subject.ts";
import { Store } from "../src/store.ts";
import type { ViewerStore } from "../src/viewer/viewer_store.ts";

const PLACE = { address: "f4", handle: "f4", profile: "p27", frame: "f4", name: "flush" };
const CITED = { handle: "f4", name: "flush", file: null } as NonNullable<Turn["citations"]>[number];

function answered(text: string, change: Partial<Turn> = {}): Turn {
  const turn = newTurn("t1", "why?", "completed");
  return {
    ...turn,
    citations: [CITED],
    parts: [{ kind: "text", messageId: "m", text, length: text.length }],
    ...change,
  };
}

class Scene {
  shown: string[] = [];
  conversation: Conversation = emptyConversation("s");
  chat = new Store({ conversation: this.conversation });
  viewer = Object.assign(new Store({ view: {}, loading: false, profile: "p30", mode: "time_order" }), {
    places: { of: () => Promise.resolve(PLACE) },
    profiles: [{ handle: "p27", name: "worker" }],
  });
  places = new AnswerPlaces(
    this.chat as unknown as ChatStore,
    this.viewer as unknown as ViewerStore,
    (_, { handle }) => void this.shown.push(handle),
  );

  async comes(turn: Turn, change: Partial<Conversation> = {}): Promise<void> {
    this.conversation = { ...this.conversation, turns: [turn], ...change };
    this.chat.write({ conversation: this.conversation });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const ANSWER = answered("[flush](#f4) takes [20 ms](#f4.self).");

test("the first answer to a question asked here moves the chart to another thread", async () => {
  const scene = new Scene();
  await scene.comes(newTurn("t1", "why?", "sending"));
  await scene.comes(ANSWER);
  assert.deepEqual(scene.shown, ["f4"]);
  assert.equal(scene.places.read(), null);
});

test("a chart that was touched since the question stays, and offers the place", async () => {
  const scene = new Scene();
  await scene.comes(newTurn("t1", "why?", "sending"));
  scene.places.touch();
  await scene.comes(ANSWER);
  assert.deepEqual(scene.shown, []);
  assert.equal(scene.places.read()?.name, "flush");
  assert.equal(scene.places.read()?.thread, "worker");
  scene.places.accept();
  assert.deepEqual(scene.shown, ["f4"]);
  assert.equal(scene.places.read(), null);
});

test("an answer of before, and another answer to the same question, are offered", async () => {
  const stored = new Scene();
  await stored.comes(ANSWER);
  assert.deepEqual([stored.shown, stored.places.read()?.name], [[], "flush"]);
  const again = new Scene();
  await again.comes(newTurn("t1", "why?", "sending"));
  await again.comes({ ...ANSWER, replaces: { turnId: "t0", how: "regenerate" } });
  assert.deepEqual([again.shown, again.places.read()?.name], [[], "flush"]);
});

test("what the agent has shown itself, what is in sight and what names nothing is not offered", async () => {
  const agent = new Scene();
  const action = { type: "viewer_action", turnId: "t1" } as Conversation["viewerActions"][number];
  await agent.comes(ANSWER, { viewerActions: [action] });
  const seen = new Scene();
  seen.viewer.write({ ...seen.viewer.read(), profile: "p27", mode: "sandwich", ...{ sandwichOf: "f4" } });
  await seen.comes(ANSWER);
  const nothing = new Scene();
  await nothing.comes(answered("It takes 20 ms, see [docs](https://example.org/f4)."));
  for (const scene of [agent, seen, nothing]) assert.deepEqual([scene.shown, scene.places.read()], [[], null]);
});

test("an offer goes when its place comes into sight, and with the next question", async () => {
  const scene = new Scene();
  await scene.comes(ANSWER);
  scene.viewer.write({ ...scene.viewer.read(), profile: "p27", mode: "sandwich", ...{ sandwichOf: "f4" } });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(scene.places.read(), null);
});

test("a function comes before the thread it is in, and a figure's address names the thread", () => {
  const cited = [CITED, { ...CITED, handle: "p2" }];
  assert.deepEqual(subjectOf(answered("In [main](#p2), [flush](#f4)", { citations: cited })), {
    handle: "f4",
    profile: null,
  });
  assert.deepEqual(subjectOf(answered("In [main](p2) [2 ms](#p2.f9.self)", { citations: cited })), {
    handle: "f9",
    profile: "p2",
  });
  assert.deepEqual(subjectOf(answered("Only [main](#p2)", { citations: cited })), { handle: "p2", profile: null });
  assert.equal(subjectOf(answered("[gone](#f7)")), null);
});

test("the places of all links of an answer are asked for together, each in its thread", () => {
  const text =
    "[flush](#f4) in [main](#p1): [5%](#n7.total/p1) of [2 s](#q2.c1), [3 ms](#f9.self) of [others](https://example.com).";
  assert.deepEqual(addressesOf(answered(text)), ["f4", "p1", "p1.n7", "f9"]);
});
