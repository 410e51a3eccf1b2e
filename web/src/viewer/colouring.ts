/** By what boxes are coloured (rendering/palette.py): the server sends the numbers of colours, so another choice is another view of the same boxes. */
import { selectAt } from "./navigation.ts";
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
  const handle = store.selectedHandle();
  const { start, end } = view?.[selection?.half ?? "boxes"] ?? {};
  const at = selection && start && end ? (start[selection.index]! + end[selection.index]!) / 2 : 0;
  await Promise.all([store.show({ within }), store.open.recolour()]);
  if (store.source.colouring !== colouring || !store.read().view) return;
  await store.showWindow(window);
  store.mark(range, rangeThreads);
  if (handle) selectAt(store, handle, at);
}
