/** What model calls came to, as the server adds it up, and the same as rows and as a chart: pure, so that it can be tested. */
import { json } from "../api.ts";
import type { AnswerChart } from "../questions/asked.ts";

export const WAYS = ["day", "user", "account", "model", "purpose", "prompt"] as const;
export type Way = (typeof WAYS)[number];

export interface Spend {
  key: string;
  calls: number;
  failedCalls: number;
  unpricedCalls: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  costUsd: number | null;
}

/** How the answers by one version of the prompt came out. */
export interface PromptOutcome {
  promptVersion: string;
  turns: number;
  completed: number;
  medianSeconds: number;
  p95Seconds: number;
  claims: number;
  verifiedShare: number | null;
  thumbsUp: number;
  thumbsDown: number;
}

export interface SpendReport {
  by: Way;
  spend: Spend[];
  note: string;
  outcomes: PromptOutcome[];
}

export interface BudgetNotice {
  noticeId: string;
  percent: number;
  at: string;
  message: string;
}

/** The address of a report over the last days, today included; as a table of a spreadsheet where that is asked for. */
export function spendPath(by: Way, days: number, form: "json" | "csv", now: Date = new Date()): string {
  const since = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - days + 1));
  const asked = new URLSearchParams({ by, since: since.toISOString(), ...(form === "csv" && { format: "csv" }) });
  return `/admin/spend?${asked}`;
}

export function spend(by: Way, days: number): Promise<SpendReport> {
  return json<SpendReport>(spendPath(by, days, "json"));
}

export async function budgetNotices(): Promise<BudgetNotice[]> {
  return (await json<{ notices: BudgetNotice[] }>("/admin/budget-notices?limit=20")).notices;
}

export function dollars(cost: number | null): string {
  return cost === null ? "not known" : `${cost.toFixed(cost !== 0 && cost < 0.1 ? 4 : 2)} USD`;
}

/** A bar for each row, a line over days: of dollars, or where no cost is known of tokens. */
export function spendChart({ by, spend: rows }: SpendReport): AnswerChart {
  const isPriced = rows.some((row) => row.costUsd !== null);
  return {
    kind: by === "day" && rows.length > 1 ? "line" : "bars",
    unit: isPriced ? "USD" : "tokens",
    points: rows.map((row) => ({
      label: row.key || "none",
      value: isPriced ? (row.costUsd ?? 0) : row.inputTokens + row.outputTokens,
    })),
  };
}
