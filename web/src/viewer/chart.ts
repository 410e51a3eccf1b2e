/** The flame chart on the page: a canvas that follows the store, and the hands that move it. */
import { placeIn } from "../page_scale.ts";
import { theme } from "../theme.ts";
import type { ThreadBands } from "./bands.ts";
import { boxAt, rowOf } from "./boxes.ts";
import { SharpCanvas } from "./canvas.ts";
import { contentHeight, paint, ROW, rowAt, rowTop, RULER } from "./paint.ts";
import { handlesOf } from "./handles.ts";
import { PixelRows } from "./narrow_boxes.ts";
import { notedIn, notesOf, type Noted } from "./notes.ts";
import { pointedBoxes } from "./pointing.ts";
import { matchingFrames, framesAmong } from "./search.ts";
import { chooseBox, stepThread } from "./thread_moves.ts";
import type { View } from "./view_bytes.ts";
import type { BoxAddress, ViewerStore } from "./viewer_store.ts";
import { span } from "./window.ts";

export interface Hover {
  address: BoxAddress;
  x: number;
  y: number;
}

/** Events of the chart for the page around it. */
export interface ChartEvents {
  hover: (hover: Hover | null) => void;
  /** The menu of the selected box is asked for at this place of the chart. */
  menu: (place: { x: number; y: number }) => void;
}

const CLICK_SLACK = 4; // pixels a click may move
const HOLD_MS = 500;
const WHEEL_ZOOM = 0.0022; // zoom per wheel unit, an eighth of a turn being 100 units

/** What of the store a chart draws. */
interface Seen {
  view: View | null;
  profile: string;
  selection: BoxAddress | null;
  matches: Uint8Array | null;
}

export class FlameChart {
  #root: HTMLElement;
  #store: ViewerStore;
  #canvas: SharpCanvas;
  #narrow = new PixelRows();
  #events: ChartEvents;
  /** The open thread that it shows; null for the chosen one. */
  #thread: string | null;
  #hasCalls: boolean;
  #searched: { view: View; words: string; frames: unknown; matches: Uint8Array | null } | null = null;
  #hover: Hover | null = null;
  #top = 0;
  #pointers = new Map<number, { x: number; y: number }>();
  #pressed: { x: number; y: number } | null = null;
  #dragged = false;
  /** Where on the axis a marked range begins while it is drawn. */
  #holding: ReturnType<typeof setTimeout> | undefined;
  #markFrom: number | null = null;
  /** What is noted in the view that was drawn last. */
  #noted: { of: unknown[]; found: Noted | null } = { of: [], found: null };
  #shown: { view: unknown; profile: string; selection: BoxAddress | null } = {
    view: null,
    profile: "",
    selection: null,
  };
  #published: Record<string, string> = {};
  #abort = new AbortController();

  constructor(
    root: HTMLElement,
    canvas: HTMLCanvasElement,
    store: ViewerStore,
    events: ChartEvents,
    thread: string | null = null,
  ) {
    this.#root = root;
    this.#store = store;
    this.#events = events;
    this.#thread = thread;
    this.#hasCalls = store.profiles.some(({ kind }) => kind === "evented");
    this.#canvas = new SharpCanvas(canvas, (context) => this.#draw(context));
    const signal = this.#abort.signal;
    const unwatch = [store, theme, store.pointing, store.open, store.open.scrollTarget, store.bands, store.notes].map(
      (one) => one.watch(() => this.#canvas.schedule()),
    );
    signal.addEventListener("abort", () => unwatch.forEach((stop) => stop()));
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false, signal });
    canvas.addEventListener("pointerdown", (event) => this.#down(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.#move(event), { signal });
    canvas.addEventListener("pointerup", (event) => this.#up(event), { signal });
    canvas.addEventListener("pointercancel", (event) => this.#release(event), { signal });
    canvas.addEventListener("pointerleave", () => this.#setHover(null), { signal });
    canvas.addEventListener("dblclick", () => store.zoomToSelection(), { signal });
    canvas.addEventListener("contextmenu", (event) => this.#menu(event), { signal });
    root.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  close(): void {
    this.#abort.abort();
    this.#canvas.close();
  }

  #draw(context: CanvasRenderingContext2D): void {
    const { window, range } = this.#store.read();
    const { view, selection, profile, matches } = this.#seen();
    const { cited } = this.#store.pointing.read();
    if (!view) return;
    if (this.#shown.view !== view || this.#shown.selection !== selection) this.#follow();
    const scrollTarget = this.#store.open.scrollTarget.read();
    if (scrollTarget?.handle === profile) {
      this.#top = scrollTarget.top;
      this.#store.open.scrollTarget.write(null);
    }
    this.#top = this.#clampTop(this.#top);
    this.#store.open.scrolled(profile, this.#top);
    const noted = this.#notedIn(view, profile);
    this.#publish("viewStart", String(window.start));
    this.#publish("viewEnd", String(window.end));
    this.#publish("range", range ? `${range.start} ${range.end}` : "");
    this.#publish("pointed", cited?.frame ?? "");
    if (!this.#canvas.isInSight) return;
    const { width, height } = this.#canvas;
    paint(context, {
      view,
      window,
      origin: this.#store.axis().start,
      top: this.#top,
      width,
      height,
      theme: theme.read(),
      selection,
      hover: this.#hover?.address ?? null,
      pointed: profile === cited?.profile ? pointedBoxes(view, cited) : null,
      matches,
      noted,
      range,
      bands: this.#bands(view, profile),
      narrow: this.#narrow,
    });
    const overflow = contentHeight(view) - (height - RULER);
    if (overflow > 0) {
      const share = (height - RULER) / contentHeight(view);
      context.fillStyle = theme.read() === "dark" ? "#ffffff55" : "#00000040";
      context.fillRect(width - 5, RULER + this.#top * share, 3, Math.max(24, (height - RULER) * share));
    }
  }

  /** On the chart's element; an attribute costs a frame as much as a row of boxes, also where it stays the same. */
  #publish(name: string, value: string): void {
    if (this.#published[name] !== value) this.#root.dataset[name] = this.#published[name] = value;
  }

  #notedIn(view: View, profile: string): Noted | null {
    const { notes } = this.#store.notes.read();
    const of = [view, profile, notes];
    if (of.some((one, at) => one !== this.#noted.of[at])) this.#noted = { of, found: notedIn(view, profile, notes) };
    this.#publish("noted", String(this.#noted.found ? notesOf(notes, profile).length : 0));
    return this.#noted.found;
  }

  /** Calls of a thread that are recorded one by one have bands in time order. */
  #bands(view: View, profile: string): ThreadBands | null {
    if (view.mode !== "time_order" || view.unit !== "nanoseconds" || !this.#hasCalls) return null;
    this.#store.bands.want(profile);
    return this.#store.bands.read().get(profile) ?? null;
  }

  #seen(): Seen {
    const { view, profile, selection, search } = this.#store.read();
    if (this.#thread === null) return { view, profile, selection, matches: search.matches };
    const other = this.#store.open.view(this.#thread);
    const known = this.#searched;
    const { words, frames } = search;
    if (other && (known?.view !== other || known.words !== words || known.frames !== frames)) {
      const matches = frames ? framesAmong(other.frames, frames) : matchingFrames(other.frames, words);
      this.#searched = { view: other, words, frames, matches };
    }
    return { view: other, profile: this.#thread, selection: null, matches: this.#searched?.matches ?? null };
  }

  /** A new view of a sandwich starts at its frame, others at the top; a new selection is brought into sight. */
  #follow(): void {
    const { view, selection, profile } = this.#seen();
    if (!view) return;
    if (this.#shown.profile !== profile && this.#store.open.has(profile))
      this.#top = this.#store.open.tops.read().get(profile) ?? 0;
    const room = this.#canvas.height - RULER;
    if (this.#shown.view !== view && view.callers) this.#top = rowTop(view, "boxes", 0) - room / 2;
    if (selection) {
      const boxes = view[selection.half];
      const y = boxes ? rowTop(view, selection.half, rowOf(boxes, selection.index)) : 0;
      if (y < this.#top) this.#top = y - ROW;
      else if (y + ROW > this.#top + room) this.#top = y + ROW * 2 - room;
    }
    this.#shown = { view, profile, selection };
  }

  #clampTop(top: number): number {
    const { view } = this.#seen();
    return view ? Math.max(0, Math.min(top, contentHeight(view) - (this.#canvas.height - RULER))) : 0;
  }

  #scrollBy(pixels: number): void {
    this.#top = this.#clampTop(this.#top + pixels);
    this.#canvas.schedule();
  }

  #placeOf(event: MouseEvent): { x: number; y: number } {
    return placeIn(this.#canvas.element, event);
  }

  #placeAt(x: number): number {
    const { window } = this.#store.read();
    return window.start + (x / this.#canvas.width) * span(window);
  }

  #boxUnder(x: number, y: number): BoxAddress | null {
    const { view } = this.#seen();
    if (!view || y < RULER) return null;
    const { half, row } = rowAt(view, y - RULER + this.#top);
    const boxes = view[half];
    const index = boxes && boxAt(boxes, row, this.#placeAt(x));
    return index === null || index === undefined ? null : { half, index };
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (event.shiftKey && event.deltaX === 0) return this.#scrollBy(event.deltaY * unit);
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      return event.shiftKey
        ? this.#scrollBy(event.deltaX * unit)
        : this.#store.pan((event.deltaX * unit) / this.#canvas.width);
    }
    const sharp = event.ctrlKey ? 5 : 1; // a pinch on a touchpad arrives as small wheel steps with Ctrl
    const { x } = this.#placeOf(event);
    this.#store.zoom(Math.exp(event.deltaY * unit * WHEEL_ZOOM * sharp), x / this.#canvas.width);
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.#canvas.element.setPointerCapture(event.pointerId);
    const at = this.#placeOf(event);
    this.#pointers.set(event.pointerId, at);
    this.#pressed = at;
    this.#dragged = this.#pointers.size > 1;
    clearTimeout(this.#holding);
    if (event.pointerType === "touch" && !this.#dragged) this.#holding = setTimeout(() => this.#rests(at), HOLD_MS);
    const marks = (event.shiftKey || at.y < RULER) && this.#store.read().mode === "time_order";
    this.#markFrom = marks && !this.#dragged ? this.#placeAt(at.x) : null;
    this.#root.focus({ preventScroll: true });
  }

  #move(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    const now = this.#placeOf(event);
    if (!before) {
      const address = this.#boxUnder(now.x, now.y);
      this.#canvas.element.style.cursor = now.y < RULER && this.#store.read().mode === "time_order" ? "col-resize" : "";
      return this.#setHover(address && { address, ...now });
    }
    if (this.#pressed && Math.hypot(now.x - this.#pressed.x, now.y - this.#pressed.y) > CLICK_SLACK)
      this.#dragged = true;
    if (!this.#dragged) return;
    clearTimeout(this.#holding);
    this.#setHover(null);
    if (this.#markFrom !== null) {
      const at = this.#placeAt(Math.max(0, Math.min(now.x, this.#canvas.width)));
      this.#store.mark({ start: Math.min(at, this.#markFrom), end: Math.max(at, this.#markFrom) });
    } else if (this.#pointers.size === 1) {
      this.#store.pan((before.x - now.x) / this.#canvas.width);
      this.#scrollBy(before.y - now.y);
    } else this.#pinch(event.pointerId, before, now);
    this.#pointers.set(event.pointerId, now);
  }

  #pinch(id: number, before: { x: number }, now: { x: number }): void {
    const other = [...this.#pointers].find(([pointer]) => pointer !== id)?.[1];
    if (!other) return;
    const factor = Math.max(8, Math.abs(before.x - other.x)) / Math.max(8, Math.abs(now.x - other.x));
    this.#store.zoom(factor, other.x / this.#canvas.width);
  }

  #up(event: PointerEvent): void {
    const { x, y } = this.#placeOf(event);
    if (this.#pressed && !this.#dragged && y >= RULER) this.#choose(this.#boxUnder(x, y));
    if (!this.#dragged && y < RULER) this.#store.mark(null);
    this.#markFrom = null;
    this.#release(event);
  }

  #choose(box: BoxAddress | null): void {
    const { mode } = this.#store.read();
    if (this.#thread === null || mode !== "time_order") this.#store.select(box);
    else void chooseBox(this.#store, this.#thread, box);
  }

  #release(event: PointerEvent): void {
    clearTimeout(this.#holding);
    this.#pointers.delete(event.pointerId);
    if (this.#pointers.size === 0) this.#pressed = null;
  }

  /** Right click; the menu key asks for the menu of what is selected. */
  #menu(event: MouseEvent): void {
    if (this.#menuAt(this.#placeOf(event))) event.preventDefault();
  }

  /** A finger that rests opens the menu: not every browser says so itself. */
  #rests(at: { x: number; y: number }): void {
    this.#dragged = this.#menuAt(at);
  }

  #menuAt(at: { x: number; y: number }): boolean {
    const under = this.#boxUnder(at.x, at.y);
    if (!under) return false;
    this.#choose(under);
    this.#setHover(null);
    if (this.#thread === null) this.#events.menu(at);
    return true;
  }

  /** Where the selected box is seen, kept inside the chart. */
  #placeOfSelection(): { x: number; y: number } | null {
    const { view, window, selection } = this.#store.read();
    const boxes = selection && view?.[selection.half];
    if (!view || !boxes) return null;
    const middle = (boxes.start[selection.index]! + boxes.end[selection.index]!) / 2;
    const x = ((middle - window.start) / span(window)) * this.#canvas.width;
    const y = RULER + rowTop(view, selection.half, rowOf(boxes, selection.index)) - this.#top + ROW;
    return {
      x: Math.max(0, Math.min(x, this.#canvas.width)),
      y: Math.max(RULER, Math.min(y, this.#canvas.height)),
    };
  }

  #setHover(hover: Hover | null): void {
    if (!hover && !this.#hover) return;
    this.#hover = hover;
    this.#events.hover(hover);
    const { view } = this.#seen();
    this.#store.pointing.box(hover && view ? handlesOf(view, hover.address) : []);
    this.#canvas.schedule();
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.#root) return;
    const store = this.#store;
    const commands: Record<string, () => void> = {
      ArrowUp: () => store.step(this.#isAbove() ? "child" : "parent"),
      ArrowDown: () => store.step(this.#isAbove() ? "parent" : "child"),
      ArrowLeft: () => store.step("previous"),
      ArrowRight: () => store.step("next"),
      Enter: () => store.zoomToSelection(),
      Escape: () => store.reset(),
      "+": () => store.zoom(1 / 1.5, 0.5),
      "=": () => store.zoom(1 / 1.5, 0.5),
      "-": () => store.zoom(1.5, 0.5),
      a: () => store.pan(-0.15),
      d: () => store.pan(0.15),
      PageUp: () => this.#scrollBy(-this.#canvas.height * 0.8),
      PageDown: () => this.#scrollBy(this.#canvas.height * 0.8),
    };
    const place = this.#placeOfSelection();
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey) || event.key === "m") {
      event.preventDefault();
      if (place) this.#events.menu(place);
      return;
    }
    const isAside = event.shiftKey && event.key.startsWith("Arrow") && store.open.has(store.read().profile);
    const threads: Record<string, () => void> = {
      ArrowUp: () => stepThread(store, -1),
      ArrowDown: () => stepThread(store, 1),
    };
    const command = isAside ? threads[event.key] : commands[event.key];
    if (!command) return;
    event.preventDefault();
    command();
  }

  /** Callers in a sandwich grow upwards: there the arrows swap. */
  #isAbove(): boolean {
    return this.#store.read().selection?.half === "callers";
  }
}
