/** What a picture of a tool shows, as the chart can show it. */
import type { ToolPart } from "./turn.ts";

export interface Pictured {
  mode: "time_order" | "left_heavy" | "sandwich";
  profile: string | null;
  /** What a sandwich is of: a handle or a name. */
  frame: string | null;
  /** In milliseconds from the profile's start; null where it is an end of the profile. */
  startMs: number | null;
  endMs: number | null;
  highlight: string | null;
}

/** The view of a flame graph; null for a picture of something else. */
export function picturedView({ toolName, args }: Pick<ToolPart, "toolName" | "args">): Pictured | null {
  const isSandwich = toolName === "generate_sandwich_flamegraph_screenshot";
  if (!isSandwich && toolName !== "generate_flamegraph_screenshot") return null;
  const text = (name: string) => (typeof args[name] === "string" ? args[name] : null);
  const number = (name: string) => (typeof args[name] === "number" ? args[name] : null);
  return {
    mode: isSandwich ? "sandwich" : args.mode === "left_heavy" ? "left_heavy" : "time_order",
    profile: text("profile"),
    frame: isSandwich ? text("frame") : null,
    startMs: number("start_time_ms"),
    endMs: number("end_time_ms"),
    highlight: text("highlight"),
  };
}
