/** Values as people read them: the same rounding as traces/analysis/units.py. */
import type { Unit } from "./view_bytes.ts";

export const TIME: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];
export const BYTES: [number, string][] = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
  [1, "B"],
];
const integers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** From here on time is minutes and seconds. */
const MINUTES = 120e9;

/** "1.23 ms", "12.3 kB", "1,234", "4 min 15 s": three digits that count with a unit, integers without. */
export function formatValue(value: number, unit: Unit): string {
  const size = Math.abs(value);
  if (unit === "count") return Number.isInteger(value) || size >= 1000 ? integers.format(value) : significant(value);
  if (unit === "nanoseconds" && size >= MINUTES) {
    const seconds = Math.round(size / 1e9);
    return `${value < 0 ? "-" : ""}${integers.format(Math.floor(seconds / 60))} min ${seconds % 60} s`;
  }
  const steps = unit === "nanoseconds" ? TIME : BYTES;
  const [divisor, name] = steps.find(([least]) => size >= least * 0.9995) ?? steps.at(-1)!;
  return `${divisor === 1 && Number.isInteger(value) ? integers.format(value) : significant(value / divisor)} ${name}`;
}

function significant(value: number): string {
  const size = Math.abs(value);
  if (size >= 999.5) return integers.format(value);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/** "12.3%"; what rounds to nothing or to all, and is not, is "<0.1%" or ">99.9%". Sums lose a billionth. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.0005) return "<0.1%";
  return share >= 0.9995 && share < 1 - 1e-9 ? ">99.9%" : `${(share * 100).toFixed(1)}%`;
}

/** "+12.0%", "−3.1%", "new", "no change": what a value is now against what it was. */
export function formatChange(before: number, after: number): string {
  if (before <= 0) return after > 0 ? "new" : "no change";
  const change = after / before - 1;
  return Math.abs(change) < 0.005 ? "no change" : `${change > 0 ? "+" : "−"}${formatShare(Math.abs(change))}`;
}

/** "+12%", "−3.1%", "new": the same as a box of a picture has it; empty for no change. */
export function changeInBox(before: number, after: number): string {
  const text = formatChange(before, after);
  if (text === "no change" || text === "new") return text === "new" ? text : "";
  const change = Math.abs(after / before - 1);
  const share = change >= 0.1 ? Math.round(change * 100).toLocaleString("en") : (change * 100).toFixed(1);
  return `${text[0]}${share}%`;
}

export function formatCount(count: number): string {
  return integers.format(count);
}

/** US dollars: "$0.0042", "$1.20"; what is less than a hundredth of a cent is "<$0.0001". */
export function formatCost(dollars: number): string {
  if (dollars > 0 && dollars < 0.0001) return "<$0.0001";
  return `$${dollars.toFixed(dollars > 0 && dollars < 0.1 ? 4 : 2)}`;
}

export function formatSize(bytes: number): string {
  return formatValue(bytes, "bytes");
}

/** "app.js:12", the last parts of a long path only. */
export function formatPlace(file: string | null, line: number | null): string | null {
  if (!file) return null;
  const parts = file.split("/");
  const short = parts.length > 3 ? `…/${parts.slice(-2).join("/")}` : file;
  return line ? `${short}:${line}` : short;
}
