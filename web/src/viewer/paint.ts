/** Draws a view on a canvas. What is drawn is bounded by pixels, never by boxes. */
import type { Theme } from "../theme.ts";
import { bandsInSight, keyOf, type ThreadBands } from "./bands.ts";
import { rowCount, rowOf, visibleBoxes } from "./boxes.ts";
import type { NarrowBoxes } from "./narrow_boxes.ts";
import type { Noted } from "./notes.ts";
import { elideName, printable } from "./elide.ts";
import { changeColour, changeFills, fills, inks, NEUTRAL_COLOUR, type Inks } from "./palette.ts";
import { formatTick } from "./ruler_text.ts";
import { changeInBox } from "./values.ts";
import type { Boxes, FrameTable, View } from "./view_bytes.ts";
import type { BoxAddress } from "./viewer_store.ts";
import { span, ticks, tickStep, type AxisWindow } from "./window.ts";

export const ROW = 19;
export const RULER = 22;
/** As in pictures (rendering/axis.py): the longest usual label and some air. */
export const TICK_SPACING = 120;
/** What stands around the words of the key of bands (viewer.css): its swatches, gaps and place. */
const KEY_GAPS = 64;
/** Between the callers and the callees of a sandwich. */
const GAP = 7;
const FONT = '11px ui-sans-serif, system-ui, -apple-system, "Segoe UI", sans-serif';
const NARROWEST_LABEL = 32;
/** Pixels under which a box is one of thousands. */
const NARROW = 8;
const NARROWEST_NOTED = 5;
/** How strong boxes are: those alone in their place, cells that are covered in part, and what a search leaves out. */
const STRENGTHS = [1, 0.8, 0.6, 0.4, 0.25];
const THINNEST = 3;
const DIM = 4;
/** From one stripe of a hatch to the next. */
const HATCH = 8;

export interface Scene {
  view: View;
  window: AxisWindow;
  /** Where the axis begins: times are given from there. */
  origin: number;
  /** Scrolled down by so many pixels. */
  top: number;
  width: number;
  height: number;
  theme: Theme;
  selection: BoxAddress | null;
  hover: BoxAddress | null;
  matches: Uint8Array | null;
  /** Which boxes show the citation that is under the pointer. */
  pointed: ((box: number) => boolean) | null;
  /** What has a note. */
  noted: Noted | null;
  /** A marked range of time. */
  range: AxisWindow | null;
  bands: ThreadBands | null;
  narrow: NarrowBoxes;
}

export function contentHeight(view: View): number {
  return (rowCount(view.boxes) + (view.callers ? rowCount(view.callers) : 0)) * ROW + (view.callers ? GAP : 0) + 8;
}

/** Top of a row in the content, before scrolling. Callers grow upwards from the frame. */
export function rowTop(view: View, half: BoxAddress["half"], row: number): number {
  const base = view.callers ? rowCount(view.callers) * ROW : 0;
  return half === "callers" ? base - (row + 1) * ROW : base + (view.callers ? GAP : 0) + row * ROW;
}

/** The half and row at a height of the content. */
export function rowAt(view: View, y: number): { half: BoxAddress["half"]; row: number } {
  const base = view.callers ? rowCount(view.callers) * ROW : 0;
  if (view.callers && y < base) return { half: "callers", row: Math.floor((base - y) / ROW) };
  return { half: "boxes", row: Math.floor((y - base - (view.callers ? GAP : 0)) / ROW) };
}

export function paint(context: CanvasRenderingContext2D, scene: Scene): void {
  const ink = inks(scene.theme);
  context.fillStyle = ink.ground;
  context.fillRect(0, 0, scene.width, scene.height);
  const places = ticks(scene.window, scene.width, TICK_SPACING, scene.origin);
  grid(context, scene, places, ink.grid);
  if (scene.bands) bandsOf(context, scene, scene.bands);
  context.save();
  context.beginPath();
  context.rect(0, RULER, scene.width, scene.height - RULER);
  context.clip();
  if (scene.view.callers) half(context, scene, "callers", scene.view.callers);
  half(context, scene, "boxes", scene.view.boxes);
  if (scene.hover) outline(context, scene, scene.hover, ink.outline, 1);
  if (scene.selection) outline(context, scene, scene.selection, ink.outline, 2);
  context.restore();
  if (scene.range) marked(context, scene, scene.range);
  ruler(context, scene, places, ink.tick);
  if (scene.noted) flags(context, scene, scene.noted.ranges);
}

function half(context: CanvasRenderingContext2D, scene: Scene, which: BoxAddress["half"], boxes: Boxes): void {
  const { view, window, matches, selection } = scene;
  const { colours } = view.frames;
  const { before } = boxes;
  const palette = before ? changeFills(scene.theme) : fills(scene.theme);
  const colourOf = (index: number, frame: number) =>
    before ? changeColour(before[index]!, boxes.end[index]! - boxes.start[index]!) : (colours[frame] ?? NEUTRAL_COLOUR);
  const buckets: (number[] | undefined)[] = []; // most colours have nothing in sight
  const labels: number[] = [];
  const remarks: string[] = []; // of a comparison, in step with the labels
  const selectedFrame = selection ? (view[selection.half]?.frame[selection.index] ?? -1) : -1;
  const same: number[] = [];
  const open: number[] = [];
  const pointed: number[] = [];
  const noted: number[] = [];
  const rows = Array.from({ length: rowCount(boxes) }, (_, row) => row);
  const topOf = (row: number) => RULER + rowTop(view, which, row) - scene.top;
  const inSight = rows.filter((row) => topOf(row) + ROW >= RULER && topOf(row) <= scene.height);
  const tops = inSight.map(topOf);
  scene.narrow.begin(context, scene.width, inSight.length, scene.narrow.coloursOf(palette, STRENGTHS));
  inSight.forEach((row, place) => {
    const y = tops[place]!;
    visibleBoxes(boxes, row, window.start, window.end, scene.width, (x, wide, index, covered) => {
      const frame = boxes.frame[index]!;
      const dim = matches !== null && !matches[frame];
      const left = Math.max(x, -4);
      const seen = Math.min(x + wide, scene.width + 4) - left;
      const strength = dim ? DIM : matches || covered >= 0.75 ? 0 : THINNEST - Math.floor(covered * (THINNEST + 1));
      const bucket = colourOf(index, frame) + strength * palette.length;
      const across = seen > 3 ? seen - 1 : seen;
      if (seen < NARROW) scene.narrow.fill(place, left, across, bucket);
      else (buckets[bucket] ??= []).push(left, y, across);
      if (frame === selectedFrame && frame >= 0) same.push(left, y, across);
      if (boxes.unfinished?.[index]) open.push(left, y, seen);
      if (which === "boxes" && scene.pointed?.(index)) pointed.push(left, y, seen);
      if (which === "boxes" && seen >= NARROWEST_NOTED && scene.noted?.isNoted(index)) noted.push(left + seen, y);
      if (seen < NARROWEST_LABEL || frame < 0) return;
      labels.push(left, y, seen, frame, dim ? 1 : 0);
      if (before) remarks.push(changeInBox(before[index]!, boxes.end[index]! - boxes.start[index]!));
    });
  });
  scene.narrow.draw(context, tops, ROW - 1);
  buckets.forEach((rects, bucket) => {
    if (!rects) return;
    context.globalAlpha = STRENGTHS[Math.floor(bucket / palette.length)]!;
    context.fillStyle = palette[bucket % palette.length]!;
    for (let at = 0; at < rects.length; at += 3) context.fillRect(rects[at]!, rects[at + 1]!, rects[at + 2]!, ROW - 1);
  });
  context.globalAlpha = 1;
  for (let at = 0; at < open.length; at += 3) hatch(context, open[at]!, open[at + 1]!, open[at + 2]!, scene.theme);
  context.fillStyle = inks(scene.theme).outline;
  for (let at = 0; at < same.length; at += 3) context.fillRect(same[at]!, same[at + 1]! + ROW - 3, same[at + 2]!, 2);
  label(context, scene, labels, remarks);
  corners(context, noted, inks(scene.theme));
  context.strokeStyle = inks(scene.theme).mark;
  context.lineWidth = 2;
  for (let at = 0; at < pointed.length; at += 3)
    context.strokeRect(pointed[at]! + 1, pointed[at + 1]! + 1, Math.max(2, pointed[at + 2]! - 3), ROW - 3);
}

/** A folded corner at the right end of what has a note. */
function corners(context: CanvasRenderingContext2D, ends: number[], ink: Inks): void {
  context.fillStyle = ink.mark;
  context.strokeStyle = ink.ground;
  context.lineWidth = 1;
  for (let at = 0; at < ends.length; at += 2) {
    const [right, top] = [ends[at]! - 1, ends[at + 1]!];
    context.beginPath();
    context.moveTo(right - 7, top);
    context.lineTo(right, top);
    context.lineTo(right, top + 7);
    context.closePath();
    context.fill();
    context.stroke();
  }
}

/** Ranges that have a note, along the foot of the ruler. */
function flags(context: CanvasRenderingContext2D, scene: Scene, ranges: AxisWindow[]): void {
  const scale = scene.width / span(scene.window);
  context.fillStyle = inks(scene.theme).mark;
  for (const range of ranges) {
    const left = Math.max(-8, (range.start - scene.window.start) * scale);
    const right = Math.min(scene.width, (range.end - scene.window.start) * scale);
    if (right < 0 || left > scene.width) continue;
    context.fillRect(left, RULER - 3, Math.max(2, right - left), 2);
    context.fillRect(left, RULER - 9, 5, 6);
  }
}

/** Diagonal stripes over a span without an end: nobody knows how long it lasted. */
function hatch(context: CanvasRenderingContext2D, left: number, top: number, wide: number, theme: Theme): void {
  context.save();
  context.beginPath();
  context.rect(left, top, wide, ROW - 1);
  context.clip();
  context.beginPath();
  for (let at = left - (left % HATCH); at < left + wide + ROW; at += HATCH) {
    context.moveTo(at, top);
    context.lineTo(at - ROW, top + ROW);
  }
  context.strokeStyle = inks(theme).ground;
  context.lineWidth = 2;
  context.stroke();
  context.restore();
}

/** Names, and behind those that fit uncut what changed, as pictures have it. */
function label(context: CanvasRenderingContext2D, scene: Scene, labels: number[], remarks: string[]): void {
  const { frames } = scene.view;
  const ink = inks(scene.theme);
  context.font = FONT;
  context.textBaseline = "middle";
  for (let at = 0; at < labels.length; at += 5) {
    const frame = labels[at + 3]!;
    const left = Math.max(labels[at]!, 0) + 4;
    const room = Math.floor(labels[at]! + labels[at + 2]! - left - 4);
    const name = labelIn(context, frames, frame, room);
    if (!name) continue;
    const both = remarks[at / 5] && name === printable(frames.names[frame]!) ? `${name} ${remarks[at / 5]}` : name;
    const text = both !== name && context.measureText(both).width <= room ? both : name;
    context.fillStyle = labels[at + 4] ? ink.faintLabel : ink.label;
    context.fillText(text, left, labels[at + 1]! + ROW / 2);
  }
}

/** Labels by frame and room, as many as a few screens have: each is worked out once while boxes keep their width. */
const LABELS_KEPT = 20_000;
const WIDEST = 8_192;
const labelCache = new WeakMap<FrameTable, Map<number, string>>();
const advances = new Map<string, number>();

function labelIn(context: CanvasRenderingContext2D, frames: FrameTable, frame: number, room: number): string {
  const known = cached(labelCache, frames, () => new Map<number, string>());
  const key = frame * WIDEST + Math.max(0, Math.min(room, WIDEST - 1));
  let text = known.get(key);
  if (text === undefined) {
    if (known.size > LABELS_KEPT) known.clear();
    if (advances.size > LABELS_KEPT) advances.clear();
    const advance = (character: string) => {
      let wide = advances.get(character);
      if (wide === undefined) advances.set(character, (wide = context.measureText(character).width));
      return wide;
    };
    known.set(key, (text = elideName(advance, printable(frames.names[frame]!), room)));
  }
  return text;
}

function outline(
  context: CanvasRenderingContext2D,
  scene: Scene,
  address: BoxAddress,
  colour: string,
  thick: number,
): void {
  const boxes = scene.view[address.half];
  if (!boxes || address.index >= boxes.start.length) return;
  const scale = scene.width / span(scene.window);
  const left = Math.max(-4, (boxes.start[address.index]! - scene.window.start) * scale);
  const right = Math.min(scene.width + 4, (boxes.end[address.index]! - scene.window.start) * scale);
  if (right < 0 || left > scene.width) return;
  const y = RULER + rowTop(scene.view, address.half, rowOf(boxes, address.index)) - scene.top;
  context.strokeStyle = colour;
  context.lineWidth = thick;
  context.strokeRect(left + thick / 2 - 0.5, y + thick / 2 - 0.5, Math.max(2, right - left - thick), ROW - thick);
}

/** What lies outside a marked range is shaded, and the range has edges. */
function marked(context: CanvasRenderingContext2D, scene: Scene, range: AxisWindow): void {
  const ink = inks(scene.theme);
  const scale = scene.width / span(scene.window);
  const left = Math.max(0, (range.start - scene.window.start) * scale);
  const right = Math.min(scene.width, (range.end - scene.window.start) * scale);
  context.fillStyle = ink.shade;
  context.fillRect(0, 0, left, scene.height);
  context.fillRect(right, 0, scene.width - right, scene.height);
  context.fillStyle = ink.mark;
  context.fillRect(left, 0, Math.max(1, right - left), 3);
  context.fillRect(left - 1, 0, 2, scene.height);
  context.fillRect(right - 1, 0, 2, scene.height);
}

/** Long tasks and collections: two lines under the ruler's figures, and a tint behind the boxes. */
function bandsOf(context: CanvasRenderingContext2D, scene: Scene, { longTasks, collections }: ThreadBands): void {
  const ink = inks(scene.theme);
  const kinds = [
    [longTasks.ranges, ink.task, RULER - 3],
    [collections.ranges, ink.collection, RULER - 6],
  ] as const;
  for (const [ranges, colour, top] of kinds) {
    context.fillStyle = colour;
    for (const [left, wide] of bandsInSight(ranges, scene.window, scene.width)) {
      context.globalAlpha = 0.1;
      context.fillRect(left, RULER, wide, scene.height - RULER);
      context.globalAlpha = 1;
      context.fillRect(left, top, wide, 3);
    }
  }
}

function grid(context: CanvasRenderingContext2D, scene: Scene, places: number[], colour: string): void {
  context.fillStyle = colour;
  const scale = scene.width / span(scene.window);
  for (const tick of places) {
    context.fillRect(Math.round((tick - scene.window.start) * scale), 0, 1, scene.height);
  }
}

function ruler(context: CanvasRenderingContext2D, scene: Scene, places: number[], colour: string): void {
  const scale = scene.width / span(scene.window);
  context.font = FONT;
  context.textBaseline = "middle";
  context.fillStyle = colour;
  const step = tickStep(scene.window, scene.width, TICK_SPACING);
  const key = scene.bands ? keyOf(scene.bands) : "";
  const right = key ? scene.width - context.measureText(key).width - KEY_GAPS : scene.width;
  const { start, end } = scene.window;
  const largest = Math.max(Math.abs(start - scene.origin), Math.abs(end - scene.origin));
  for (const tick of places) {
    const text = formatTick(tick - scene.origin, step, largest, scene.view.unit);
    const left = (tick - scene.window.start) * scale + 5;
    if (left + context.measureText(text).width > right) continue; // the key or the edge would cut it
    context.fillText(text, left, RULER / 2);
  }
}

function cached<V>(cache: WeakMap<FrameTable, V>, frames: FrameTable, make: () => V): V {
  let value = cache.get(frames);
  if (value === undefined) cache.set(frames, (value = make()));
  return value;
}
