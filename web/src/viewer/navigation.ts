/** Citations, addresses and the agent move the chart: by the handle of a thing, or to a window. */
import type { ViewerAction } from "../protocol.ts";
import { widestBox } from "./boxes.ts";
import { parseHandle, type Handle } from "./handles.ts";
import type { View, ViewMode } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";

/** How many other profiles are looked through for a thing that the shown one lacks. */
const OTHER_PROFILES = 6;
const NOUNS = { frame: "function", node: "call path", span: "call", profile: "profile" };

/** Bring what a handle names into sight and select it. Returns whether it was found; the chart says so when it was not. */
export async function goTo(store: ViewerStore, text: string, profile: string | null = null): Promise<boolean> {
  const handle = parseHandle(text);
  if (!handle) return false;
  if (handle.kind === "profile") return goToProfile(store, `p${handle.index}`);
  await showViewFor(store, handle, profile);
  if (focus(store, handle)) return true;
  const { mode, profile: shown } = store.read();
  const others = store.profiles.filter((other) => other.handle !== shown).sort((a, b) => b.total - a.total);
  for (const other of others.slice(0, OTHER_PROFILES)) {
    const view = await store.source
      .load(mode === "sandwich" ? "time_order" : mode, other.handle, null, null)
      .catch(() => null);
    if (!view || boxOf(view, handle) === null) continue;
    await store.show({ profile: other.handle, mode: view.mode });
    return focus(store, handle);
  }
  store.tell(`The ${NOUNS[handle.kind]} that this link names does not appear in this view.`);
  return false;
}

/** What `show_in_viewer` asks for. */
export async function act(store: ViewerStore, action: ViewerAction): Promise<void> {
  const isSandwich = action.view === "sandwich" && action.handle?.startsWith("f");
  const asked = action.view === "diff" ? null : action.view;
  const view = asked ?? (action.window && store.read().mode !== "time_order" ? "time_order" : null); // windows are stretches of time
  const change = {
    ...(view ? { mode: view } : {}),
    ...(action.profile ? { profile: action.profile } : {}),
    ...(isSandwich ? { sandwichOf: action.handle } : {}),
  };
  if (Object.keys(change).length) await store.show(change);
  if (action.handle) await goTo(store, action.handle, action.profile);
  if (action.window) store.moveTo(action.window);
}

async function goToProfile(store: ViewerStore, profile: string): Promise<boolean> {
  const { mode } = store.read();
  await store.show({ profile, mode: mode === "sandwich" ? "time_order" : mode });
  return store.read().problem === null;
}

/** Calls are found in time order, paths wherever the boxes are paths, functions in any view. */
async function showViewFor(store: ViewerStore, handle: Handle, profile: string | null): Promise<void> {
  const { mode, view, profile: shown } = store.read();
  const wanted: ViewMode =
    handle.kind === "frame" || view?.refKind === handle.kind
      ? mode
      : handle.kind === "span"
        ? "time_order"
        : "left_heavy";
  const isSandwich = wanted === "sandwich" && handle.kind === "frame";
  const isThere = view && wanted === mode && (!profile || profile === shown) && !isSandwich;
  if (isThere) return;
  await store.show({
    mode: wanted,
    ...(profile ? { profile } : {}),
    ...(isSandwich ? { sandwichOf: `f${handle.index}` } : {}),
  });
}

/** The widest box of a view that shows the thing, or null. */
function boxOf(view: View, handle: Handle): number | null {
  const { boxes, frames } = view;
  if (handle.kind !== "frame")
    return view.refKind === handle.kind ? widestBox(boxes, (box) => boxes.ref[box] === handle.index) : null;
  const local = frames.ids.indexOf(handle.index);
  return local < 0 ? null : widestBox(boxes, (box) => boxes.frame[box] === local);
}

function focus(store: ViewerStore, handle: Handle): boolean {
  const { view } = store.read();
  const index = view && boxOf(view, handle);
  if (index === null) return false;
  store.select({ half: "boxes", index });
  store.zoomToSelection();
  return true;
}
