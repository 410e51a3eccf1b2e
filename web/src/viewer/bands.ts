/** When threads ran long tasks and collected garbage: bands over their charts, each thread asked for once. */
import { json } from "../api.ts";
import { Store } from "../store.ts";
import { formatCount } from "./values.ts";
import { span, type AxisWindow } from "./window.ts";

export interface ThreadBands {
  longTasks: { count: number; ranges: [number, number][] };
  collections: { count: number; ranges: [number, number][] };
}

export class BandStore extends Store<ReadonlyMap<string, ThreadBands>> {
  #path: string;
  #asked = new Set<string>();

  /** `path` is where the trace is in the API. */
  constructor(path: string) {
    super(new Map());
    this.#path = path;
  }

  /** Have the bands of a thread soon; without them its chart is as good. */
  want(profile: string): void {
    if (this.#asked.has(profile)) return;
    this.#asked.add(profile);
    json<ThreadBands>(`${this.#path}/bands?profile=${profile}`).then(
      (bands) => this.write(new Map(this.read()).set(profile, bands)),
      () => this.#asked.delete(profile),
    );
  }
}

/** "2 long tasks, 1 collection"; empty where there are none. */
export function spokenBands({ longTasks, collections }: ThreadBands): string {
  const counted = (count: number, one: string) =>
    count ? [`${formatCount(count)} ${one}${count === 1 ? "" : "s"}`] : [];
  return [...counted(longTasks.count, "long task"), ...counted(collections.count, "collection")].join(", ");
}

/** What the key over the ruler shows of them; empty where there are none. */
export function keyOf({ longTasks, collections }: ThreadBands): string {
  return [
    longTasks.count && `${formatCount(longTasks.count)} long`,
    collections.count && `${formatCount(collections.count)} GC`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Where ranges lie in a chart of so many pixels, those in sight; each at least a pixel wide. */
export function bandsInSight(
  ranges: readonly [number, number][],
  window: AxisWindow,
  width: number,
): [number, number][] {
  const scale = width / span(window);
  return ranges.flatMap(([start, end]): [number, number][] => {
    if (end <= window.start || start >= window.end) return [];
    const left = Math.max(0, (start - window.start) * scale);
    return [[left, Math.max(1, Math.min(width, (end - window.start) * scale) - left)]];
  });
}
