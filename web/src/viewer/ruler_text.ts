/** Places on an axis, alone and along a ruler, in words. */
import { BYTES, formatCount, TIME } from "./values.ts";
import type { Unit } from "./view_bytes.ts";

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

/** A place on the axis, with as many decimals as its neighbours `step` away need to read differently. */
export function formatPlaceOnAxis(value: number, step: number, unit: Unit): string {
  if (unit === "count" || value === 0) return formatCount(value);
  const steps = unit === "nanoseconds" ? TIME : BYTES; // minutes do not divide by ten
  const [divisor, name] = steps.find(([least]) => Math.abs(value) >= least * 0.9995) ?? steps.at(-1)!;
  const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / divisor) - 1e-9)));
  return `${(value / divisor).toFixed(decimals)} ${name}`;
}
