/** The flows of the selected call, as the server answers, and the lines that they are drawn as. */
import { json } from "../api.ts";
import { Store } from "../store.ts";
import type { ViewerStore } from "./viewer_store.ts";
import { span, type AxisWindow } from "./window.ts";

export interface ArrowEnd {
  profile: string | null;
  thread: string | null;
  time: number;
  /** The call that was innermost then; null where none was. */
  handle: string | null;
  function: string | null;
  depth: number | null;
}

export interface FlowArrow {
  name: string;
  /** Whether it leaves the selected call or arrives at it, at `time`. */
  leaves: boolean;
  time: number;
  other: ArrowEnd;
}

export interface Flows {
  call: string | null;
  count: number;
  arrows: FlowArrow[];
}

const NONE: Flows = { call: null, count: 0, arrows: [] };
/** Walking with the arrows asks once it rests. */
const REST_MS = 150;

/** Follows the selection: a call's flows are fetched when it rests. Nothing is asked of a trace without any. */
export class FlowStore extends Store<Flows> {
  #store: ViewerStore;
  #wait: ReturnType<typeof setTimeout> | undefined;
  #current: string | null = null;
  readonly close: () => void;

  constructor(store: ViewerStore) {
    super(NONE);
    this.#store = store;
    const unwatch = store.watch(() => this.#look());
    this.close = () => {
      clearTimeout(this.#wait);
      unwatch();
    };
    this.#look();
  }

  #look(): void {
    const { mode, transforms } = this.#store.read();
    const handle = mode === "time_order" && transforms.length === 0 ? this.#store.selectedHandle() : null;
    const call = handle?.startsWith("s") ? handle : null;
    if (call === this.#current) return;
    this.#current = call;
    clearTimeout(this.#wait);
    this.write(NONE);
    if (call) this.#wait = setTimeout(() => void this.#fetch(call), REST_MS);
  }

  async #fetch(call: string): Promise<void> {
    try {
      const { count, arrows } = await json<Flows>(`${this.#store.path}/flows?call=${call}`);
      if (call === this.#current) this.write({ call, count, arrows });
    } catch (error) {
      if (call === this.#current) this.#store.report(error instanceof Error ? error.message : String(error));
    }
  }
}

/** Where the rows of a thread are on the page: `y` of a depth, and the part of the page that shows the thread. */
export interface ThreadPlace {
  top: number;
  bottom: number;
  y: (depth: number) => number;
}

export interface Line {
  from: { x: number; y: number };
  to: { x: number; y: number };
  /** Its other end is in a thread that is not open: it leads to the edge. */
  isLoose: boolean;
}

/** How far a line leads that ends outside, in pixels. */
const LOOSE = 34;

/** The lines of arrows within a window of so many pixels; those outside of it are left out. */
export function linesOf(
  arrows: readonly FlowArrow[],
  depth: number,
  { own, places }: { own: ThreadPlace; places: ReadonlyMap<string, ThreadPlace> },
  window: AxisWindow,
  width: number,
): Line[] {
  const x = (time: number) => ((time - window.start) / span(window)) * width;
  return arrows.flatMap(({ leaves, time, other }) => {
    const [near, far] = [x(time), x(other.time)];
    if (Math.max(near, far) < 0 || Math.min(near, far) > width) return [];
    const within = (place: ThreadPlace, y: number) => Math.max(place.top, Math.min(place.bottom, y));
    const here = { x: near, y: within(own, own.y(depth)) };
    const place = other.profile === null ? undefined : places.get(other.profile);
    const there = place
      ? { x: far, y: within(place, place.y(other.depth ?? 0)) }
      : { x: near + Math.max(-LOOSE, Math.min(LOOSE, far - near)), y: within(own, here.y + LOOSE) };
    return [{ from: leaves ? here : there, to: leaves ? there : here, isLoose: !place }];
  });
}

/** A curve as an SVG path: it leaves and arrives level. */
export function curveOf({ from, to }: Line): string {
  const bend = Math.max(12, Math.min(80, Math.abs(to.x - from.x) / 2));
  const at = (value: number) => value.toFixed(1);
  return (
    `M${at(from.x)} ${at(from.y)}C${at(from.x + bend)} ${at(from.y)} ` +
    `${at(to.x - bend)} ${at(to.y)} ${at(to.x)} ${at(to.y)}`
  );
}
