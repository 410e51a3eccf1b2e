/** The threads that are open at once, one below the other, on one axis; the chosen one is among them. */
import { Store } from "../store.ts";
import { missingRange } from "./detail.ts";
import type { Transforms } from "./transforms.ts";
import type { View } from "./view_bytes.ts";
import type { ViewSource } from "./view_source.ts";
import { joined, type AxisWindow } from "./window.ts";

export const MOST_OPEN = 8;
const REST_MS = 180;

/** What is seen of a thread: all of it, and where that came merged, a part in full. */
interface Part {
  overview: View;
  view: View;
  range: AxisWindow | null;
}

export interface OpenSnapshot {
  /** From top to bottom; none where only the chosen thread is open. */
  handles: readonly string[];
  parts: ReadonlyMap<string, Part>;
  /** Why a thread cannot be drawn. */
  problems: ReadonlyMap<string, string>;
  /** The one that has the room which the others leave. */
  tall: string | null;
}

export class OpenThreads extends Store<OpenSnapshot> {
  #source: ViewSource;
  #transforms: Transforms = [];
  #refetch: ReturnType<typeof setTimeout> | undefined;
  /** How far each is scrolled down. */
  readonly tops = new Store<ReadonlyMap<string, number>>(new Map());

  /** How far a chart shall be scrolled down, once it is drawn. */
  readonly scrollTarget = new Store<{ handle: string; top: number } | null>(null);

  constructor(source: ViewSource) {
    super({ handles: [], parts: new Map(), problems: new Map(), tall: null });
    this.#source = source;
  }

  has(handle: string): boolean {
    return this.read().handles.includes(handle);
  }

  view(handle: string): View | null {
    return this.read().parts.get(handle)?.view ?? null;
  }

  /** An axis and those of all open threads. */
  around(axis: AxisWindow): AxisWindow {
    const { handles, parts } = this.read();
    return handles.reduce((all, handle) => {
      const overview = parts.get(handle)?.overview;
      return overview ? joined(all, { start: overview.axisStart, end: overview.axisEnd }) : all;
    }, axis);
  }

  /** Have these open; returns once they are there. Fewer than two are as none. */
  async set(handles: readonly string[]): Promise<void> {
    const next = handles.length < 2 ? [] : handles.slice(0, MOST_OPEN);
    const now = this.read();
    if (next.join() === now.handles.join()) return;
    const kept = <T>(all: ReadonlyMap<string, T>) => new Map([...all].filter(([handle]) => next.includes(handle)));
    const tall = now.tall !== null && next.includes(now.tall) ? now.tall : (next[0] ?? null);
    this.write({ handles: next, parts: kept(now.parts), problems: kept(now.problems), tall });
    await this.#load();
  }

  scrolled(handle: string, top: number): void {
    const tops = this.tops.read();
    if (tops.get(handle) !== top) this.tops.write(new Map(tops).set(handle, top));
  }

  /** Have the chart of a thread scrolled down so far. */
  scrollTo(handle: string, top: number): void {
    this.scrollTarget.write({ handle, top });
  }

  makeTall(handle: string): void {
    this.write({ ...this.read(), tall: handle });
  }

  /** Another thread is chosen, or other transforms: it takes the place of the one that was, unless it is open already. */
  follow(before: string, now: string, transforms: Transforms): void {
    const { handles, tall } = this.read();
    const isOther = JSON.stringify(transforms) !== JSON.stringify(this.#transforms);
    if (isOther) {
      this.#transforms = transforms;
      this.write({ ...this.read(), parts: new Map(), problems: new Map() });
    }
    if (handles.length && !handles.includes(now)) {
      if (tall === before) this.write({ ...this.read(), tall: now });
      const next = handles.includes(before) ? handles.map((one) => (one === before ? now : one)) : [now, ...handles];
      void this.set(next);
    } else if (isOther) void this.#load();
  }

  /** The window rests there after a while: what came merged is fetched in full. */
  rest(window: AxisWindow): void {
    clearTimeout(this.#refetch);
    const merged = [...this.read().parts].filter(([, part]) => part.overview.merged);
    if (merged.length) this.#refetch = setTimeout(() => void this.#detail(window, merged), REST_MS);
  }

  /** The same boxes in the colours that are chosen now. */
  async recolour(): Promise<void> {
    const transforms = this.#transforms;
    await Promise.all(
      this.read().handles.map(async (handle) => {
        const asked = this.#source.load({ mode: "time_order", profile: handle, transforms });
        const view = await asked.catch(() => null);
        if (view && this.has(handle) && transforms === this.#transforms)
          this.#put(handle, { overview: view, view, range: null });
      }),
    );
  }

  async #load(): Promise<void> {
    const { handles, parts } = this.read();
    const transforms = this.#transforms;
    await Promise.all(
      handles
        .filter((handle) => !parts.has(handle))
        .map(async (handle) => {
          const asked = this.#source.load({ mode: "time_order", profile: handle, transforms });
          const found = await asked.catch((error: Error) => error.message);
          if (!this.has(handle) || transforms !== this.#transforms) return;
          if (typeof found === "string") this.#cannot(handle, found);
          else if (found.mode !== "time_order") this.#cannot(handle, "This thread has no times.");
          else this.#put(handle, { overview: found, view: found, range: null });
        }),
    );
  }

  async #detail(window: AxisWindow, merged: [string, Part][]): Promise<void> {
    const transforms = this.#transforms;
    for (const [handle, part] of merged) {
      const { overview, view, range } = part;
      const target = missingRange(window, { start: overview.axisStart, end: overview.axisEnd }, view, range);
      if (target === "nothing") continue;
      const asked = { mode: "time_order" as const, profile: handle, transforms };
      const next =
        target === "all" ? overview : await this.#source.load({ ...asked, window: target }).catch(() => null);
      if (next && this.read().parts.get(handle) === part)
        this.#put(handle, { overview, view: next, range: target === "all" ? null : target });
    }
  }

  #put(handle: string, part: Part): void {
    this.write({ ...this.read(), parts: new Map(this.read().parts).set(handle, part) });
  }

  #cannot(handle: string, problem: string): void {
    this.write({ ...this.read(), problems: new Map(this.read().problems).set(handle, problem) });
  }
}
