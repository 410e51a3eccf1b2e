/** How much room an open thread has among the others. */
import { usePart } from "../store.ts";
import { rowCount } from "./boxes.ts";
import { ROW, RULER } from "./paint.ts";
import type { ViewerStore } from "./viewer_store.ts";

/** Rows of a thread that is folded. */
export const FOLDED = 6;
const EDGE = 10;

/** Where a thread stands among the open ones, as CSS; null where it is the only one. */
export function usePlace(store: ViewerStore, handle: string | null): { order: number; flex: string } | null {
  const order = usePart(store.open, ({ handles }) => (handle === null ? -1 : handles.indexOf(handle)));
  const isTall = usePart(store.open, ({ tall }) => tall === handle);
  const rows = usePart(store.open, ({ parts }) => (handle ? rowsOf(parts.get(handle)) : 1));
  if (order < 0) return null;
  const height = RULER + Math.max(1, Math.min(rows, FOLDED)) * ROW + EDGE;
  return { order, flex: isTall ? `1 0 ${Math.max(height, 180)}px` : `0 0 ${height}px` };
}

/** How many rows a thread has; 1 until that is known. */
export function rowsOf(part: { overview: { boxes: Parameters<typeof rowCount>[0] } } | undefined): number {
  return part ? rowCount(part.overview.boxes) : 1;
}
