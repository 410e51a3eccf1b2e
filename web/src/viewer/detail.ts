/** What to fetch of a thread that came merged, so that what is in sight is seen in full. */
import type { View } from "./view_bytes.ts";
import { clamp, span, type AxisWindow } from "./window.ts";

/** Of the axis: what is wider is seen well enough as it came at first. */
const MOST = 0.6;

/**
 * The range to fetch around a window: "all" where the first view of all of the axis serves, "nothing" where `shown`, which is of `range`,
 * has it already.
 */
export function missingRange(
  window: AxisWindow,
  axis: AxisWindow,
  shown: View,
  range: AxisWindow | null,
): AxisWindow | "all" | "nothing" {
  const margin = span(window) / 2;
  const target = clamp({ start: window.start - margin, end: window.end + margin }, axis);
  if (span(target) > span(axis) * MOST) return "all";
  return range && shown.merged === 0 && range.start <= window.start && range.end >= window.end ? "nothing" : target;
}
