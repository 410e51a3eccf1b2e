/** The views of a profile and the keys that choose them. */
import type { ViewMode } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";

export const MODES: { mode: ViewMode; name: string; key: string; hint: string }[] = [
  { mode: "time_order", name: "Time order", key: "1", hint: "Calls as they happened, left to right" },
  { mode: "left_heavy", name: "Left heavy", key: "2", hint: "Same paths merged, heaviest first" },
  { mode: "sandwich", name: "Sandwich", key: "3", hint: "Everything above and below one function" },
  { mode: "diff", name: "Compare", key: "4", hint: "What changed from another trace to this one" },
];

/** The views that can be had of a trace. */
export function modesOf(store: ViewerStore): typeof MODES {
  return store.canCompare ? MODES : MODES.filter(({ mode }) => mode !== "diff");
}
