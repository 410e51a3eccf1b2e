/** What the chart shows: profile, view, window, selection, search. Everything that moves the chart goes through here. */
import { firstProfile, tracePath, type TraceInfo, type TraceProfile } from "../api.ts";
import type { ViewerState } from "../protocol.ts";
import { Store } from "../store.ts";
import { BandStore } from "./bands.ts";
import type { PanelName } from "../tables/panels.ts";
import { NotesStore } from "./notes.ts";
import { Places } from "./places.ts";
import { PointingStore } from "./pointing.ts";
import { firstSeen, neighbourOf, parentOf, widestChildOf } from "./boxes.ts";
import { handlesOf } from "./handles.ts";
import { missingRange } from "./detail.ts";
import { sameFrame, samePlace } from "./kept_selection.ts";
import { OpenThreads } from "./open_threads.ts";
import { framesAmong, matchingBoxes, matchingFrames, NO_SEARCH, type Search } from "./search.ts";
import type { Boxes, View, ViewMode } from "./view_bytes.ts";
import type { Transforms } from "./transforms.ts";
import { ViewSource, type DiffRequest } from "./view_source.ts";
import { around, between, clamp, panned, shared, span, zoomed, type AxisWindow } from "./window.ts";

/** A box of the view: in its main half, or among the callers of a sandwich. */
export interface BoxAddress {
  half: "boxes" | "callers";
  index: number;
}

export interface ViewerSnapshot {
  mode: ViewMode;
  profile: string;
  /** The frame a sandwich is about. */
  sandwichOf: string | null;
  /** What a diff compares with. */
  diff: DiffRequest | null;
  /** The range of time that a left heavy view is of; null for all of it. */
  within: AxisWindow | null;
  /** What is done to the call tree, in order. */
  transforms: Transforms;
  view: View | null;
  loading: boolean;
  problem: string | null;
  window: AxisWindow;
  /** A range of time that the person has marked. */
  range: AxisWindow | null;
  /** The threads that it is marked on; null for the one in sight. */
  rangeThreads: readonly string[] | null;
  selection: BoxAddress | null;
  search: Search;
  /** The table under the chart. */
  panel: PanelName | null;
}

/** What can be chosen of a view. */
export type ViewChange = Partial<
  Pick<ViewerSnapshot, "mode" | "profile" | "sandwichOf" | "diff" | "within" | "transforms">
>;

const ZOOM_MS = 220;

export class ViewerStore extends Store<ViewerSnapshot> {
  readonly trace: TraceInfo;
  readonly profiles: TraceProfile[];
  readonly source: ViewSource;
  readonly places: Places;
  readonly pointing = new PointingStore();
  /** The threads that lie on one axis with the chosen one. */
  readonly open: OpenThreads;
  readonly bands: BandStore;
  /** The id of the finding that is open. */
  readonly finding = new Store<string | null>(null);
  readonly notes: NotesStore;
  /** Where the trace is in the API. */
  readonly path: string;
  #overview: View | null = null;
  /** The range that the shown view has in full, when it is not the overview. */
  #detailed: AxisWindow | null = null;
  #refetch: ReturnType<typeof setTimeout> | undefined;
  #flight = 0;
  /** Where a glide ends, while there is one. */
  #landing: AxisWindow | null = null;
  #reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

  constructor(trace: TraceInfo, path = tracePath(trace.traceId)) {
    const profiles = trace.summary.profiles;
    super({
      mode: "time_order",
      profile: firstProfile(trace),
      sandwichOf: null,
      diff: null,
      within: null,
      transforms: [],
      view: null,
      loading: true,
      problem: null,
      window: { start: 0, end: 1 },
      range: null,
      rangeThreads: null,
      selection: null,
      search: NO_SEARCH,
      panel: null,
    });
    this.trace = trace;
    this.profiles = profiles;
    this.path = path;
    this.source = new ViewSource(path);
    this.places = new Places(path);
    this.open = new OpenThreads(this.source);
    this.bands = new BandStore(path);
    this.notes = new NotesStore(path);
  }

  close(): void {
    this.source.close();
    clearTimeout(this.#refetch);
    cancelAnimationFrame(this.#flight);
  }

  /** Whoever came by a link sees this trace alone. */
  get canCompare(): boolean {
    return this.path === tracePath(this.trace.traceId);
  }

  /** The axis of the thread that is chosen. */
  axis(): AxisWindow {
    const view = this.#overview ?? this.read().view;
    return view ? { start: view.axisStart, end: Math.max(view.axisEnd, view.axisStart + 1e-9) } : { start: 0, end: 1 };
  }

  /** As far as the window goes: in time order as far as all open threads together. */
  bounds(): AxisWindow {
    return this.#overview?.mode === "time_order" ? this.open.around(this.axis()) : this.axis();
  }

  /** What is sent to the server and the model about the chart. */
  context(): ViewerState {
    const { mode, profile, sandwichOf } = this.read();
    const selection = this.selectedHandle() ?? (mode === "sandwich" ? sandwichOf : null);
    const { colouring } = this.source;
    const chosen = colouring === "file" ? {} : { colours: colouring }; // servers before this field refuse it
    return { view: mode, profile, selection, window: this.askedWindow(), ...chosen };
  }

  /** The range of time that a question is about: what was marked, or what is seen of the axis; null for all of it. */
  askedWindow(): AxisWindow | null {
    const { mode, window, range, view, within } = this.read();
    if (mode === "left_heavy" && within) return { ...within };
    if (mode !== "time_order" || !view) return null;
    const isZoomed = span(window) < span(this.bounds()) * 0.999;
    return range ? { ...range } : isZoomed ? shared(window, this.axis()) : null;
  }

  /** The view of all of the axis, for the minimap. */
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

  /** The handle of the selected call or path itself, of its function where the box stands for several. */
  selectedHandle(): string | null {
    const { selection } = this.read();
    return selection && (this.handlesAt(selection)[0] ?? null);
  }

  /** The handles of a box: of its call or path, where it is one, and of its function. */
  handlesAt(address: BoxAddress): string[] {
    const { view } = this.read();
    return view ? handlesOf(view, address) : [];
  }

  /** Load and show a view. Returns once it is on the page (or has failed: see `problem`). */
  async show(change: ViewChange): Promise<void> {
    const marking = { range: null, rangeThreads: null };
    const next = { ...this.read(), within: null, ...change, ...marking, loading: true, problem: null };
    if (next.mode === "sandwich" && !next.sandwichOf) next.sandwichOf = this.selectedFrame()?.handle ?? null;
    this.open.follow(this.read().profile, next.profile, next.transforms);
    this.write(next);
    if ((next.mode === "sandwich" && !next.sandwichOf) || (next.mode === "diff" && !next.diff)) {
      this.#overview = null;
      this.write({
        ...next,
        view: null,
        selection: null,
        loading: false,
        search: { ...NO_SEARCH, words: next.search.words, frames: next.search.frames },
      });
      return;
    }
    const { colouring } = this.source;
    const isCurrent = () => {
      if (this.source.colouring !== colouring) return false;
      const now = this.read();
      return (["mode", "profile", "sandwichOf", "diff", "within", "transforms"] as const).every(
        (part) => now[part] === next[part],
      );
    };
    try {
      const view = await this.source.load({ ...next, frame: next.sandwichOf, window: next.within });
      if (isCurrent()) this.#arrive(view);
    } catch (error) {
      if (isCurrent() && !this.source.isClosed) {
        this.write({
          ...this.read(),
          loading: false,
          view: null,
          problem: error instanceof Error ? error.message : String(error),
        });
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
    this.write({ ...this.read(), selection: null, range: null, rangeThreads: null });
    this.moveTo(this.bounds());
  }

  /** Show a window, gliding there unless the person prefers no motion. */
  moveTo(target: AxisWindow, glide = true): void {
    cancelAnimationFrame(this.#flight);
    const to = clamp(target, this.bounds());
    this.#landing = null;
    const from = this.read().window;
    if (!glide || this.#reducedMotion.matches || document.hidden) {
      this.#setWindow(to);
      return;
    }
    this.#landing = to;
    const began = performance.now();
    const step = (now: number) => {
      const share = Math.min(1, Math.max(0, (now - began) / ZOOM_MS));
      this.#setWindow(between(from, to, 1 - (1 - share) ** 3));
      if (share < 1) this.#flight = requestAnimationFrame(step);
      else this.#landing = null;
    };
    this.#flight = requestAnimationFrame(step);
  }

  /** End a glide at once; returns when what the window shows is there in full. */
  async land(): Promise<void> {
    await this.showWindow(this.#landing ?? this.read().window);
  }

  /** Show a window at once; returns when what it shows is there in full. */
  async showWindow(target: AxisWindow): Promise<void> {
    this.moveTo(target, false);
    clearTimeout(this.#refetch);
    if (this.#overview?.merged && this.#overview.mode === "time_order") await this.#detail();
  }

  /** Mark a range of time on the thread in sight or on others, or nothing. */
  mark(range: AxisWindow | null, threads: readonly string[] | null = null): void {
    const rangeThreads = range && threads?.length ? threads : null;
    this.write({ ...this.read(), range: range && clamp(range, this.bounds()), rangeThreads });
  }

  select(selection: BoxAddress | null): void {
    this.write({ ...this.read(), selection, problem: null });
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
    if (!selection) index = firstSeen(boxes, window);
    else if (to === "parent") index = parentOf(boxes, selection.index);
    else if (to === "child") index = widestChildOf(boxes, selection.index);
    else index = neighbourOf(boxes, selection.index, to === "next" ? 1 : -1);
    if (index === null) return;
    this.select({ half, index });
    const hidden = boxes.end[index]! <= window.start || boxes.start[index]! >= window.end;
    const tiny = boxes.end[index]! - boxes.start[index]! < span(window) / 400;
    if (hidden || tiny) this.zoomToSelection();
  }

  search(words: string, frames: ReadonlySet<number> | null = null): void {
    const { view } = this.read();
    const matches = view && (frames ? framesAmong(view.frames, frames) : matchingFrames(view.frames, words));
    this.write({
      ...this.read(),
      search: {
        words,
        frames,
        matches,
        boxes: view && matches ? matchingBoxes(view.boxes, matches) : new Int32Array(),
        at: -1,
      },
    });
  }

  searchStep(by: 1 | -1): void {
    const { search } = this.read();
    const count = search.boxes.length;
    if (count === 0) return;
    const at = search.at < 0 ? (by > 0 ? 0 : count - 1) : (search.at + by + count) % count;
    this.write({ ...this.read(), search: { ...search, at }, selection: { half: "boxes", index: search.boxes[at]! } });
    this.zoomToSelection();
  }

  /** Open a table under the chart, or none. */
  openPanel(panel: PanelName | null): void {
    this.write({ ...this.read(), panel });
  }

  /** Report to the person what could not be done. */
  report(problem: string): void {
    this.write({ ...this.read(), problem });
  }

  #arrive(view: View): void {
    cancelAnimationFrame(this.#flight);
    const keeps = this.#overview?.mode === "time_order" && view.mode === "time_order" && this.open.has(view.profile);
    this.#overview = view;
    this.#detailed = null;
    this.write({
      ...this.read(),
      mode: view.mode, // what has no times comes left heavy
      view,
      loading: false,
      problem: null,
      window: keeps ? clamp(this.read().window, this.bounds()) : this.bounds(),
      selection: sameFrame(view, this.selectedFrame()?.handle ?? null),
    });
    if (keeps) this.#setWindow(this.read().window);
    const { words, frames } = this.read().search;
    this.search(words, frames);
  }

  #setWindow(window: AxisWindow): void {
    this.write({ ...this.read(), window });
    clearTimeout(this.#refetch);
    this.open.rest(window);
    if (this.#overview?.merged && this.#overview.mode === "time_order")
      this.#refetch = setTimeout(() => void this.#detail(), 180);
  }

  /** A trace with more boxes than one answer holds came merged: fetch what the window shows in full, or return to the overview. */
  async #detail(): Promise<void> {
    const { window, profile, view, transforms } = this.read();
    const overview = this.#overview;
    if (!overview || !view) return;
    const target = missingRange(window, this.axis(), view, this.#detailed);
    if (target === "nothing") return;
    const coversAll = target === "all";
    const next = coversAll
      ? overview
      : await this.source.load({ mode: "time_order", profile, window: target, transforms }).catch(() => null);
    const now = this.read();
    if (
      !next ||
      next === now.view ||
      this.#overview !== overview ||
      now.window.start !== window.start ||
      now.window.end !== window.end
    )
      return;
    this.#detailed = coversAll ? null : target;
    this.write({ ...now, view: next, selection: samePlace(now, next) });
    this.search(now.search.words, now.search.frames);
  }
}
