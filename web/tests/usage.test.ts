import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chosenModel,
  isLifted,
  price,
  widerPlans,
  type Meter,
  type MyUsage,
  type Plan,
} from "../src/accounts/usage.ts";
import type { ChatError } from "../src/protocol.ts";
import { emptyConversation, reduce } from "../src/chat/conversation.ts";

function plan(name: string, more: Partial<Plan> = {}): Plan {
  return {
    name,
    displayName: name,
    priceMonthlyCents: 0,
    chatMessagesPerSession: 2,
    chatSessionsLimit: 1,
    chatSessionsPeriod: "lifetime",
    monthlyUploadLimit: null,
    totalTraceLimit: null,
    retentionDays: null,
    monthlyCostLimitCents: null,
    monthlyTokenLimit: null,
    turnTokenLimit: null,
    apiKeysLimit: null,
    apiRequestsPerMinute: null,
    monthlyRenderLimit: null,
    overBudget: "refuse",
    allowPublicSharing: false,
    chatModels: [],
    hiddenTools: [],
    isRetired: false,
    ...more,
  };
}

function meter(limitType: Meter["limitType"], left: number | null): Meter {
  return { limitType, used: 1, limit: left === null ? null : 1 + left, left, resetsAt: null };
}

function mine(sessionsLeft: number | null, messagesLeft: number | null, onOffer: Plan[] = []): MyUsage {
  return {
    usage: {
      userId: "u",
      displayName: null,
      subscribedPlan: "free",
      status: "free",
      plan: plan("free"),
      grantedSessions: 0,
      ownLimits: { monthlyCostLimitCents: null, monthlyTokenLimit: null, turnTokenLimit: null },
      apiKeys: 0,
      periodEnd: "2026-01-01T00:00:00Z",
      meters: [meter("lifetime_analyses", sessionsLeft), meter("total_traces", 0)],
    },
    messages: meter("session_messages", messagesLeft),
    onOffer,
    isAdministrator: false,
    models: [],
  };
}

function refusal(limitType: ChatError["limitType"]): ChatError {
  return {
    type: "chat_error",
    errorCode: "limit_exceeded",
    limitType,
    message: "No more.",
    used: 1,
    limit: 1,
    planName: "free",
    resetsAt: null,
  };
}

test("a refusal is lifted by room in what refused, and by nothing else", () => {
  assert.equal(isLifted(refusal("lifetime_analyses"), mine(0, 9)), false);
  assert.equal(isLifted(refusal("lifetime_analyses"), mine(1, 0)), true);
  assert.equal(isLifted(refusal("monthly_sessions"), mine(null, 0)), true);
  assert.equal(isLifted(refusal("session_messages"), mine(9, 0)), false);
  assert.equal(isLifted(refusal("session_messages"), mine(0, null)), true);
});

test("the plans that help are named, cheapest first, and the one of a single machine is not sold", () => {
  const offered = [
    plan("free"),
    plan("big", { chatSessionsLimit: null, priceMonthlyCents: 3000 }),
    plan("pro", { chatSessionsLimit: 30, priceMonthlyCents: 1500 }),
    plan("small", { chatSessionsLimit: 1 }),
    plan("local", { chatSessionsLimit: null }),
  ];
  const wider = widerPlans(refusal("lifetime_analyses"), mine(0, 9, offered));
  assert.deepEqual(
    wider.map((one) => `${one.name} ${price(one)}`),
    ["pro 15.00 a month", "big 30.00 a month"],
  );
});

test("a remembered model is asked for while it is offered, and the default is left to the server", () => {
  const offered = ["large", "small"].map((name) => ({ name, label: name }));
  assert.equal(chosenModel(offered, "small"), "small");
  assert.equal(chosenModel(offered, "large"), null);
  assert.equal(chosenModel(offered, "gone"), null);
  assert.equal(chosenModel(offered, null), null);
  assert.equal(chosenModel(null, "small"), "small");
});

test("what is said of a budget is shown until it is dismissed", () => {
  const message = "80 % of this month's budget for language models are used.";
  const state = reduce(emptyConversation("s"), {
    type: "limits_changed",
    limitType: "monthly_cost",
    percent: 80,
    used: 80,
    limit: 100,
    planName: "team",
    resetsAt: "2026-12-01T00:00:00Z",
    userId: "u",
    accountId: null,
    message,
  });
  assert.equal(state.notice, message);
  assert.equal(reduce(state, { type: "notice_read" }).notice, null);
});
