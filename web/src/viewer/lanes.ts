/** What lies in time besides calls, as the server answers, and how it is drawn along the chart's axis. */
import { json } from "../api.ts";
import type { Theme } from "../theme.ts";
import { fills, inks, PLAIN_COLOUR } from "./palette.ts";
import { formatCount } from "./values.ts";
import { span, type AxisWindow } from "./window.ts";

export interface LanesAnswer {
  levels: { name: string; readings: number; lowest: number; highest: number; points: [number, number][] }[];
  marks: { name: string; count: number; times: number[] }[];
  /** A box is its start, end, row and name, an index into `names`. */
  boxes: { name: string; count: number; rows: number; boxes: [number, number, number, number][] }[];
  names: string[];
}

export type Lane =
  | ({ kind: "level"; height: number } & LanesAnswer["levels"][number])
  | ({ kind: "mark"; height: number } & LanesAnswer["marks"][number])
  | ({ kind: "boxes"; height: number } & LanesAnswer["boxes"][number]);

const LEVEL = 30;
const MARK = 20;
export const BOX = 12;

export function fetchLanes(path: string): Promise<LanesAnswer> {
  return json<LanesAnswer>(`${path}/lanes`);
}

export function lanesOf({ levels, marks, boxes }: LanesAnswer): Lane[] {
  return [
    ...levels.map((lane) => ({ kind: "level" as const, height: LEVEL, ...lane })),
    ...boxes.map((lane) => ({ kind: "boxes" as const, height: Math.max(20, lane.rows * BOX + 4), ...lane })),
    ...marks.map((lane) => ({ kind: "mark" as const, height: MARK, ...lane })),
  ];
}

/** "queue, 1 to 7, 30 readings", "frame, 12 marks". */
export function spokenLane(lane: Lane): string {
  if (lane.kind === "level")
    return `${lane.name}, ${shortNumber(lane.lowest)} to ${shortNumber(lane.highest)}, ${formatCount(lane.readings)} readings`;
  const shown = lane.kind === "boxes" && lane.boxes.length < lane.count ? `, the longest ${lane.boxes.length}` : "";
  return `${lane.name}, ${formatCount(lane.count)}${lane.kind === "mark" ? (lane.count === 1 ? " mark" : " marks") : shown}`;
}

export function shortNumber(value: number): string {
  return Intl.NumberFormat("en-US", { maximumSignificantDigits: 4, notation: "compact" }).format(value);
}

/** The reading in force at a moment; null before the first one. */
export function levelAt(points: [number, number][], at: number): number | null {
  let found: number | null = null;
  for (const [time, value] of points) {
    if (time > at) break;
    found = value;
  }
  return found;
}

/** The box under a place of a lane, whose rows are counted from its top; those too narrow to hit are a little wider. */
export function boxUnder(lane: Lane, at: number, y: number, slack: number): [number, number, number, number] | null {
  if (lane.kind !== "boxes") return null;
  const row = Math.floor((y - 2) / BOX);
  return lane.boxes.find((box) => box[2] === row && box[0] - slack <= at && box[1] + slack >= at) ?? null;
}

export function drawLane(
  context: CanvasRenderingContext2D,
  lane: Lane,
  names: string[],
  { window, width, top, theme }: { window: AxisWindow; width: number; top: number; theme: Theme },
): void {
  const ink = inks(theme);
  const x = (time: number) => ((time - window.start) / span(window)) * width;
  const palette = fills(theme);
  if (lane.kind === "mark") {
    context.fillStyle = ink.mark;
    for (const time of lane.times) context.fillRect(x(time) - 0.5, top + 3, 1.5, lane.height - 6);
  } else if (lane.kind === "level") {
    const room = lane.height - 6;
    const floor = Math.min(0, lane.lowest);
    const range = Math.max(lane.highest, 0) - floor || 1;
    const y = (value: number) => top + 3 + room - ((value - floor) / range) * room;
    context.fillStyle = palette[PLAIN_COLOUR]!;
    lane.points.forEach(([time, value], at) => {
      const left = Math.max(0, x(time));
      const right = Math.min(width, at + 1 < lane.points.length ? x(lane.points[at + 1]![0]) : width);
      if (right <= left) return;
      const [high, low] = [Math.min(y(value), y(0)), Math.max(y(value), y(0))];
      context.fillRect(left, high, right - left, Math.max(1, low - high));
    });
  } else {
    context.font = "10px ui-sans-serif, system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const [start, end, row, name] of lane.boxes) {
      const [left, right] = [Math.max(-2, x(start)), Math.min(width + 2, x(end))];
      if (right < 0 || left > width) continue;
      const wide = Math.max(1.5, right - left - 1);
      context.fillStyle = palette[(name * 4) % PLAIN_HUES]!;
      context.fillRect(left, top + 2 + row * BOX, wide, BOX - 1);
      if (wide < 40) continue;
      context.save();
      context.beginPath();
      context.rect(left, top, wide - 2, lane.height);
      context.clip();
      context.fillStyle = ink.label;
      context.fillText(names[name]!, Math.max(left, 0) + 3, top + 2 + row * BOX + BOX / 2);
      context.restore();
    }
  }
}

/** Colours that stand for a hue: the last ones are greys. */
const PLAIN_HUES = 96;
