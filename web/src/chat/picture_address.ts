/** Where a tool's picture is fetched from: in the dark theme the same flame chart is drawn dark, where the server can draw it again. */
import type { Theme } from "../theme.ts";
import type { Pictured } from "./pictured.ts";
import type { ToolPart } from "./turn.ts";

const DRAWN_AGAIN = "generate_flamegraph_screenshot";
/** What that tool draws when it is not asked otherwise (server/agent/tools/screenshots.py). */
const USUAL = { width: 1200, height: 800 };

export interface PictureAddress {
  url: string;
  /** A light picture in a dark page: its light and dark are exchanged there, the hues stay. */
  isTurned: boolean;
}

/** `trace` is where the picture's trace is in the API; null where it can be had by a link alone, which draws nothing anew. */
export function pictureAddress(
  part: Pick<ToolPart, "toolName" | "args" | "shows" | "imageUrl">,
  view: Pictured | null,
  theme: Theme,
  trace: string | null,
): PictureAddress {
  const stored = part.imageUrl!;
  if (theme === "light" || part.args.theme === "dark") return { url: stored, isTurned: false };
  if (part.toolName !== DRAWN_AGAIN || !view || trace === null) return { url: stored, isTurned: true };
  const { mode, profile, startMs, endMs, highlight, transforms } = view;
  const number = (name: string, otherwise: number | null) =>
    typeof part.args[name] === "number" ? part.args[name] : otherwise;
  const asked = {
    mode,
    profile,
    startMs,
    endMs,
    highlight,
    transforms,
    width: number("width", USUAL.width),
    height: number("height", USUAL.height),
    startDepth: number("start_depth", null),
    depth: number("depth", null),
    handles: true,
    theme,
  };
  const named = Object.entries(asked).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  return { url: `${trace}/flamegraph.png?${new URLSearchParams(named)}`, isTurned: false };
}
