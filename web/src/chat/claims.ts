/** Claims of an answer, found again in its rendered text, so that what was not verified can be underlined where it stands. */
import type { MarkdownIt, Token } from "markdown-it";
import type { Check, FigurePlace } from "../protocol.ts";
import { placedText, type Placed } from "./source_places.ts";

/** A range of a source text, in UTF-16 units; `index` is the check's place among those of the answer. */
export interface Claim {
  start: number;
  end: number;
  index: number;
  status: Check["status"];
  words: string;
  /** Of a figure that is a link: its address, and where it is in the chart when that does not say. */
  address: string | null;
  place: FigurePlace | null;
}

const SEVERITY: Record<Check["status"], number> = {
  contradicted: 4,
  not_found: 3,
  unchecked: 2,
  external: 2,
  derived: 1,
  verified: 0,
};

/** Whether the trace speaks against a claim: it is shown without being asked for. */
export function isWrong(status: Check["status"]): boolean {
  return status === "contradicted" || status === "not_found";
}

/** What is said of a claim. */
export function verdict(check: Check): string {
  if (check.status === "verified") return "In the trace.";
  if (check.status === "derived")
    return check.how ? `Follows from the trace: ${check.how}.` : "Follows from the trace.";
  if (check.status === "contradicted")
    return check.actual ? `Not so. The trace says: ${check.actual}.` : "Not so: the trace says otherwise.";
  if (check.status === "unchecked")
    return check.how ? `Could not be checked: ${check.how}.` : "Could not be checked against the trace.";
  if (check.status === "external") return check.how ? `From outside: ${check.how}.` : "From outside, not of the trace.";
  if (check.kind === "name") return "Not verified: nothing that was looked up has this name.";
  if (check.kind === "cause") return "Not verified: no call path in the trace supports this cause.";
  return "Not verified: this is not in what was looked up in the trace, and does not follow from it.";
}

/** Checks count code points of the answer; the ranges they mean, in UTF-16 units. Those that are not in the text are left out. */
export function claimsOf(text: string, checks: Check[]): Claim[] {
  const units: number[] = [];
  let unit = 0;
  for (const character of text) {
    units.push(unit);
    unit += character.length;
  }
  units.push(unit);
  return checks.flatMap((check, index) => {
    const start = units[check.start];
    const end = units[check.end];
    if (start === undefined || end === undefined || end <= start) return [];
    const { status, address, place } = check;
    return [{ start, end, index, status, words: verdict(check), address, place: place ?? null }];
  });
}

/** Where figures are in the chart, by their addresses, when these do not say. */
export function placesOf(claims: Claim[]): Map<string, FigurePlace> {
  return new Map(claims.flatMap(({ address, place }) => (address && place ? [[address, place] as const] : [])));
}

/** The claims of each block, counted from its start: blocks are the lines of the text, one after the other. */
export function claimsOfBlocks(blocks: string[], claims: Claim[]): Claim[][] {
  let start = 0;
  return blocks.map((block) => {
    const end = start + block.length;
    const here = claims
      .filter((claim) => claim.start < end && claim.end > start)
      .map((claim) => ({ ...claim, start: claim.start - start, end: claim.end - start }));
    start = end + 1;
    return here;
  });
}

/** Have `markdown` mark the claims of its environment: `<mark class="claim">` around the text that makes them. */
export function markClaims(markdown: MarkdownIt): void {
  markdown.renderer.rules.verdict = (tokens, index) =>
    `<span class="verdict">${markdown.utils.escapeHtml(tokens[index]!.content)}</span>`;
  // before text_join, while what was written as an escape is still a token of its own
  markdown.core.ruler.before("text_join", "claims", (state) => {
    const { claims, verdicts } = state.env as { claims?: Claim[]; verdicts?: boolean };
    if (!claims?.length) return;
    const places = new Map(placedText(state.md, state.src, state.tokens).map((placed) => [placed.token, placed]));
    const reachable = new Set<Claim>();
    for (const line of state.tokens) {
      let links = 0; // a link is reached by itself: nothing in it is
      line.children =
        line.children?.flatMap((token) => {
          if (token.type === "link_open") links += 1;
          if (token.type === "link_close") links -= 1;
          const placed = places.get(token);
          return placed ? marked(placed, claims, links ? null : reachable, state.Token) : [token];
        }) ?? null;
      if (verdicts && line.children) line.children = withVerdicts(line.children, claims, state.Token);
    }
  });
}

/** Behind the last mark of each wrong claim: what is said of it, in brackets. */
function withVerdicts(tokens: Token[], claims: Claim[], Make: typeof Token): Token[] {
  const last = new Map<number, Token>();
  for (const token of tokens) if (token.type === "claim_close") last.set(claimOf(token), token);
  return tokens.flatMap((token) => {
    const index = token.type === "claim_close" ? claimOf(token) : null;
    const claim = index !== null && last.get(index) === token && claims.find((one) => one.index === index);
    if (!claim || !isWrong(claim.status)) return [token];
    const words = new Make("verdict", "", 0); // no text: it would be joined with what follows
    words.content = ` [${claim.words.replace(/\.$/, "")}]`;
    return [token, words];
  });
}

function claimOf(close: Token): number {
  return Number(close.meta?.claim);
}

/** A token cut where claims begin and end, with marks around the parts that claim. */
function marked({ token, places }: Placed, claims: Claim[], reachable: Set<Claim> | null, Make: typeof Token): Token[] {
  const near = claims.filter((claim) => places.some((place) => place >= claim.start && place < claim.end));
  if (near.length === 0) return [token];
  if (token.type === "text_special") return wrapped(token, worst(near)!, reachable, Make);
  const parts: { claim: Claim | null; text: string }[] = [];
  places.forEach((place, at) => {
    const claim = worst(near.filter((one) => place >= one.start && place < one.end));
    const last = parts.at(-1);
    if (last && last.claim === claim) last.text += token.content[at];
    else parts.push({ claim, text: token.content[at]! });
  });
  const texts = parts.flatMap(({ claim, text }) => {
    const part = new Make("text", "", 0);
    part.content = text;
    return claim ? wrapped(part, claim, reachable, Make) : [part];
  });
  return token.type === "text"
    ? texts
    : [new Make("code_open", "code", 1), ...texts, new Make("code_close", "code", -1)];
}

/** Of claims within one another, the one that matters most; of equals the shortest. */
function worst(claims: Claim[]): Claim | null {
  const order = (a: Claim, b: Claim) => SEVERITY[b.status] - SEVERITY[a.status] || a.end - a.start - (b.end - b.start);
  return [...claims].sort(order)[0] ?? null;
}

function wrapped(token: Token, claim: Claim, reachable: Set<Claim> | null, Make: typeof Token): Token[] {
  const open = new Make("claim_open", "mark", 1);
  open.attrs = [
    ["class", "claim"],
    ["data-status", claim.status],
    ["data-claim", String(claim.index)],
  ];
  if (isWrong(claim.status) && reachable && !reachable.has(claim)) {
    open.attrs.push(["tabindex", "0"], ["aria-description", claim.words]);
    reachable.add(claim);
  }
  const close = new Make("claim_close", "mark", -1);
  close.meta = { claim: claim.index };
  return [open, token, close];
}
