/** What of an answer was found in the trace: a count, and on demand each claim. */
import { Icon } from "../icons.tsx";
import type { Check } from "../protocol.ts";

const WORDS: Record<Check["status"], string> = {
  verified: "in the trace",
  derived: "follows from the trace",
  not_found: "not found",
};

/** "5 numbers checked against the trace", and how many were not found there. */
export function checksSummary(checks: Check[]): string {
  const missing = checks.filter((check) => check.status === "not_found").length;
  const kind = checks.every((check) => check.kind === "number" || check.kind === "percentage") ? "number" : "claim";
  const counted = `${checks.length} ${kind}${checks.length === 1 ? "" : "s"} checked against the trace`;
  return missing === 0 ? `${counted}, all found` : `${counted}, ${missing} not found`;
}

export function Checks({ checks }: { checks: Check[] }) {
  if (checks.length === 0) return null;
  const missing = checks.some((check) => check.status === "not_found");
  return (
    <details class="checks" data-missing={missing || undefined}>
      <summary>
        <Icon name={missing ? "warning" : "check"} />
        {checksSummary(checks)}
      </summary>
      <ul tabIndex={0} aria-label="Claims of the answer">
        {checks.map((check, index) => (
          <li key={index} data-status={check.status}>
            <Icon name={check.status === "not_found" ? "warning" : "check"} />
            <span>{check.claim}</span>
            <em>{WORDS[check.status]}</em>
          </li>
        ))}
      </ul>
    </details>
  );
}
