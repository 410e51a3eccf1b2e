/**
 * Colours of boxes, the same as in pictures (rendering/palette.py): the server sends each function's hue and shade as a number, which
 * comes from its file or name, and what every hue stands for. A test compares these colours with those of pictures.
 */
import type { Theme } from "../theme.ts";

const HUE_STEPS = 24;
/** How far colours of one hue lie apart, in steps. */
const HUE_SPREAD = 0.76;
const SHADES = 4;
/** Calls merged because they are narrower than a pixel. */
export const NEUTRAL_COLOUR = HUE_STEPS * SHADES + 1;
/** The minimap, and a swatch of what is not there. */
export const PLAIN_COLOUR = 4 * SHADES;

/** Bands of OKLCH lightness and chroma that keep the labels' contrast at 4.5:1. */
const BANDS = {
  light: { lightness: [0.77, 0.86], chroma: [0.065, 0.105], change: 0.13 },
  dark: { lightness: [0.43, 0.53], chroma: [0.075, 0.11], change: 0.16 },
} as const;

const cache: Partial<Record<Theme, string[]>> = {};

/** Fill colours by the numbers of a view's frame table. */
export function fills(theme: Theme): string[] {
  return (cache[theme] ??= makeFills(theme));
}

function makeFills(theme: Theme): string[] {
  const { lightness, chroma } = BANDS[theme];
  return Array.from({ length: (HUE_STEPS + 1) * SHADES }, (_, number) => {
    const [step, shade] = [Math.floor(number / SHADES), number % SHADES];
    const light = lightness[0] + ((lightness[1] - lightness[0]) * (shade + 0.5)) / SHADES;
    const vivid = step === HUE_STEPS ? 0.008 : (chroma[0] + chroma[1]) / 2;
    return oklch(light, vivid, ((step + HUE_SPREAD / 2) / HUE_STEPS) * 360);
  });
}

function oklch(lightness: number, chroma: number, hue: number): string {
  return `oklch(${lightness.toFixed(4)} ${chroma.toFixed(4)} ${hue.toFixed(2)})`;
}

/** Steps of change from gone (blue) over the same (grey) to new (red). */
const CHANGE_STEPS = 8;
const changeCache: Partial<Record<Theme, string[]>> = {};

/** Fill colours of a diff, by the numbers that `changeColour` gives: blue and red differ for every kind of colour vision. */
export function changeFills(theme: Theme): string[] {
  const { lightness, change } = BANDS[theme];
  return (changeCache[theme] ??= Array.from({ length: CHANGE_STEPS * 2 + 1 }, (_, step) => {
    const size = Math.abs(step - CHANGE_STEPS) / CHANGE_STEPS;
    const light = lightness[1] - (lightness[1] - lightness[0]) * size;
    return oklch(light, 0.006 + (change - 0.006) * size, step < CHANGE_STEPS ? 255 : 27);
  }));
}

/** The colour of what stayed the same. */
export function unchangedFill(theme: Theme): string {
  return changeFills(theme)[CHANGE_STEPS]!;
}

/** The colour number of a change from `before` to `after`: the difference by the larger of both. */
export function changeColour(before: number, after: number): number {
  const larger = Math.max(before, after);
  return CHANGE_STEPS + (larger > 0 ? Math.round(((after - before) / larger) * CHANGE_STEPS) : 0);
}

export interface Inks {
  ground: string;
  grid: string;
  tick: string;
  label: string;
  faintLabel: string;
  outline: string;
  mark: string;
  shade: string;
  /** Bands of long tasks and of collections. */
  task: string;
  collection: string;
}

/** Everything on the canvas that is not a box. */
export function inks(theme: Theme): Inks {
  return theme === "light"
    ? {
        ground: "#ffffff",
        grid: "#0000000f",
        tick: "#5f5a55",
        label: "#14161c",
        faintLabel: "#5f5a55",
        outline: "#101828",
        mark: "#b93a07",
        shade: "#6b645c2e",
        task: "#b4232c",
        collection: "#1d63b8",
      }
    : {
        ground: "#141416",
        grid: "#ffffff10",
        tick: "#a8a29b",
        label: "#f8f9fb",
        faintLabel: "#b9b3ac",
        outline: "#ffffff",
        mark: "#ff9248",
        shade: "#0000008c",
        task: "#ff8f8f",
        collection: "#7db4ff",
      };
}
