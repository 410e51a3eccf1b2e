/** All of the axis as a skyline of call depth; the shown window can be dragged, or a new one drawn. */
import { placeIn } from "../page_scale.ts";
import { theme } from "../theme.ts";
import { rowCount, visibleBoxes } from "./boxes.ts";
import { SharpCanvas } from "./canvas.ts";
import { fills, inks, PLAIN_COLOUR, unchangedFill } from "./palette.ts";
import type { View } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";
import { span, type AxisWindow } from "./window.ts";

export class Minimap {
  #store: ViewerStore;
  #canvas: SharpCanvas;
  #skyline: { view: View; bounds: AxisWindow; heights: Uint16Array } | null = null;
  #drawn: { heights: Uint16Array; unit: number; colour: string; canvas: HTMLCanvasElement } | null = null;
  #drag: { kind: "move" | "draw"; from: number; windowStart: number } | null = null;
  #abort = new AbortController();

  constructor(canvas: HTMLCanvasElement, store: ViewerStore) {
    this.#store = store;
    this.#canvas = new SharpCanvas(canvas, (context) => this.#draw(context));
    const signal = this.#abort.signal;
    const unwatch = [store.watch(() => this.#canvas.schedule()), theme.watch(() => this.#canvas.schedule())];
    signal.addEventListener("abort", () => unwatch.forEach((stop) => stop()));
    canvas.addEventListener("pointerdown", (event) => this.#down(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.#move(event), { signal });
    canvas.addEventListener("pointerup", () => (this.#drag = null), { signal });
    canvas.addEventListener("pointercancel", () => (this.#drag = null), { signal });
    canvas.addEventListener("dblclick", () => store.moveTo(store.bounds()), { signal });
  }

  close(): void {
    this.#abort.abort();
    this.#canvas.close();
  }

  #draw(context: CanvasRenderingContext2D): void {
    const view = this.#store.overview();
    const { width, height } = this.#canvas;
    const ink = inks(theme.read());
    context.fillStyle = ink.ground;
    context.fillRect(0, 0, width, height);
    if (!view) return;
    const bounds = this.#store.bounds();
    const heights = this.#heights(view, bounds, width);
    const unit = (height - 4) / Math.max(1, rowCount(view.boxes));
    const colour = view.diff ? unchangedFill(theme.read()) : fills(theme.read())[PLAIN_COLOUR]!;
    context.drawImage(this.#picture(context, heights, unit, colour), 0, 0, width, height);
    const window = this.#store.read().window;
    const left = ((window.start - bounds.start) / span(bounds)) * width;
    const right = ((window.end - bounds.start) / span(bounds)) * width;
    if (right - left > width - 1) return;
    context.fillStyle = ink.shade;
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, width - right, height);
    context.strokeStyle = ink.outline;
    context.lineWidth = 1;
    context.strokeRect(left + 0.5, 0.5, Math.max(2, right - left) - 1, height - 1);
  }

  /** The skyline, drawn once: what moves from frame to frame is the shade over it. */
  #picture(context: CanvasRenderingContext2D, heights: Uint16Array, unit: number, colour: string): HTMLCanvasElement {
    const { width: wide, height: high } = context.canvas;
    const known = this.#drawn;
    const isSame = known?.heights === heights && known.colour === colour && known.unit === unit;
    if (isSame && known.canvas.width === wide && known.canvas.height === high) return known.canvas;
    const canvas = document.createElement("canvas");
    canvas.width = wide;
    canvas.height = high;
    const drawing = canvas.getContext("2d")!;
    drawing.setTransform(context.getTransform());
    drawing.fillStyle = colour;
    heights.forEach((depth, x) => depth && drawing.fillRect(x, this.#canvas.height - depth * unit, 1, depth * unit));
    this.#drawn = { heights, unit, colour, canvas };
    return canvas;
  }

  /** The deepest row at each pixel. */
  #heights(view: View, bounds: AxisWindow, width: number): Uint16Array {
    const known = this.#skyline;
    const isSame = known?.view === view && known.bounds.start === bounds.start && known.bounds.end === bounds.end;
    if (isSame && known.heights.length === width) return known.heights;
    const heights = new Uint16Array(width);
    for (let row = 0; row < rowCount(view.boxes); row++) {
      visibleBoxes(view.boxes, row, bounds.start, bounds.end, width, (x, wide) =>
        heights.fill(row + 1, Math.floor(x), Math.ceil(x + wide)),
      );
    }
    this.#skyline = { view, bounds, heights };
    return heights;
  }

  #place(event: PointerEvent): number {
    const bounds = this.#store.bounds();
    return bounds.start + (placeIn(this.#canvas.element, event).x / this.#canvas.width) * span(bounds);
  }

  #down(event: PointerEvent): void {
    this.#canvas.element.setPointerCapture(event.pointerId);
    const at = this.#place(event);
    const { window } = this.#store.read();
    const isZoomed = span(window) < span(this.#store.bounds()) * 0.999;
    const inside = isZoomed && at >= window.start && at <= window.end;
    this.#drag = { kind: inside ? "move" : "draw", from: at, windowStart: window.start };
  }

  #move(event: PointerEvent): void {
    if (!this.#drag) return;
    const at = this.#place(event);
    const { from, kind, windowStart } = this.#drag;
    if (kind === "move") {
      const start = windowStart + at - from;
      this.#store.moveTo({ start, end: start + span(this.#store.read().window) }, false);
    } else if (Math.abs(at - from) > span(this.#store.bounds()) / 400) {
      this.#store.moveTo({ start: Math.min(from, at), end: Math.max(from, at) }, false);
    }
  }
}
