/** What of an answer was found in the trace: a count, and on demand each claim. */
import { Icon } from "../icons.tsx";
import type { Check } from "../protocol.ts";
import { checksSentence } from "./checks_sentence.ts";
import { isWrong } from "./claims.ts";

const WORDS: Record<Check["status"], string> = {
  verified: "in the trace",
  derived: "follows from the trace",
  contradicted: "not so",
  unchecked: "could not be checked",
  not_found: "not in the trace",
  external: "from outside, not of the trace",
};
const ORDER: Check["status"][] = ["contradicted", "not_found", "unchecked", "external"];

interface ChecksProps {
  checks: Check[];
  isOpen: boolean;
  /** While the list is open the claims are marked in the text too. */
  open: (isOpen: boolean) => void;
}

export function Checks({ checks, isOpen, open }: ChecksProps) {
  if (checks.length === 0) return null;
  const wrong = checks.some((check) => isWrong(check.status));
  const holds = checks.every((check) => check.status === "verified" || check.status === "derived");
  return (
    <details
      class="checks"
      data-wrong={wrong || undefined}
      data-open={(!holds && !wrong) || undefined}
      open={isOpen}
      onToggle={(event) => open(event.currentTarget.open)}
    >
      <summary>
        <Icon name={holds ? "check" : "warning"} />
        {checksSentence(checks)}
      </summary>
      {isOpen && <Claims checks={checks} />}
    </details>
  );
}

function Claims({ checks }: { checks: Check[] }) {
  const ordered = checks.map((check, index) => ({ check, index })).sort((a, b) => rank(a.check) - rank(b.check));
  return (
    <ul aria-label="Claims of the answer">
      {ordered.map(({ check, index }) => (
        <li key={index} data-status={check.status}>
          <button type="button" title="Show it in the answer" onClick={(event) => show(event.currentTarget, index)}>
            <Icon name={check.status === "verified" || check.status === "derived" ? "check" : "warning"} />
            <span>{check.claim}</span>
            <em>{words(check)}</em>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Contradicted claims first, then what is not in the trace, then what could not be checked. */
function rank(check: Check): number {
  const place = ORDER.indexOf(check.status);
  return place < 0 ? ORDER.length : place;
}

function words(check: Check): string {
  if (check.status === "contradicted" && check.actual) return `the trace says ${check.actual}`;
  return check.how ?? WORDS[check.status];
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
