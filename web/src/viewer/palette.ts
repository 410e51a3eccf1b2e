/** Colours by where a frame comes from: own code warm, libraries cool, the runtime grey; shades by file. */
import type { Theme } from "../theme.ts";
import type { FrameTable } from "./view_bytes.ts";

export type Origin = "own" | "library" | "runtime";

const LIBRARY =
  /node_modules|site-packages|dist-packages|^node:|^<frozen|\/usr\/|\/lib\/python|\.(so|dll|dylib)\b|vmlinux|\[kernel|rustc\/|\/go\/(src|pkg)\/|^chrome-extension:/;
const IDLE = /^\(?(idle|root)\)?$/i;
/** With fewer files of its own than this, a trace is coloured by function: by file it would be all one hue. */
const FEW_FILES = 4;

const OWN_HUES = [16, 28, 40, 52, 64, 76, 88];
const LIBRARY_HUES = [185, 205, 225, 250, 275, 300];
/** Functions of one file share a hue and differ in lightness. */
const SHADES = 3;
const RUNTIME_SHADES = 3;
const FIRST_LIBRARY = OWN_HUES.length * SHADES;
const FIRST_RUNTIME = FIRST_LIBRARY + LIBRARY_HUES.length * SHADES;
export const IDLE_COLOUR = FIRST_RUNTIME + RUNTIME_SHADES;

/** A colour that stands for each origin. */
export const LEGEND: [string, number][] = [
  ["own code", 4],
  ["libraries", FIRST_LIBRARY + 4],
  ["runtime, no file", FIRST_RUNTIME + 1],
];

const cache: Partial<Record<Theme, string[]>> = {};

/** Fill colours by the numbers that `colourOf` gives. */
export function fills(theme: Theme): string[] {
  return (cache[theme] ??= makeFills(theme));
}

function makeFills(theme: Theme): string[] {
  const light = theme === "light";
  const shaded = (hues: number[], lightness: number, chroma: number) =>
    hues.flatMap((hue) =>
      Array.from({ length: SHADES }, (_, shade) => `oklch(${lightness + (shade - 1) * 0.042} ${chroma} ${hue})`),
    );
  return [
    ...shaded(OWN_HUES, light ? 0.82 : 0.72, light ? 0.112 : 0.122),
    ...shaded(LIBRARY_HUES, light ? 0.855 : 0.7, light ? 0.055 : 0.068),
    ...Array.from({ length: RUNTIME_SHADES }, (_, shade) => `oklch(${(light ? 0.84 : 0.6) + shade * 0.03} 0.012 260)`),
    `oklch(${light ? 0.93 : 0.34} 0.006 260)`,
  ];
}

export function originOf(file: string | null): Origin {
  if (!file) return "runtime";
  return LIBRARY.test(file) ? "library" : "own";
}

function hash(text: string): number {
  let value = 2166136261;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 16777619);
  return value >>> 0;
}

/** The colour number of each frame of a table. */
export function coloursOf(frames: FrameTable): Uint8Array {
  const namesFiles = frames.files.some(Boolean);
  const ownFiles = new Set(frames.files.filter((file) => originOf(file) === "own"));
  return Uint8Array.from(frames.names, (name, index) => {
    if (IDLE.test(name)) return IDLE_COLOUR;
    const file = frames.files[index] ?? null;
    if (!namesFiles) return hash(name) % FIRST_LIBRARY;
    const shade = hash(name) % SHADES;
    switch (originOf(file)) {
      case "own":
        return (hash(ownFiles.size < FEW_FILES ? name : file!) % OWN_HUES.length) * SHADES + shade;
      case "library":
        return FIRST_LIBRARY + (hash(file!) % LIBRARY_HUES.length) * SHADES + shade;
      case "runtime":
        return FIRST_RUNTIME + shade;
    }
  });
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
}

/** Steps of change from gone (blue) over the same (grey) to new (red). */
const CHANGE_STEPS = 8;
const changeCache: Partial<Record<Theme, string[]>> = {};

/** Fill colours of a diff, by the numbers that `changeColour` gives: blue and red differ for every kind of colour vision. */
export function changeFills(theme: Theme): string[] {
  const [grey, strong] = theme === "light" ? [0.9, 0.74] : [0.62, 0.74];
  return (changeCache[theme] ??= Array.from({ length: CHANGE_STEPS * 2 + 1 }, (_, step) => {
    const size = Math.abs(step - CHANGE_STEPS) / CHANGE_STEPS;
    const lightness = grey + (strong - grey) * size;
    return `oklch(${lightness.toFixed(3)} ${(0.008 + 0.13 * size).toFixed(3)} ${step < CHANGE_STEPS ? 250 : 27})`;
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

/** Everything on the canvas that is not a box. */
export function inks(theme: Theme): Inks {
  return theme === "light"
    ? {
        ground: "#ffffff",
        grid: "#0000000f",
        tick: "#5f5a55",
        label: "#1f1611",
        faintLabel: "#5f5a55",
        outline: "#101828",
        mark: "#b93a07",
        shade: "#6b645c2e",
      }
    : {
        ground: "#141416",
        grid: "#ffffff10",
        tick: "#a8a29b",
        label: "#17110c",
        faintLabel: "#b9b3ac",
        outline: "#ffffff",
        mark: "#ff9248",
        shade: "#0000008c",
      };
}
