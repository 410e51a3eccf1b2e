/** What of an answer was found in the trace: a count, and on demand each claim. */
import { Icon } from "../icons.tsx";
import type { Check } from "../protocol.ts";

const WORDS: Record<Check["status"], string> = {
  verified: "in the trace",
  derived: "follows from the trace",
  not_found: "not verified",
};
const NUMBERS: ReadonlySet<Check["kind"]> = new Set(["number", "percentage", "ratio", "count"]);

/** "5 numbers checked against the trace", and how many were not found there. */
export function checksSummary(checks: Check[]): string {
  const missing = checks.filter((check) => check.status === "not_found").length;
  const kind = checks.every((check) => NUMBERS.has(check.kind)) ? "number" : "claim";
  const counted = `${checks.length} ${kind}${checks.length === 1 ? "" : "s"} checked against the trace`;
  return missing === 0 ? `${counted}, all found` : `${counted}, ${missing} not verified`;
}

interface ChecksProps {
  checks: Check[];
  isOpen: boolean;
  /** While the list is open the claims are marked in the text too. */
  open: (isOpen: boolean) => void;
}

export function Checks({ checks, isOpen, open }: ChecksProps) {
  if (checks.length === 0) return null;
  const missing = checks.some((check) => check.status === "not_found");
  const ordered = checks
    .map((check, index) => ({ check, index }))
    .sort((a, b) => Number(b.check.status === "not_found") - Number(a.check.status === "not_found"));
  return (
    <details
      class="checks"
      data-missing={missing || undefined}
      open={isOpen}
      onToggle={(event) => open(event.currentTarget.open)}
    >
      <summary>
        <Icon name={missing ? "warning" : "check"} />
        {checksSummary(checks)}
      </summary>
      <ul aria-label="Claims of the answer">
        {ordered.map(({ check, index }) => (
          <li key={index} data-status={check.status}>
            <button type="button" title="Show it in the answer" onClick={(event) => show(event.currentTarget, index)}>
              <Icon name={check.status === "not_found" ? "warning" : "check"} />
              <span>{check.claim}</span>
              <em>{check.how ?? WORDS[check.status]}</em>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Bring a claim of the same answer into sight. */
function show(from: Element, index: number): void {
  const claims = from.closest(".turn")?.querySelectorAll<HTMLElement>(`.claim[data-claim="${index}"]`) ?? [];
  claims[0]?.scrollIntoView({ block: "center" });
  for (const claim of claims) {
    claim.dataset.shown = "";
    claim.addEventListener("animationend", () => delete claim.dataset.shown, { once: true });
    setTimeout(() => delete claim.dataset.shown, 1600); // where nothing is animated
  }
}
