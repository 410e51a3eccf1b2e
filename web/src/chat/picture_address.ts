/**
 * Where a tool's picture is fetched from: in the dark theme the same flame chart is drawn dark, and where there is less room than it
 * was drawn for it is drawn for that, so that its names can be read; where the server can draw it again.
 */
import type { Theme } from "../theme.ts";
import type { Pictured } from "./pictured.ts";
import type { ToolPart } from "./turn.ts";

const DRAWN_AGAIN = "generate_flamegraph_screenshot";
/** What that tool draws when it is not asked otherwise (server/agent/tools/screenshots.py). */
const USUAL = { width: 1200, height: 800 };

/** The room that a picture has, in CSS pixels, and the device's pixels in one of them. */
export interface Room {
  width: number;
  dpr: number;
}

/** Of the width it was drawn for: with more room it is shown as it is. */
const READABLE = 0.8;
const LEAST_WIDTH = 300;

export interface PictureAddress {
  url: string;
  /** A light picture in a dark page: its light and dark are exchanged there, the hues stay. */
  isTurned: boolean;
  /** The width it is drawn for anew; null where it is as the model saw it, or as wide. */
  fittedWidth: number | null;
}

/**
 * `trace` is where the picture's trace is in the API; null where it is not known, which draws nothing anew. `room` is null for the
 * picture as wide as it was drawn.
 */
export function pictureAddress(
  part: Pick<ToolPart, "toolName" | "args" | "shows" | "imageUrl">,
  view: Pictured | null,
  theme: Theme,
  trace: string | null,
  room: Room | null = null,
): PictureAddress {
  const url = part.imageUrl!;
  const number = (name: string, otherwise: number | null) =>
    typeof part.args[name] === "number" ? part.args[name] : otherwise;
  const drawnFor = number("width", USUAL.width)!;
  const isLight = part.args.theme !== "dark";
  const isTurned = theme === "dark" && isLight;
  const fits = room === null || room.width >= drawnFor * READABLE;
  const asItIs = { url, isTurned, fittedWidth: null };
  if (part.toolName !== DRAWN_AGAIN || !view || trace === null || (fits && !isTurned)) return asItIs;
  const { mode, profile, startMs, endMs, highlight, transforms } = view;
  const fittedWidth = fits ? null : Math.max(LEAST_WIDTH, Math.round(room.width));
  const asked = {
    mode,
    profile,
    startMs,
    endMs,
    highlight,
    transforms,
    width: fittedWidth ?? drawnFor,
    height: number("height", USUAL.height),
    dpr: fits ? null : room.dpr,
    startDepth: number("start_depth", null),
    depth: number("depth", null),
    handles: true,
    palette: typeof part.shows?.palette === "string" ? part.shows.palette : null,
    theme: isLight ? theme : "dark",
  };
  const named = Object.entries(asked).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  return { url: `${trace}/flamegraph.png?${new URLSearchParams(named)}`, isTurned: false, fittedWidth };
}
