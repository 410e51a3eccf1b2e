/** What is asked of the server for a picture of the view, and the formats that a trace is given out in. */
import type { Pictured } from "../chat/pictured.ts";
import type { Colouring } from "../viewer/colouring.ts";
import { textOf, type Transforms } from "../viewer/transforms.ts";
import type { ViewMode } from "../viewer/view_bytes.ts";
import type { AxisWindow } from "../viewer/window.ts";

export const TRACE_FILES = {
  speedscope: { name: "speedscope", ending: "speedscope.json.gz" },
  pprof: { name: "pprof", ending: "pb.gz" },
  chrome: { name: "Chrome", ending: "trace.json.gz" },
  collapsed: { name: "collapsed stacks", ending: "collapsed.txt.gz" },
} as const;
export type TraceFile = keyof typeof TRACE_FILES;

export interface Seen {
  mode: ViewMode;
  profile: string;
  window: AxisWindow;
  /** Of left heavy: the range of time that it is of. */
  within: AxisWindow | null;
  search: { words: string };
  transforms: Transforms;
  view: { unit: string } | null;
}

const NS_PER_MS = 1e6;

/** The query of `flamegraph.png`; null where the server draws no picture of the view. Times count from the axis' start. */
export function pictureQuery(
  { mode, profile, window, within, search, transforms, view }: Seen,
  bounds: AxisWindow,
  theme: "light" | "dark",
  colouring: Colouring = "file",
): Record<string, string> | null {
  if ((mode !== "time_order" && mode !== "left_heavy") || within) return null;
  const query: Record<string, string> = { mode, profile, theme, width: "1600", height: "900", legend: "true" };
  if (colouring !== "file") query.palette = colouring;
  const changed = textOf(transforms);
  if (changed) query.transforms = changed;
  const isZoomed = mode === "time_order" && (window.start > bounds.start || window.end < bounds.end);
  if (isZoomed && view?.unit === "nanoseconds") {
    query.startMs = String(Math.max(0, window.start - bounds.start) / NS_PER_MS);
    query.endMs = String((window.end - bounds.start) / NS_PER_MS);
  }
  if (search.words.trim()) query.highlight = search.words.trim();
  return query;
}

/** The query that draws a picture of an answer again, in the colours of the chart. */
export function drawingQuery(
  { frame: _, diff: __, ...pictured }: Pictured,
  colouring: Colouring,
): Record<string, string> {
  const given = { ...pictured, palette: colouring === "file" ? null : colouring, width: 1600, height: 900 };
  const named = Object.entries(given).filter(([, value]) => value !== null);
  return Object.fromEntries(named.map(([name, value]) => [name, String(value)]));
}
