/** What the chart shows: profile, view, window, selection, search. Everything that moves the chart goes through here. */
import { viewBytes, type TraceInfo, type TraceProfile } from "../api.ts";
import type { ViewerAction, ViewerState } from "../protocol.ts";
import { Store } from "../store.ts";
import { boxAt, neighbourOf, parentOf, rowOf, widestBox, widestChildOf } from "./boxes.ts";
import { parseHandle, type Handle } from "./handles.ts";
import { matchingBoxes, matchingFrames } from "./search.ts";
import { decodeView, type Boxes, type View, type ViewMode } from "./view_bytes.ts";
import { around, between, clamp, panned, span, zoomed, type AxisWindow } from "./window.ts";

/** A box of the view: in its main half, or among the callers of a sandwich. */
export interface BoxAddress {
  half: "boxes" | "callers";
  index: number;
}

export interface Search {
  words: string;
  matches: Uint8Array | null;
  boxes: Int32Array;
  /** Which of `boxes` is shown, -1 before the first step. */
  at: number;
}

export interface ViewerSnapshot {
  mode: ViewMode;
  profile: string;
  /** The frame a sandwich is about. */
  sandwichOf: string | null;
  view: View | null;
  loading: boolean;
  problem: string | null;
  window: AxisWindow;
  selection: BoxAddress | null;
  search: Search;
}

const NO_SEARCH: Search = { words: "", matches: null, boxes: new Int32Array(), at: -1 };
const ZOOM_MS = 220;
const KEPT_VIEWS = 6;

export class ViewerStore extends Store<ViewerSnapshot> {
  readonly trace: TraceInfo;
  readonly profiles: TraceProfile[];
  #views = new Map<string, Promise<View>>();
  #overview: View | null = null;
  /** The stretch that the shown view holds in full, when it is not the overview. */
  #detailed: AxisWindow | null = null;
  #abort = new AbortController();
  #refetch: ReturnType<typeof setTimeout> | undefined;
  #flight = 0;
  #reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

  constructor(trace: TraceInfo) {
    const profiles = trace.summary.profiles;
    const first = trace.summary.default_profile;
    super({
      mode: "time_order", profile: typeof first === "number" ? `p${first}` : first, sandwichOf: null, view: null, loading: true,
      problem: null, window: { start: 0, end: 1 }, selection: null, search: NO_SEARCH,
    });
    this.trace = trace;
    this.profiles = profiles;
  }

  close(): void {
    this.#abort.abort();
    clearTimeout(this.#refetch);
    cancelAnimationFrame(this.#flight);
  }

  bounds(): AxisWindow {
    const view = this.#overview ?? this.read().view;
    return view ? { start: view.axisStart, end: Math.max(view.axisEnd, view.axisStart + 1e-9) } : { start: 0, end: 1 };
  }

  /** What the server and the model are told about the chart. */
  context(): ViewerState {
    const { mode, profile, window, view, sandwichOf } = this.read();
    const isZoomed = view !== null && span(window) < span(this.bounds()) * 0.999;
    const selection = this.selectedFrame()?.handle ?? (mode === "sandwich" ? sandwichOf : null);
    return { view: mode, profile, selection, window: isZoomed && mode === "time_order" ? { ...window } : null };
  }

  /** The view of the whole axis, for the minimap. */
  overview(): View | null {
    return this.#overview;
  }

  boxes(half: BoxAddress["half"] = "boxes"): Boxes | null {
    return this.read().view?.[half] ?? null;
  }

  frameAt(address: BoxAddress): number {
    return this.boxes(address.half)?.frame[address.index] ?? -1;
  }

  selectedFrame(): { local: number; handle: string } | null {
    const { selection, view } = this.read();
    if (!selection || !view) return null;
    const local = this.frameAt(selection);
    return local < 0 ? null : { local, handle: `f${view.frames.ids[local]}` };
  }

  /** Load and show a view. Returns once it is on the page (or has failed, which `problem` tells). */
  async show(change: { mode?: ViewMode; profile?: string; sandwichOf?: string | null }): Promise<void> {
    const next = { ...this.read(), ...change, loading: true, problem: null };
    if (next.mode === "sandwich" && !next.sandwichOf) next.sandwichOf = this.selectedFrame()?.handle ?? null;
    this.write(next);
    if (next.mode === "sandwich" && !next.sandwichOf) {
      this.#overview = null;
      this.write({ ...next, view: null, selection: null, loading: false, search: { ...NO_SEARCH, words: next.search.words } });
      return;
    }
    const isWanted = () => {
      const now = this.read();
      return now.mode === next.mode && now.profile === next.profile && now.sandwichOf === next.sandwichOf;
    };
    try {
      const view = await this.#load(next.mode, next.profile, next.sandwichOf, null);
      if (isWanted()) this.#arrive(view);
    } catch (error) {
      if (isWanted() && !this.#abort.signal.aborted) {
        this.write({ ...this.read(), loading: false, view: null, problem: error instanceof Error ? error.message : String(error) });
      }
    }
  }

  zoom(factor: number, share: number): void {
    this.moveTo(zoomed(this.read().window, this.bounds(), factor, share), false);
  }

  pan(share: number): void {
    this.moveTo(panned(this.read().window, this.bounds(), share), false);
  }

  reset(): void {
    this.write({ ...this.read(), selection: null });
    this.moveTo(this.bounds());
  }

  /** Show a window, gliding there unless the person prefers no motion. */
  moveTo(target: AxisWindow, glide = true): void {
    cancelAnimationFrame(this.#flight);
    const to = clamp(target, this.bounds());
    const from = this.read().window;
    if (!glide || this.#reducedMotion.matches || document.hidden) {
      this.#setWindow(to);
      return;
    }
    const began = performance.now();
    const step = (now: number) => {
      const share = Math.min(1, Math.max(0, (now - began) / ZOOM_MS));
      this.#setWindow(between(from, to, 1 - (1 - share) ** 3));
      if (share < 1) this.#flight = requestAnimationFrame(step);
    };
    this.#flight = requestAnimationFrame(step);
  }

  select(selection: BoxAddress | null): void {
    this.write({ ...this.read(), selection });
  }

  zoomToSelection(): void {
    const { selection } = this.read();
    const boxes = selection && this.boxes(selection.half);
    if (boxes) this.moveTo(around(boxes.start[selection.index]!, boxes.end[selection.index]!, this.bounds()));
  }

  /** Arrow keys: to the parent, the widest child, or a neighbour, bringing it into sight. */
  step(to: "parent" | "child" | "next" | "previous"): void {
    const { selection, view, window } = this.read();
    if (!view) return;
    const half = selection?.half ?? "boxes";
    const boxes = view[half]!;
    let index: number | null;
    if (!selection) index = boxAt(boxes, 0, (window.start + window.end) / 2) ?? (boxes.start.length ? 0 : null);
    else if (to === "parent") index = parentOf(boxes, selection.index);
    else if (to === "child") index = widestChildOf(boxes, selection.index);
    else index = neighbourOf(boxes, selection.index, to === "next" ? 1 : -1);
    if (index === null) return;
    this.select({ half, index });
    const hidden = boxes.end[index]! <= window.start || boxes.start[index]! >= window.end;
    const tiny = boxes.end[index]! - boxes.start[index]! < span(window) / 400;
    if (hidden || tiny) this.zoomToSelection();
  }

  search(words: string): void {
    const { view } = this.read();
    const matches = view && matchingFrames(view.frames, words);
    this.write({ ...this.read(), search: { words, matches, boxes: view && matches ? matchingBoxes(view.boxes, matches) : new Int32Array(), at: -1 } });
  }

  searchStep(by: 1 | -1): void {
    const { search } = this.read();
    const count = search.boxes.length;
    if (count === 0) return;
    const at = search.at < 0 ? (by > 0 ? 0 : count - 1) : (search.at + by + count) % count;
    this.write({ ...this.read(), search: { ...search, at }, selection: { half: "boxes", index: search.boxes[at]! } });
    this.zoomToSelection();
  }

  /** Bring what a handle names into sight and select it. Returns whether it was found. */
  async goTo(text: string, profile: string | null = null): Promise<boolean> {
    const handle = parseHandle(text);
    if (!handle) return false;
    if (handle.kind === "profile") {
      await this.show({ profile: `p${handle.index}`, mode: this.read().mode === "sandwich" ? "time_order" : this.read().mode });
      return this.read().problem === null;
    }
    if (profile && profile !== this.read().profile) await this.show({ profile });
    const { mode, view } = this.read();
    const isPlace = handle.kind !== "frame";
    if (!view || (isPlace && view.refKind !== handle.kind)) {
      await this.show({ mode: handle.kind === "span" ? "time_order" : handle.kind === "node" ? "left_heavy" : "time_order" });
    } else if (mode === "sandwich" && !isPlace) {
      await this.show({ sandwichOf: `f${handle.index}` });
    }
    if (this.#focus(handle)) return true;
    if (isPlace && this.read().mode !== "left_heavy" && handle.kind === "node") return false;
    return this.#goToElsewhere(handle);
  }

  /** The agent moves the chart. */
  async act(action: ViewerAction): Promise<void> {
    const change = { ...(action.view ? { mode: action.view } : {}), ...(action.profile ? { profile: action.profile } : {}) };
    if (action.view === "sandwich" && action.handle) Object.assign(change, { sandwichOf: action.handle });
    if (Object.keys(change).length) await this.show(change);
    if (action.handle) await this.goTo(action.handle, action.profile);
    if (action.window) this.moveTo(action.window);
  }

  #focus(handle: Handle): boolean {
    const { view } = this.read();
    if (!view) return false;
    const { boxes } = view;
    const local = handle.kind === "frame" ? view.frames.ids.indexOf(handle.index) : -1;
    const index =
      handle.kind === "frame"
        ? local < 0 ? null : widestBox(boxes, (box) => boxes.frame[box] === local)
        : view.refKind === handle.kind ? widestBox(boxes, (box) => boxes.ref[box] === handle.index) : null;
    if (index === null) return false;
    this.select({ half: "boxes", index });
    this.zoomToSelection();
    return true;
  }

  /** A citation names no profile: look through the heaviest others. */
  async #goToElsewhere(handle: Handle): Promise<boolean> {
    const { mode, profile } = this.read();
    const others = this.profiles.filter((other) => other.handle !== profile).sort((a, b) => b.total - a.total).slice(0, KEPT_VIEWS);
    for (const other of others) {
      const view = await this.#load(mode, other.handle, null, null).catch(() => null);
      const holds = view && (handle.kind === "frame" ? view.frames.ids.includes(handle.index) : view.boxes.ref.includes(handle.index));
      if (!holds) continue;
      await this.show({ profile: other.handle });
      return this.#focus(handle);
    }
    const name = { frame: "function", node: "call path", span: "call", profile: "profile" }[handle.kind];
    this.write({ ...this.read(), problem: `The ${name} that this link names does not appear in this view.` });
    return false;
  }

  #load(mode: ViewMode, profile: string, sandwichOf: string | null, window: AxisWindow | null): Promise<View> {
    const query: Record<string, string | number> = { mode, profile };
    if (mode === "sandwich" && sandwichOf) query.frame = sandwichOf;
    if (window) Object.assign(query, { start: window.start, end: window.end });
    const key = JSON.stringify(query);
    const held = this.#views.get(key);
    if (held) return held;
    const view = viewBytes(this.trace.traceId, query, this.#abort.signal).then(decodeView);
    this.#views.set(key, view);
    view.catch(() => this.#views.delete(key));
    if (this.#views.size > KEPT_VIEWS) this.#views.delete(this.#views.keys().next().value!);
    return view;
  }

  #arrive(view: View): void {
    cancelAnimationFrame(this.#flight);
    this.#overview = view;
    this.#detailed = null;
    this.write({ ...this.read(), view, loading: false, problem: null, window: this.bounds(), selection: this.#sameFrame(view) });
    this.search(this.read().search.words);
  }

  /** Keep the selected frame selected when another view of the same profile shows it. */
  #sameFrame(view: View): BoxAddress | null {
    const id = Number(this.selectedFrame()?.handle.slice(1) ?? -1);
    const local = view.frames.ids.indexOf(id);
    const index = local < 0 ? null : widestBox(view.boxes, (box) => view.boxes.frame[box] === local);
    return index === null ? null : { half: "boxes", index };
  }

  #setWindow(window: AxisWindow): void {
    this.write({ ...this.read(), window });
    clearTimeout(this.#refetch);
    if (this.#overview?.merged && this.#overview.mode === "time_order") this.#refetch = setTimeout(() => void this.#detail(), 180);
  }

  /** A trace with more boxes than one answer holds came merged: fetch what the window shows in full, or return to the whole. */
  async #detail(): Promise<void> {
    const { window, profile, view } = this.read();
    const overview = this.#overview;
    if (!overview || !view) return;
    const margin = span(window) / 2;
    const wanted = clamp({ start: window.start - margin, end: window.end + margin }, this.bounds());
    const isWhole = span(wanted) > span(this.bounds()) * 0.6;
    const held = this.#detailed;
    if (!isWhole && held && view.merged === 0 && held.start <= window.start && held.end >= window.end) return;
    const next = isWhole ? overview : await this.#load("time_order", profile, null, wanted).catch(() => null);
    const now = this.read();
    if (!next || next === now.view || this.#overview !== overview || now.window.start !== window.start || now.window.end !== window.end) return;
    this.#detailed = isWhole ? null : wanted;
    this.write({ ...now, view: next, selection: this.#samePlace(now, next) });
    this.search(now.search.words);
  }

  #samePlace(before: ViewerSnapshot, view: View): BoxAddress | null {
    const held = before.selection && before.view?.boxes;
    if (!held) return null;
    const middle = (held.start[before.selection!.index]! + held.end[before.selection!.index]!) / 2;
    const index = boxAt(view.boxes, rowOf(held, before.selection!.index), middle);
    return index === null ? null : { half: "boxes", index };
  }
}
