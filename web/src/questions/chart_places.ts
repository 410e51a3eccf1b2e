/** Where the points of an answer's chart lie, in a box of a hundred thousandths: pure, so that it can be tested. */
import { formatShare, formatValue } from "../viewer/values.ts";
import type { AnswerChart, ChartPoint } from "./asked.ts";

export const WIDTH = 640;
const HEIGHT = 180;
const ROW = 24;
const MOST_BARS = 25;
const GRID_COLUMNS = 40;
const LABELS = 170;

export interface Place {
  point: ChartPoint;
  x: number;
  y: number;
  width: number;
  height: number;
  /** The point as people read it. */
  text: string;
}

export interface Places {
  kind: "line" | "steps" | "grid" | "bars";
  width: number;
  height: number;
  places: Place[];
  /** Points that are not drawn. */
  hidden: number;
}

/** A value with its unit, as people read it. */
export function valueText(value: number, unit: string): string {
  if (unit === "share") return formatShare(value);
  if (unit === "nanoseconds" || unit === "bytes") return formatValue(value, unit);
  return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(6)));
}

export function chartPlaces(chart: AnswerChart): Places | null {
  const points = (chart.points ?? []).filter((point) => Number.isFinite(point.value));
  const kind = chart.kind ?? "bars";
  if (points.length === 0) return null;
  const unit = chart.unit ?? "number";
  if (kind === "grid") return grid(points);
  if (kind === "line") return line(points, unit);
  const shown = points.slice(0, MOST_BARS);
  const most = Math.max(...shown.map((point) => Math.abs(point.value)), Number.MIN_VALUE);
  const first = shown[0]!.value;
  const places = shown.map((point, index) => {
    const share = kind === "steps" && first ? `, ${valueText(point.value / first, "share")} of the first` : "";
    return {
      point,
      x: LABELS,
      y: index * ROW,
      width: (Math.abs(point.value) / most) * (WIDTH - LABELS - 90),
      height: ROW - 4,
      text: `${point.label}: ${valueText(point.value, unit)}${share}`,
    };
  });
  return { kind, width: WIDTH, height: shown.length * ROW, places, hidden: points.length - shown.length };
}

function line(points: ChartPoint[], unit: string): Places {
  const values = points.map((point) => point.value);
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const step = points.length > 1 ? (WIDTH - 20) / (points.length - 1) : 0;
  const places = points.map((point, index) => ({
    point,
    x: points.length > 1 ? 10 + index * step : WIDTH / 2,
    y: HEIGHT - 10 - ((point.value - least) / (most - least || 1)) * (HEIGHT - 20),
    width: 0,
    height: 0,
    text: `${point.label}: ${valueText(point.value, unit)}`,
  }));
  return { kind: "line", width: WIDTH, height: HEIGHT, places, hidden: 0 };
}

function grid(points: ChartPoint[]): Places {
  const columns = Math.min(GRID_COLUMNS, points.length);
  const size = Math.min(ROW, WIDTH / columns);
  const places = points.map((point, index) => ({
    point,
    x: (index % columns) * size,
    y: Math.floor(index / columns) * ROW,
    width: size - 2,
    height: ROW - 4,
    text: `${point.label}: ${point.value ? "it is there" : "it is not there"}`,
  }));
  return { kind: "grid", width: WIDTH, height: Math.ceil(points.length / columns) * ROW, places, hidden: 0 };
}
