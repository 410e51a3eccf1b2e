/** The views of a profile and the keys that choose them. */
import type { TraceProfile } from "../api.ts";
import { INVERT } from "./transforms.ts";
import type { ViewMode } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";

export const MODES: { mode: ViewMode; name: string; key: string; hint: string }[] = [
  { mode: "time_order", name: "Time order", key: "1", hint: "Calls as they happened, left to right" },
  { mode: "left_heavy", name: "Left heavy", key: "2", hint: "Same paths merged, heaviest first" },
  { mode: "sandwich", name: "Sandwich", key: "3", hint: "Everything above and below one function" },
  { mode: "diff", name: "Compare", key: "4", hint: "What changed from another trace to this one" },
];

/** The views that can be had of the chosen thread, as it is: sums have no order in time, nor has a tree that was turned around. */
export function modesOf(store: ViewerStore): typeof MODES {
  const { profile, transforms } = store.read();
  const isInOrder = hasOrder(store.profiles.find(({ handle }) => handle === profile)) && !transforms.includes(INVERT);
  return MODES.filter(({ mode }) => (mode !== "diff" || store.canCompare) && (mode !== "time_order" || isInOrder));
}

/** Whether its calls can be drawn one after the other: they have times, or are in the order of the file. */
export function hasOrder(profile: TraceProfile | undefined): boolean {
  return profile?.order !== "none" || profile.kind === "evented";
}
