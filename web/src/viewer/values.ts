/** Values as people read them: the same rounding as traces/analysis/units.py. */
import type { Unit } from "./view_bytes.ts";

const TIME: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];
const BYTES: [number, string][] = [
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

/** A place on the axis, with as many decimals as its neighbours `step` away need to read differently. */
export function formatPlaceOnAxis(value: number, step: number, unit: Unit): string {
  if (unit === "count" || value === 0) return integers.format(value);
  const steps = unit === "nanoseconds" ? TIME : BYTES; // minutes do not divide by ten
  const [divisor, name] = steps.find(([least]) => Math.abs(value) >= least * 0.9995) ?? steps.at(-1)!;
  const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / divisor) - 1e-9)));
  return `${(value / divisor).toFixed(decimals)} ${name}`;
}

/** More decimals than this read better in the next smaller unit. */
const MOST_DECIMALS = 3;

/** A tick of a ruler that reaches `largest`, with ticks `step` apart: all in one unit, as rendering/axis.py has them. */
export function formatTick(value: number, step: number, largest: number, unit: Unit): string {
  const steps: [number, string][] = unit === "count" ? [[1, ""]] : unit === "nanoseconds" ? TIME : BYTES;
  const fitting = steps.filter(([least]) => least <= largest);
  if (!fitting.length) fitting.push(steps.at(-1)!);
  const [divisor, name] = fitting.find(([least]) => decimalsOf(step / least) <= MOST_DECIMALS) ?? fitting.at(-1)!;
  const digits = (value / divisor).toFixed(value === 0 ? 0 : decimalsOf(step / divisor));
  const [integer, part] = digits.split("."); // Intl would take a frame's time for a dozen rulers
  return `${integer!.replace(/\B(?=(\d{3})+$)/g, ",")}${part ? `.${part}` : ""} ${name}`.trim();
}

function decimalsOf(step: number): number {
  return Math.min(20, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
}

function significant(value: number): string {
  const size = Math.abs(value);
  if (size >= 999.5) return integers.format(value);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/** "12.3%"; a share that is there but rounds to nothing is "<0.1%". */
export function formatShare(share: number): string {
  return share > 0 && share < 0.0005 ? "<0.1%" : `${(share * 100).toFixed(1)}%`;
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
