/** What became of an answer's claims, as one sentence: the words of server/protocol/checks_sentence.py. */
import type { Check } from "../protocol.ts";

const SHOWN = 3;
const SHOWN_CHARACTERS = 60;
const STATEMENTS: ReadonlySet<string> = new Set(["cause", "relation"]);
const ABSENT: ReadonlySet<string> = new Set(["not_found", "contradicted"]);
const HOLDS: ReadonlySet<string> = new Set(["verified", "derived"]);

/** "5 figures and 1 statement hold, 1 contradicted: 40 ms (12 ms), 2 could not be checked"; empty without claims. */
export function checksSentence(checks: Check[]): string {
  const names = checks.filter((check) => check.kind === "name");
  const claims = checks.filter((check) => check.kind !== "name");
  const right = claims.filter((check) => HOLDS.has(check.status));
  const statements = right.filter((check) => STATEMENTS.has(check.kind)).length;
  const wrong = claims.filter((check) => check.status === "contradicted");
  const unknown = names.filter((check) => ABSENT.has(check.status));
  const unread = names.filter((check) => !HOLDS.has(check.status) && !ABSENT.has(check.status)).length;
  const outside = claims.filter((check) => check.status === "external").length;
  const open = claims.length - right.length - wrong.length - outside + unread;
  let counts: [number, string][] = [
    [right.length - statements, "figure"],
    [statements, "statement"],
  ];
  if (claims.length === 0) counts = [[names.length - unknown.length - unread, "name"]];
  counts = counts.filter(([count]) => count > 0);
  const parts: string[] = [];
  if (counts.length > 0) {
    const words = counts.map(([count, what]) => `${count} ${what}${count === 1 ? "" : "s"}`).join(" and ");
    parts.push(`${words} ${counts.length === 1 && counts[0]![0] === 1 ? "holds" : "hold"}`);
  }
  if (wrong.length > 0) parts.push(`${wrong.length} contradicted: ${listed(wrong)}`);
  if (unknown.length > 0)
    parts.push(
      `${unknown.length} ${unknown.length === 1 ? "name is" : "names are"} not in the trace: ${listed(unknown)}`,
    );
  if (outside > 0) parts.push(`${outside} from outside`);
  if (open > 0) parts.push(`${open} could not be checked`);
  return parts.join(", ");
}

function listed(checks: Check[]): string {
  const words = checks.slice(0, SHOWN).map((check) => shown(check.claim) + (check.actual ? ` (${check.actual})` : ""));
  return words.join("; ") + (checks.length > SHOWN ? "; …" : "");
}

/** A claim without marks and addresses, in one line. */
export function bareClaim(claim: string): string {
  const bare = claim.replace(/\[([^[\]]*)\]\([^()\s]*\)/g, "$1").replaceAll("`", "");
  return bare.trim().replace(/\s+/g, " ");
}

/** In at most 60 characters. */
function shown(claim: string): string {
  const text = [...bareClaim(claim)];
  return text.length <= SHOWN_CHARACTERS ? text.join("") : text.slice(0, SHOWN_CHARACTERS - 1).join("") + "…";
}
