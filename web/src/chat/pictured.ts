/** What a tool's picture or list shows, as the chart can show it. */
import type { ToolPart } from "./turn.ts";

export interface Pictured {
  mode: "time_order" | "left_heavy" | "sandwich" | "diff";
  profile: string | null;
  /** What a sandwich is of: a handle or a name. */
  frame: string | null;
  /** In milliseconds from the profile's start; null where it is an end of the profile. */
  startMs: number | null;
  endMs: number | null;
  highlight: string | null;
  /** As an address has them. */
  transforms: string | null;
  /** Of a difference: the trace before, and how it is compared. */
  diff: { before: string; compare: "values" | "shares" } | null;
}

/** Tools whose answers are of a call tree, by the view of the chart that has the same figures. */
const MODES: Record<string, Pictured["mode"]> = {
  generate_flamegraph_screenshot: "left_heavy",
  generate_sandwich_flamegraph_screenshot: "sandwich",
  get_callers_callees: "sandwich",
  get_call_tree: "left_heavy",
  get_top_functions: "left_heavy",
};

/** The view of what a tool drew or listed; null for something else. */
export function picturedView({
  toolName,
  args,
  shows,
}: Pick<ToolPart, "toolName" | "args" | "shows">): Pictured | null {
  if (shows?.view === "diff") return comparedView(shows, args);
  if (!Object.hasOwn(MODES, toolName)) return null;
  const mode = drawnMode(shows?.view) ?? drawnMode(args.mode) ?? MODES[toolName]!;
  const text = (name: string) => (typeof args[name] === "string" ? args[name] : null);
  const number = (name: string) => (typeof args[name] === "number" ? args[name] : null);
  return {
    mode,
    profile: typeof shows?.profile === "string" ? shows.profile : text("profile"),
    frame: mode === "sandwich" ? text("frame") : null,
    startMs: number("start_time_ms"),
    endMs: number("end_time_ms"),
    highlight: text("highlight"),
    transforms: text("transforms"),
    diff: null,
  };
}

function drawnMode(view: unknown): Pictured["mode"] | null {
  return view === "left_heavy" || view === "time_order" ? view : null;
}

/** Of two traces; null for two threads of one, which the chart does not compare. */
function comparedView(shows: Record<string, unknown>, args: Record<string, unknown>): Pictured | null {
  const { trace_id: before, profile } = shows;
  if (typeof before !== "string") return null;
  const nothing = { frame: null, startMs: null, endMs: null, highlight: null, transforms: null };
  const compare = args.absolute === true ? "values" : "shares";
  return { ...nothing, mode: "diff", profile: typeof profile === "string" ? profile : null, diff: { before, compare } };
}

/** Pixels of a tool's picture, where the tool says it; conversations of before do not. */
export function pictureSize({ shows }: Pick<ToolPart, "shows">): { width: number; height: number } | null {
  const { width, height } = shows ?? {};
  return typeof width === "number" && typeof height === "number" ? { width, height } : null;
}
