/** Plans and usage as the server sends them, and what they mean for the page. */
import { json, post } from "../api.ts";
import type { ChatError } from "../protocol.ts";

export interface Plan {
  name: string;
  displayName: string;
  priceMonthlyCents: number;
  chatMessagesPerSession: number | null;
  chatSessionsLimit: number | null;
  chatSessionsPeriod: "lifetime" | "monthly" | null;
  monthlyUploadLimit: number | null;
  totalTraceLimit: number | null;
  retentionDays: number | null;
  monthlyCostLimitCents: number | null;
  monthlyTokenLimit: number | null;
  turnTokenLimit: number | null;
  apiKeysLimit: number | null;
  apiRequestsPerMinute: number | null;
  monthlyRenderLimit: number | null;
  overBudget: "refuse" | "built_in";
  allowPublicSharing: boolean;
  chatModels: string[];
  hiddenTools: string[];
  isRetired: boolean;
}

/** One thing that is counted; null limits are unlimited. */
export interface Meter {
  limitType:
    | "session_messages"
    | "lifetime_analyses"
    | "monthly_sessions"
    | "monthly_uploads"
    | "total_traces"
    | "monthly_cost"
    | "monthly_tokens"
    | "monthly_renders"
    | "api_keys";
  used: number;
  limit: number | null;
  left: number | null;
  resetsAt: string | null;
}

export interface SpendingLimits {
  monthlyCostLimitCents: number | null;
  monthlyTokenLimit: number | null;
  turnTokenLimit: number | null;
}

export interface Usage {
  userId: string;
  displayName: string | null;
  subscribedPlan: string;
  status: string;
  plan: Plan;
  grantedSessions: number;
  /** Keys for programs that work. */
  apiKeys: number;
  /** Budgets below the plan's; null is none. */
  ownLimits: SpendingLimits;
  periodEnd: string;
  meters: Meter[];
}

export interface OfferedModel {
  name: string;
  label: string;
}

export interface MyUsage {
  usage: Usage;
  messages: Meter | null;
  onOffer: Plan[];
  isAdministrator: boolean;
  /** What a question may ask for, the default first. */
  models: OfferedModel[];
}

export interface Forecast {
  users: number;
  reachedNow: number;
  reachedThen: number;
  fullNow: number;
  fullThen: number;
}

export interface PlanChange {
  changedAt: string;
  action: string;
  planName: string | null;
  userId: string | null;
  reason: string | null;
}

export function myUsage(sessionId?: string): Promise<MyUsage> {
  return json<MyUsage>(`/me/usage${sessionId ? `?sessionId=${encodeURIComponent(sessionId)}` : ""}`);
}

export const admin = {
  plans: async () => (await json<{ plans: Plan[] }>("/admin/plans")).plans,
  /** The first users, as many as asked for in full pages, and whether there are more. */
  users: async (most: number): Promise<{ users: Usage[]; areMore: boolean }> => {
    const users: Usage[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      if (users.length >= most) return { users, areMore: true };
      const page: { users: Usage[]; nextOffset: number | null } = await json(`/admin/users?offset=${offset}`);
      users.push(...page.users);
      offset = page.nextOffset;
    }
    return { users, areMore: false };
  },
  changes: async () => (await json<{ changes: PlanChange[] }>("/admin/changes?limit=50")).changes,
  create: (plan: Partial<Plan>) => post("/admin/plans", plan),
  change: (name: string, changes: Partial<Plan>) => post(`/admin/plans/${name}`, changes, "PATCH"),
  foresee: async (name: string, changes: Partial<Plan>) =>
    ((await post(`/admin/plans/${name}/forecast`, changes)) as { forecast: Forecast }).forecast,
  retire: (name: string) => post(`/admin/plans/${name}/retire`, {}),
  putOnPlan: (userId: string, plan: string) => post(`/admin/users/${userId}/plan`, { plan }, "PUT"),
  grant: (userId: string, sessions: number) => post(`/admin/users/${userId}/grant`, { sessions }),
  limit: (userId: string, limits: SpendingLimits) => post(`/admin/users/${userId}/limits`, limits, "PUT"),
  reset: (userId: string) => post(`/admin/users/${userId}/reset`, {}),
  revokeKeys: (userId: string) => post(`/admin/users/${userId}/revoke-keys`, {}),
};

export const METER_WORDS: Record<Meter["limitType"], string> = {
  session_messages: "messages in this conversation",
  lifetime_analyses: "conversations",
  monthly_sessions: "conversations this month",
  monthly_uploads: "uploads this month",
  total_traces: "traces",
  monthly_cost: "cents for language models this month",
  monthly_tokens: "tokens of language models this month",
  monthly_renders: "pictures this month",
  api_keys: "keys for programs",
};

/** Whether the limit that refused a question would let it through now. */
export function isLifted(refusal: ChatError, mine: MyUsage): boolean {
  const isBudget = refusal.limitType === "monthly_cost" || refusal.limitType === "monthly_tokens";
  const meter =
    refusal.limitType === "session_messages"
      ? mine.messages
      : mine.usage.meters.find(({ limitType }) =>
          isBudget
            ? limitType === refusal.limitType
            : limitType === "lifetime_analyses" || limitType === "monthly_sessions",
        );
  return meter !== null && meter !== undefined && (meter.left === null || meter.left > 0);
}

/** The model that a question asks for; null leaves it to the server, also when the choice is no longer offered. */
export function chosenModel(offered: OfferedModel[] | null, kept: string | null): string | null {
  if (!offered) return kept; // not known yet: the server refuses what it does not offer
  return offered.slice(1).some(({ name }) => name === kept) ? kept : null;
}

/** Plans on offer that would let the refused question through, by price. */
export function widerPlans(refusal: ChatError, mine: MyUsage): Plan[] {
  const ceiling = (plan: Plan) => {
    if (refusal.limitType === "session_messages") return plan.chatMessagesPerSession;
    if (refusal.limitType === "monthly_cost") return plan.monthlyCostLimitCents;
    if (refusal.limitType === "monthly_tokens") return plan.monthlyTokenLimit;
    return plan.chatSessionsLimit;
  };
  return mine.onOffer
    .filter((plan) => plan.name !== mine.usage.plan.name && plan.name !== "local")
    .filter((plan) => ceiling(plan) === null || ceiling(plan)! > (refusal.limit ?? 0))
    .sort((a, b) => a.priceMonthlyCents - b.priceMonthlyCents);
}

export function price(plan: Plan): string {
  return plan.priceMonthlyCents === 0 ? "free" : `${(plan.priceMonthlyCents / 100).toFixed(2)} a month`;
}

export function day(date: string): string {
  return new Date(date).toLocaleDateString(undefined, { dateStyle: "long" });
}
