/** What a marked range of time is made of, as the server counts it and as text. */
import { json } from "../api.ts";
import { formatCount, formatShare, formatValue } from "./values.ts";
import type { Unit } from "./view_bytes.ts";
import type { AxisWindow } from "./window.ts";

export interface RangeFigures {
  length: number;
  unit: Unit;
  threads: {
    handle: string;
    name: string;
    time: { busy: number; waiting: number; idle: number; unknown: number } | null;
    total: number;
  }[];
  functions: {
    handle: string;
    name: string;
    file: string | null;
    line: number | null;
    self: number;
    total: number;
    share: number;
    count: number | null;
  }[];
  functionCount: number;
  calls: number | null;
  counted: string | null;
  counters: { name: string; readings: number; lowest: number; highest: number; last: number }[];
}

export function rangeFigures(path: string, threads: readonly string[], range: AxisWindow): Promise<RangeFigures> {
  const query = new URLSearchParams({ threads: threads.join(), start: `${range.start}`, end: `${range.end}` });
  return json<RangeFigures>(`${path}/range?${query}`);
}

/** "240 ms busy, 40.0 ms idle": over all marked threads; what is not measured is left out. */
export function spokenTimes({ threads }: RangeFigures): string {
  const sum = (part: "busy" | "waiting" | "idle" | "unknown") =>
    threads.reduce((total, { time }) => total + (time?.[part] ?? 0), 0);
  if (threads.every(({ time }) => time === null)) return "";
  const parts = (["busy", "waiting", "idle", "unknown"] as const)
    .filter((part) => part === "busy" || part === "idle" || sum(part) > 0)
    .map((part) => `${formatValue(sum(part), "nanoseconds")} ${part}`);
  return parts.join(", ");
}

export function spokenCalls({ calls, counted }: RangeFigures): string {
  return calls === null ? "" : `${formatCount(calls)} ${counted ?? "calls"}`;
}

/** All of it as text for the clipboard; `when` says from when to when. */
export function rangeText(figures: RangeFigures, when: string): string {
  const { unit } = figures;
  const facts = [formatValue(figures.length, unit), spokenTimes(figures), spokenCalls(figures)].filter(Boolean);
  return [
    `${when} (${facts.join("; ")})`,
    ...figures.threads.map(
      ({ name, handle, total }) => `Thread ${name || handle}: ${formatValue(total, unit)} in functions`,
    ),
    ...figures.functions.map(
      (one) =>
        `${formatValue(one.self, unit)} self (${formatShare(one.share)}), ${formatValue(one.total, unit)} total: ${one.name}`,
    ),
    ...figures.counters.map(({ name, lowest, highest, last }) => `${name}: ${lowest} to ${highest}, last ${last}`),
  ].join("\n");
}
