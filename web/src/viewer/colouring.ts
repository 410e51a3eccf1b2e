/** By what boxes are coloured (rendering/palette.py): the server sends the numbers of colours, so another choice is another view of the same boxes. */
import { boxAt, rowOf } from "./boxes.ts";
import type { ViewerStore } from "./viewer_store.ts";

export const COLOURINGS = {
  file: "file",
  package: "package",
  category: "category",
  owner: "own code, libraries, runtime",
  role: "what the thread is for",
  safe: "blue and orange alone",
} as const;
export type Colouring = keyof typeof COLOURINGS;

export function isColouring(text: string | null): text is Colouring {
  return text !== null && Object.hasOwn(COLOURINGS, text);
}

/** Colour the chart, and all that is open next to it, by something else; window and selection stay. */
export async function colourBy(store: ViewerStore, colouring: Colouring): Promise<void> {
  if (store.source.colouring === colouring) return;
  store.source.colouring = colouring;
  const { window, within, selection, range, rangeThreads, view } = store.read();
  const boxes = selection && view?.[selection.half];
  const row = boxes ? rowOf(boxes, selection.index) : 0;
  const middle = boxes ? (boxes.start[selection.index]! + boxes.end[selection.index]!) / 2 : 0;
  await Promise.all([store.show({ within }), store.open.recolour()]);
  if (store.source.colouring !== colouring || !store.read().view) return;
  await store.showWindow(window);
  store.mark(range, rangeThreads);
  const now = selection && store.read().view?.[selection.half];
  const index = now ? boxAt(now, row, middle) : null;
  store.select(index === null ? null : { half: selection!.half, index });
}
