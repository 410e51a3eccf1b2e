/** Marking a range of time on the strips of the list of threads: along the time, and down over several threads. */
import { useRef } from "preact/hooks";
import type { TrackRow, Tracks } from "./tracks.ts";
import type { ViewerStore } from "./viewer_store.ts";

/** Pixels before a press is a marking. */
const SLACK = 4;

interface Press {
  x: number;
  row: number;
  strip: DOMRect;
  isMarking: boolean;
}

/** Handlers for the rows' element; `isMarking` is true from a marking's first move to the click that ends it. */
export function useTrackMarking(
  store: ViewerStore,
  found: Tracks | null,
  rows: TrackRow[],
  rowAt: (y: number) => number,
) {
  const press = useRef<Press | null>(null);
  const ended = useRef(false);
  const down = (event: PointerEvent) => {
    ended.current = false;
    const strip = event.target instanceof Element ? event.target.closest(".track-strip") : null;
    if (!strip || event.button !== 0 || found?.start === null || !found) return;
    press.current = {
      x: event.clientX,
      row: rowAt(event.clientY),
      strip: strip.getBoundingClientRect(),
      isMarking: false,
    };
  };
  const move = (event: PointerEvent) => {
    const from = press.current;
    if (!from || found?.start === null || !found) return;
    if (!from.isMarking) {
      if (Math.abs(event.clientX - from.x) < SLACK) return;
      from.isMarking = true;
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
    }
    const at = (x: number) => {
      const share = Math.max(0, Math.min(1, (x - from.strip.left) / (from.strip.width || 1)));
      return found.start! + share * (found.end! - found.start!);
    };
    const [left, right] = [at(Math.min(from.x, event.clientX)), at(Math.max(from.x, event.clientX))];
    const to = rowAt(event.clientY);
    void markOn(store, { start: left, end: right }, threadsBetween(rows, from.row, to));
  };
  const up = () => {
    ended.current = press.current?.isMarking ?? false;
    press.current = null;
  };
  /** Whether the click that comes now ends a marking and opens nothing. */
  const endsMarking = () => {
    const is = ended.current;
    ended.current = false;
    return is;
  };
  return { down, move, up, endsMarking };
}

/** Mark a range on some threads; time order shows it. */
export async function markOn(
  store: ViewerStore,
  range: { start: number; end: number },
  threads: readonly string[],
): Promise<void> {
  if (threads.length === 0) return;
  if (store.read().mode !== "time_order" && !store.read().loading) await store.show({ mode: "time_order" });
  store.mark(range, threads);
}

/** The threads of the rows from one to another, each once; other views of a thread are left out. */
export function threadsBetween(rows: TrackRow[], from: number, to: number): string[] {
  return rows
    .slice(Math.max(0, Math.min(from, to)), Math.max(from, to) + 1)
    .flatMap((row) => (row.kind === "thread" && !row.track.viewOf ? [row.track.handle] : []));
}
