/** Gates that the server keeps, and what they found, as it sends them. */
import { json, post, remove } from "../api.ts";
import { labelChanges } from "../home/labels.ts";

export interface Gate {
  gateId: string;
  name: string;
  program: string | null;
  labels: Record<string, string>;
  rules: string[];
  baseline: Record<string, string>;
  lastRuns: number;
  webhookUrl: string | null;
}

export interface GateResult {
  resultId: string;
  gateId: string;
  gateName: string;
  traceId: string;
  outcome: "held" | "broken" | "not decidable" | null;
  problem: string | null;
  report: { results?: { rule: { text: string }; outcome: string; reason: string }[]; runs_before?: string[] } | null;
  createdAt: string;
  acceptedAt: string | null;
  acceptedReason: string | null;
}

/** A gate with the secret of its webhook, which is in no other answer. */
export interface MadeGate {
  gate: Gate;
  webhookSecret: string | null;
}

/** What somebody has typed of a new gate: labels and rules one a line. */
export interface GateText {
  name: string;
  labels: string;
  baseline: string;
  rules: string;
  lastRuns: string;
  webhookUrl: string;
}

/** What is sent of it; a sentence for what cannot be sent. */
export function gateOf(text: GateText): object | string {
  const [labels, baseline] = [text.labels, text.baseline].map((one) => labelChanges(one, {}));
  if (typeof labels === "string") return labels;
  if (typeof baseline === "string") return baseline;
  const rules = text.rules.split("\n").flatMap((rule) => rule.trim() || []);
  if (!Object.keys(baseline!).length) return "Say by which runs it is judged, such as branch:main.";
  if (!rules.length) return "Name a rule, such as total +3%.";
  const lastRuns = Number(text.lastRuns);
  return { name: text.name.trim(), labels, baseline, rules, lastRuns, webhookUrl: text.webhookUrl.trim() || null };
}

/** Why a result is as it is, a line each. */
export function reasonsOf({ problem, report }: GateResult): string[] {
  if (problem) return [problem];
  const rules = report?.results?.filter(({ outcome }) => outcome !== "held") ?? [];
  return rules.map(({ rule, reason }) => `${rule.text}: ${reason}`);
}

/** The conversation about the run, next to what changed since the newest run before, where one is known. */
export function talkAbout({ traceId, report }: GateResult): string {
  const before = report?.runs_before?.at(-1);
  return `/t/${encodeURIComponent(traceId)}${before ? `?view=diff&before=${encodeURIComponent(before)}` : ""}`;
}

export const keptGates = {
  list: async () => (await json<{ gates: Gate[] }>("/gates")).gates,
  make: async (gate: object) => (await post("/gates", gate)) as MadeGate,
  remove: (gateId: string) => remove(`/gates/${encodeURIComponent(gateId)}`),
  results: async () => (await json<{ results: GateResult[] }>("/gates/results?limit=50")).results,
  accept: (resultId: string, reason: string) =>
    post(`/gates/results/${encodeURIComponent(resultId)}/accept`, { reason }),
};
