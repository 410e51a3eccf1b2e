/** Colours by where a frame comes from: own code warm, libraries cool, the runtime grey; shades by file. */
import type { Theme } from "../theme.ts";
import type { FrameTable } from "./view_bytes.ts";

export type Origin = "own" | "library" | "runtime";

const LIBRARY = /node_modules|site-packages|dist-packages|^node:|^<frozen|\/usr\/|\/lib\/python|\.(so|dll|dylib)\b|vmlinux|\[kernel|rustc\/|\/go\/(src|pkg)\/|^chrome-extension:/;
const IDLE = /^\(?(idle|root|program)\)?$/i;

const OWN_HUES = [24, 38, 52, 64, 76, 88, 98];
const LIBRARY_HUES = [185, 205, 225, 250, 275, 300];
const RUNTIME = 3;
export const IDLE_COLOUR = OWN_HUES.length + LIBRARY_HUES.length + RUNTIME;

const cache: Partial<Record<Theme, string[]>> = {};

/** Fill colours by the numbers that `colourOf` gives. */
export function fills(theme: Theme): string[] {
  return (cache[theme] ??= makeFills(theme));
}

function makeFills(theme: Theme): string[] {
  const light = theme === "light";
  const oklch = (lightness: number, chroma: number, hue: number) => `oklch(${lightness} ${chroma} ${hue})`;
  return [
    ...OWN_HUES.map((hue, index) => oklch((light ? 0.8 : 0.7) + index * 0.012, light ? 0.115 : 0.125, hue)),
    ...LIBRARY_HUES.map((hue) => oklch(light ? 0.84 : 0.69, light ? 0.06 : 0.07, hue)),
    ...Array.from({ length: RUNTIME }, (_, index) => oklch((light ? 0.85 : 0.58) + index * 0.03, 0.012, 260)),
    oklch(light ? 0.93 : 0.34, 0.006, 260),
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

/** The colour number of each frame of a table. A trace that names no files at all is coloured by function. */
export function coloursOf(frames: FrameTable): Uint8Array {
  const namesFiles = frames.files.some(Boolean);
  return Uint8Array.from(frames.names, (name, index) => {
    if (IDLE.test(name)) return IDLE_COLOUR;
    const file = frames.files[index] ?? null;
    if (!namesFiles) return hash(name) % OWN_HUES.length;
    switch (originOf(file)) {
      case "own":
        return hash(file!) % OWN_HUES.length;
      case "library":
        return OWN_HUES.length + (hash(file!) % LIBRARY_HUES.length);
      case "runtime":
        return OWN_HUES.length + LIBRARY_HUES.length + (hash(name) % RUNTIME);
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
  match: string;
  shade: string;
}

/** Everything on the canvas that is not a box. */
export function inks(theme: Theme): Inks {
  return theme === "light"
    ? { ground: "#ffffff", grid: "#0000000f", tick: "#5f5a55", label: "#1f1611", faintLabel: "#5f5a55", outline: "#101828", match: "#c2255c", shade: "#6b645c2e" }
    : { ground: "#141416", grid: "#ffffff10", tick: "#a8a29b", label: "#17110c", faintLabel: "#b9b3ac", outline: "#ffffff", match: "#ff5c93", shade: "#0000008c" };
}
