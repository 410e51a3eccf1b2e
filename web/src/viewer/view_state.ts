/**
 * A view as an address: `?view=left_heavy&thread=p3&start=10&end=20&find=parse&at=15#f12`. What is not there is as the trace opens: in
 * time order, the first thread, all of it, nothing found or selected. The fragment is the handle of what is selected.
 */
import { isPanel, type PanelName } from "../tables/panels.ts";
import { isColouring, type Colouring } from "./colouring.ts";
import { MOST_OPEN } from "./open_threads.ts";
import { textOf, transformsOf, type Transforms } from "./transforms.ts";
import type { ViewMode } from "./view_bytes.ts";
import type { AxisWindow } from "./window.ts";

export interface ViewState {
  mode: ViewMode;
  /** Null for the trace's first thread. */
  profile: string | null;
  /** All that are open, from top to bottom, where several are. */
  threads: readonly string[];
  /** What a sandwich is of. */
  sandwichOf: string | null;
  diff: { before: string; compare: "values" | "shares" } | null;
  /** The range of time that left heavy is of; null for all of it. */
  within: AxisWindow | null;
  /** What is done to the call tree, in order. */
  transforms: Transforms;
  /** On the axis of the thread; null for all of it. */
  window: AxisWindow | null;
  search: string;
  /** Whether the search is a regular expression. */
  isExpression: boolean;
  selection: string | null;
  /** A place on the axis within the selected box: several boxes can be of one path. */
  at: number | null;
  /** The table under the chart. */
  panel: PanelName | null;
  /** By what boxes are coloured. */
  colouring: Colouring;
  /** The first row in sight of the chosen thread. */
  row: number;
  /** The id of the finding that is open. */
  finding: string | null;
}

export const OPENED: ViewState = {
  mode: "time_order",
  profile: null,
  threads: [],
  sandwichOf: null,
  diff: null,
  within: null,
  transforms: [],
  window: null,
  search: "",
  isExpression: false,
  selection: null,
  at: null,
  panel: null,
  colouring: "file",
  row: 0,
  finding: null,
};

const MODES: ReadonlySet<string> = new Set(["time_order", "left_heavy", "sandwich", "diff"]);
const LONGEST = 4_000;
/** With transforms and search in place of the id under which the server keeps them. */
export const LONGEST_KEPT = 60_000;
const LONGEST_SEARCH = 500;
const FINDING = /^[a-z0-9_.-]{1,80}$/i;
const HANDLE = /^[fns]\d{1,10}$/;

/** `?…#…` of a view; empty for a trace as it opens. */
export function addressOf(state: ViewState): string {
  const said = new URLSearchParams();
  if (state.mode !== "time_order") said.set("view", state.mode);
  if (state.profile) said.set("thread", state.profile);
  if (state.threads.length) said.set("threads", state.threads.join(","));
  if (state.mode === "sandwich" && state.sandwichOf) said.set("of", state.sandwichOf);
  if (state.mode === "diff" && state.diff) {
    said.set("before", state.diff.before);
    if (state.diff.compare !== "values") said.set("compare", state.diff.compare);
  }
  if (state.mode === "left_heavy" && state.within) said.set("within", `${state.within.start},${state.within.end}`);
  const transforms = textOf(state.transforms);
  if (transforms) said.set("transforms", transforms);
  if (state.window) {
    said.set("start", String(state.window.start));
    said.set("end", String(state.window.end));
  }
  if (state.search) said.set("find", state.search.slice(0, LONGEST_SEARCH));
  if (state.search && state.isExpression) said.set("syntax", "regex");
  if (state.panel) said.set("table", state.panel);
  if (state.colouring !== "file") said.set("colours", state.colouring);
  if (state.row) said.set("row", String(state.row));
  if (state.finding) said.set("finding", state.finding);
  if (state.selection && state.at !== null) said.set("at", String(state.at));
  const query = said.toString();
  return `${query && `?${query}`}${state.selection ? `#${state.selection}` : ""}`;
}

/** The view of an address, and in words what of it could not be understood; that part is as the trace opens. */
export function viewOf(
  query: string,
  fragment: string,
  profiles: ReadonlySet<string>,
  longest = LONGEST,
): [ViewState, string[]] {
  if (query.length + fragment.length > longest)
    return [{ ...OPENED }, ["This link is too long to be a view of this trace; it is shown from the start."]];
  const said = new URLSearchParams(query);
  const problems: string[] = [];
  const isNone = (what: string) =>
    problems.push(`The link names ${what} that this trace does not have; the rest is shown.`);
  const state: ViewState = { ...OPENED };
  const mode = said.get("view");
  if (mode !== null && MODES.has(mode)) state.mode = mode as ViewMode;
  else if (mode !== null) isNone("a view");
  const thread = said.get("thread");
  if (thread !== null && profiles.has(thread)) state.profile = thread;
  else if (thread !== null) isNone("a thread");
  const threads = [...new Set(said.get("threads")?.split(",") ?? [])];
  state.threads = threads.filter((one) => profiles.has(one)).slice(0, MOST_OPEN);
  if (state.threads.length < threads.length) isNone("threads, or more of them than can be open,");
  if (state.threads.length < 2) state.threads = [];
  const of = said.get("of");
  if (of !== null && HANDLE.test(of)) state.sandwichOf = of;
  const before = said.get("before");
  if (before !== null && /^[A-Za-z0-9_-]{1,64}$/.test(before))
    state.diff = { before, compare: said.get("compare") === "shares" ? "shares" : "values" };
  const [start, end] = [numberOf(said.get("start")), numberOf(said.get("end"))];
  if (start !== null && end !== null && start < end) state.window = { start, end };
  else if (said.has("start") || said.has("end")) isNone("a range of time");
  const within = said.get("within")?.split(",").map(numberOf) ?? [];
  if (within.length === 2 && within[0]! !== null && within[1]! !== null && within[0]! < within[1]!)
    state.within = { start: within[0]!, end: within[1]! };
  else if (said.has("within")) isNone("a range of time");
  const transforms = transformsOf(said.get("transforms"));
  if (transforms) state.transforms = transforms;
  else isNone("transforms");
  state.search = (said.get("find") ?? "").slice(0, LONGEST_SEARCH);
  state.isExpression = state.search !== "" && said.get("syntax") === "regex";
  const selection = fragment.replace(/^#/, "");
  if (/^[fnsp]\d{1,10}$/.test(selection)) state.selection = selection;
  else if (selection) isNone("a thing");
  state.at = numberOf(said.get("at"));
  const panel = said.get("table");
  if (isPanel(panel)) state.panel = panel;
  else if (panel !== null) isNone("a table");
  const colouring = said.get("colours");
  if (isColouring(colouring)) state.colouring = colouring;
  else if (colouring !== null) isNone("colours");
  const row = said.get("row");
  if (row !== null && /^\d{1,4}$/.test(row)) state.row = Number(row);
  else if (row !== null) isNone("a row");
  const finding = said.get("finding");
  if (finding !== null && FINDING.test(finding)) state.finding = finding;
  else if (finding !== null) isNone("a finding");
  return [state, problems];
}

/** Whether going from one to the other is a step that Back undoes; what moves within a view is none. */
export function isStep(from: ViewState, to: ViewState): boolean {
  const named = ({
    mode,
    profile,
    threads,
    sandwichOf,
    diff,
    within,
    transforms,
    search,
    isExpression,
    selection,
    panel,
    finding,
  }: ViewState) =>
    JSON.stringify([
      mode,
      profile,
      threads,
      mode === "sandwich" && sandwichOf,
      mode === "diff" && diff,
      mode === "left_heavy" && within,
      transforms,
      search,
      isExpression,
      selection,
      panel,
      finding,
    ]);
  return named(from) !== named(to);
}

function numberOf(text: string | null): number | null {
  if (text === null || !/^-?\d{1,30}(\.\d{1,30})?(e[+-]?\d{1,3})?$/.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}
