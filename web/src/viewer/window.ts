/** The range of the axis that the chart shows, and how zooming and panning change it. */

export interface AxisWindow {
  start: number;
  end: number;
}

/** Narrowest window as a share of the axis: below it double precision runs out of places between two pixels. */
const NARROWEST = 1e-9;

export function span(window: AxisWindow): number {
  return window.end - window.start;
}

/** The nearest window inside `bounds`, of the same width where it fits. */
export function clamp(window: AxisWindow, bounds: AxisWindow): AxisWindow {
  const total = span(bounds);
  const wide = Math.min(total, Math.max(span(window), total * NARROWEST));
  const middle = (window.start + window.end) / 2;
  const start = Math.min(
    bounds.end - wide,
    Math.max(bounds.start, span(window) === wide ? window.start : middle - wide / 2),
  );
  return { start, end: start + wide };
}

/** What two ranges share; the second where they share nothing. */
export function shared(window: AxisWindow, other: AxisWindow): AxisWindow {
  const [start, end] = [Math.max(window.start, other.start), Math.min(window.end, other.end)];
  return start < end ? { start, end } : { ...other };
}

/** The least range with both in it. */
export function joined(one: AxisWindow, other: AxisWindow): AxisWindow {
  return { start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) };
}

/** Zoom by `factor` (below 1 is in); the place at `share` of the width stays where it is. */
export function zoomed(window: AxisWindow, bounds: AxisWindow, factor: number, share: number): AxisWindow {
  const total = span(bounds);
  const wide = Math.min(total, Math.max(span(window) * factor, total * NARROWEST));
  const start = window.start + (span(window) - wide) * share;
  return clamp({ start, end: start + wide }, bounds);
}

/** Move by a share of the width. */
export function panned(window: AxisWindow, bounds: AxisWindow, share: number): AxisWindow {
  const shift = span(window) * share;
  return clamp({ start: window.start + shift, end: window.end + shift }, bounds);
}

/** A window in which the range from `start` to `end` is well seen, with some of what is around it. */
export function around(start: number, end: number, bounds: AxisWindow): AxisWindow {
  const margin = Math.max((end - start) * 0.3, span(bounds) * NARROWEST);
  return clamp({ start: start - margin, end: end + margin }, bounds);
}

/** `share` 0 is `from`, 1 is `to`: widths change geometrically, as the eye expects of a zoom. */
export function between(from: AxisWindow, to: AxisWindow, share: number): AxisWindow {
  if (share >= 1) return to;
  const wide = span(from) * (span(to) / span(from)) ** share;
  const change = span(to) - span(from);
  const along = Math.abs(change) < span(to) * 1e-6 ? share : (wide - span(from)) / change;
  const start = from.start + (to.start - from.start) * along;
  return { start, end: start + wide };
}

/** From one tick to the next: the least of 1, 2, 5 times a power of ten that takes `spacing` pixels. */
export function tickStep(window: AxisWindow, pixels: number, spacing: number): number {
  const rough = (span(window) * spacing) / Math.max(pixels, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((round) => round * power >= rough * (1 - 1e-9)) ?? 10);
}

/** Round steps for an axis: about one tick per `spacing` pixels. */
export function ticks(window: AxisWindow, pixels: number, spacing: number, origin: number): number[] {
  const step = tickStep(window, pixels, spacing);
  const first = Math.ceil((window.start - origin) / step);
  const count = Math.floor((window.end - origin) / step) - first + 1;
  return Array.from({ length: Math.max(0, Math.min(count, 200)) }, (_, index) => origin + (first + index) * step);
}
