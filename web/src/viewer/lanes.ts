/** What lies in time besides calls, as the server answers, and how it is drawn along the chart's axis. */
import { json } from "../api.ts";
import type { Theme } from "../theme.ts";
import { elideName, printable } from "./elide.ts";
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

/** How high those lanes are, from the first one on, that fit uncut, and the first in any case: one that is cut looks like a mistake. */
export function uncutLanes(lanes: readonly Lane[], room: number): number {
  let height = 0;
  for (const lane of lanes) {
    if (height > 0 && height + lane.height > room) break;
    height += lane.height;
  }
  return height;
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
      const from = Math.max(left, 0) + 3;
      const room = Math.min(width, left + wide) - from - 3;
      if (room < LEAST_ROOM) continue;
      context.fillStyle = ink.label;
      context.fillText(shortened(context, names[name]!, room), from, top + 2 + row * BOX + BOX / 2);
    }
  }
}

/** Shorter names say nothing. */
const LEAST_ROOM = 24;
/** Of all names in the font of lanes. */
const advances = new Map<string, number>();
const NAMES_KEPT = 2_000;
const shown = new Map<string, string>();

/** A name in so much room, by the rule of boxes. */
function shortened(context: CanvasRenderingContext2D, name: string, room: number): string {
  const key = `${Math.floor(room)} ${name}`;
  let text = shown.get(key);
  if (text === undefined) {
    if (shown.size > NAMES_KEPT) shown.clear();
    if (advances.size > NAMES_KEPT) advances.clear();
    const advance = (character: string) => {
      let wide = advances.get(character);
      if (wide === undefined) advances.set(character, (wide = context.measureText(character).width));
      return wide;
    };
    shown.set(key, (text = elideName(advance, printable(name), room)));
  }
  return text;
}

/** Colours that stand for a hue: the last ones are greys. */
const PLAIN_HUES = 96;
