/** A finding as the server sends it, and the few words made of it. */
import type { AxisWindow } from "../viewer/window.ts";

export interface Insight {
  id: string;
  title: string;
  severity: "high" | "medium" | "low" | "info";
  confidence: "high" | "medium" | "low";
  detail: string;
  profile: string | null;
  /** The name of its thread where the trace has several. */
  thread: string | null;
  /** On the axis of the profile. */
  window: AxisWindow | null;
  evidence: { handle: string; name: string }[];
  advice: string;
  questions: string[];
}

/** "2 high, 1 low", or what to say instead. */
export function countsOf(found: { insights: { severity: string }[] } | null): string {
  if (!found) return "Looking…";
  const counts = ["high", "medium", "low", "info"].map(
    (severity) => [severity, found.insights.filter((insight) => insight.severity === severity).length] as const,
  );
  const said = counts.filter(([, count]) => count > 0).map(([severity, count]) => `${count} ${severity}`);
  return said.join(", ") || "Nothing stands out";
}

/** A question that names the finding and, where it has one, its function. */
export function questionAbout(insight: Pick<Insight, "title" | "evidence">): string {
  const first = insight.evidence[0];
  const about = first?.handle.startsWith("f") ? `: what about ${first.handle}?` : "?";
  return `${insight.title}${about}`;
}
