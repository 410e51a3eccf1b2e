/** Citations, addresses and the agent move the chart: by the handle of a thing, or to a window. */
import type { Citation, ViewerAction } from "../protocol.ts";
import { widestBox } from "./boxes.ts";
import { parseHandle, type Handle } from "./handles.ts";
import type { View, ViewMode } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";

/** How many other profiles are looked through for a thing that the shown one lacks. */
const OTHER_PROFILES = 6;
const NOUNS = { frame: "function", node: "call path", span: "call", profile: "profile" };

/** Bring what a handle names into sight and select it. Returns whether it was found; the chart says so when it was not. */
export async function goTo(
  store: ViewerStore,
  text: string,
  profile: string | null = null,
  zooms = true,
): Promise<boolean> {
  const handle = parseHandle(text);
  if (!handle) return false;
  if (handle.kind === "profile") return goToProfile(store, `p${handle.index}`);
  await showViewFor(store, handle, profile);
  if (focus(store, handle, zooms)) return true;
  const { mode, profile: shown } = store.read();
  const others = store.profiles.filter((other) => other.handle !== shown).sort((a, b) => b.total - a.total);
  for (const other of others.slice(0, OTHER_PROFILES)) {
    const plain = mode === "left_heavy" ? mode : "time_order";
    const view = await store.source.load({ mode: plain, profile: other.handle }).catch(() => null);
    if (!view || boxOf(view, handle) === null) continue;
    await store.show({ profile: other.handle, mode: view.mode });
    return focus(store, handle, zooms);
  }
  store.report(`The ${NOUNS[handle.kind]} that this link names does not appear in this view.`);
  return false;
}

/**
 * Show what an answer cites. A handle of an answer that another version of Flamechat wrote may stand for another thing now: then the
 * function is found by its name and file, or nothing is shown.
 */
export async function goToCited(store: ViewerStore, citation: Citation): Promise<void> {
  await goTo(store, citation.handle);
  const { view, problem } = store.read();
  if (!view || parseHandle(citation.handle)?.kind === "profile") return;
  const isMeant = (local: number) =>
    view.frames.names[local] === citation.name && (view.frames.files[local] ?? null) === citation.file;
  const selected = store.selectedFrame();
  if (selected && !problem && isMeant(selected.local)) return;
  const local = view.frames.names.findIndex((_, index) => isMeant(index));
  if (local >= 0 && (await goTo(store, `f${view.frames.ids[local]}`))) return;
  store.select(null);
  store.report(`${citation.name}, which this answer cites, is not found in this view.`);
}

/** Do what the agent asks of the chart. */
export async function act(store: ViewerStore, action: ViewerAction): Promise<void> {
  const { handle, window, profile, view, traceId } = action;
  switch (action.action) {
    case "select":
      if (handle) await goTo(store, handle, profile, false);
      return;
    case "highlight":
      store.search(action.pattern ?? "");
      return;
    case "compare":
      if (traceId)
        await store.show({
          mode: "diff",
          diff: { before: traceId, compare: "values" },
          ...(profile ? { profile } : {}),
        });
      return;
    case "show":
    case "zoom":
    case "set_view":
      await showView(store, view, profile, handle, window !== null);
      if (handle) await goTo(store, handle, profile);
      if (window) {
        store.mark(null);
        store.moveTo(window);
      }
  }
}

/** Change to a view and profile, if that is one; a window is a range of time and needs the time order. */
async function showView(
  store: ViewerStore,
  target: ViewMode | null,
  profile: string | null,
  handle: string | null,
  hasWindow: boolean,
): Promise<void> {
  const now = store.read();
  const mode = target ?? (hasWindow ? "time_order" : now.mode);
  const sandwichOf = mode === "sandwich" && handle?.startsWith("f") ? handle : now.sandwichOf;
  if (mode === now.mode && (profile ?? now.profile) === now.profile && sandwichOf === now.sandwichOf && now.view)
    return;
  await store.show({ mode, sandwichOf, ...(profile ? { profile } : {}) });
}

async function goToProfile(store: ViewerStore, profile: string): Promise<boolean> {
  const { mode } = store.read();
  await store.show({ profile, mode: mode === "sandwich" ? "time_order" : mode });
  return store.read().problem === null;
}

/** Calls are found in time order, paths wherever the boxes are paths, functions in any view. */
async function showViewFor(store: ViewerStore, handle: Handle, profile: string | null): Promise<void> {
  const { mode, view, profile: shown } = store.read();
  const target: ViewMode =
    handle.kind === "frame" || view?.refKind === handle.kind
      ? mode
      : handle.kind === "span"
        ? "time_order"
        : "left_heavy";
  const isSandwich = target === "sandwich" && handle.kind === "frame";
  const isThere = view && target === mode && (!profile || profile === shown) && !isSandwich;
  if (isThere) return;
  await store.show({
    mode: target,
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

function focus(store: ViewerStore, handle: Handle, zooms: boolean): boolean {
  const { view } = store.read();
  const index = view && boxOf(view, handle);
  if (index === null) return false;
  store.mark(null);
  store.select({ half: "boxes", index });
  if (zooms) store.zoomToSelection();
  return true;
}
