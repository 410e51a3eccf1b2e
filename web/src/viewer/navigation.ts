/** Citations, addresses and the agent move the chart: by the handle of a thing, or to a window. */
import type { Pictured } from "../chat/pictured.ts";
import type { Citation, FigurePlace, ViewerAction } from "../protocol.ts";
import { boxAt, widestBox } from "./boxes.ts";
import { parseAddress, parseHandle, type Handle } from "./handles.ts";
import type { Place } from "./places.ts";
import { transformsOf } from "./transforms.ts";
import type { View, ViewMode } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";

const NOUNS = { frame: "function", node: "call path", span: "call", profile: "profile" };

const NS_PER_MS = 1e6;

interface Going {
  /** The profile in which the thing is looked for first. */
  profile?: string | null;
  zooms?: boolean;
  /** Addresses that will be asked for next, so that one request answers all. */
  others?: string[];
}

/**
 * Bring what a handle or the address of a figure names into sight and select it, in whichever profile it is. Returns whether it was
 * found; the chart says why when it was not.
 */
export async function goTo(store: ViewerStore, text: string, going: Going = {}): Promise<boolean> {
  const { zooms = true, others = [] } = going;
  const parsed = parseAddress(text);
  if (!parsed) return false;
  const { handle } = parsed;
  if (handle.kind === "profile") return goToProfile(store, parsed.text);
  const scope = parsed.scope ?? going.profile ?? null;
  if (!scope && !others.length && isShown(store, handle) && focus(store, handle, zooms)) return true;
  const place = await store.places.of(scope ? `${scope}.${parsed.text}` : parsed.text, others);
  if ("problem" in place) {
    store.report(`${parsed.text} is not in this trace: ${place.problem}`);
    return false;
  }
  await showViewOf(store, handle, place);
  if (store.read().problem) return false;
  if (focus(store, handle, zooms)) return true;
  if (store.read().transforms.length > 0) {
    await store.show({ transforms: [] });
    store.report("The transforms are undone: they left this out.");
    if (focus(store, handle, zooms)) return true;
  }
  return goToMoment(store, handle, place);
}

/**
 * Show what an answer cites, as an address. A handle of an answer that another version of Flamechat wrote may stand for another thing
 * now: then the function is found by its name and file, or nothing is shown.
 */
export async function goToCited(
  store: ViewerStore,
  citation: Pick<Citation, "handle" | "name" | "file">,
  address: string,
  others: string[],
): Promise<void> {
  const isProfile = parseHandle(citation.handle)?.kind === "profile";
  const place = isProfile ? null : await store.places.of(address, others);
  const isMeant = (one: { name: string; file: string | null }) =>
    one.name === citation.name && one.file === citation.file;
  if (!place || (!("problem" in place) && isMeant(place))) {
    await goTo(store, address, { others });
    return;
  }
  const { view } = store.read();
  const local = view?.frames.names.findIndex((name, index) =>
    isMeant({ name, file: view.frames.files[index] ?? null }),
  );
  if (view && local !== undefined && local >= 0 && (await goTo(store, `f${view.frames.ids[local]}`))) return;
  store.select(null);
  store.report(`${citation.name}, which this answer cites, is not found in this view.`);
}

/** Show when something was: a thread in a window, and there the thing itself where it has a box. */
export async function goToWindow(
  store: ViewerStore,
  place: Required<FigurePlace>,
  others: string[] = [],
): Promise<void> {
  const { handle, window } = place;
  const isThread = handle.startsWith("p");
  const profile = isThread ? handle : place.profile;
  if (profile) await store.show({ profile, mode: "time_order" });
  const middle = window && (window.start + window.end) / 2;
  const isThere = middle !== null && selectAt(store, handle, middle);
  if (!isThere && !isThread) await goTo(store, handle, { profile, others });
  if (window) store.moveTo(window);
}

/** Show in the chart what a picture shows. */
export async function showPictured(store: ViewerStore, pictured: Pictured): Promise<void> {
  const { mode, profile, frame, startMs, endMs, highlight, transforms, diff } = pictured;
  const chosen = profile ?? store.trace.summary.default_profile;
  const isRange = startMs !== null || endMs !== null;
  const heavy = mode === "left_heavy" || (frame !== null && !parseHandle(frame));
  await store.show({
    mode: heavy && !isRange ? "left_heavy" : heavy ? "time_order" : mode,
    profile: typeof chosen === "number" || !/^p\d+$/.test(chosen) ? store.read().profile : chosen,
    transforms: transformsOf(transforms) ?? [],
    ...(diff ? { diff } : {}),
    ...(frame && parseHandle(frame) ? { sandwichOf: frame } : {}),
  });
  store.search(highlight ?? (frame && !parseHandle(frame) ? frame : ""));
  if (!isRange || store.read().mode !== "time_order") return;
  const { start, end } = store.axis();
  const range = {
    start: start + (startMs ?? 0) * NS_PER_MS,
    end: endMs === null ? end : start + endMs * NS_PER_MS,
  };
  if (heavy) await store.show({ mode: "left_heavy", within: range });
  else store.moveTo(range);
}

/** Do what the agent asks of the chart. */
export async function act(store: ViewerStore, action: ViewerAction): Promise<void> {
  const { handle, window, profile, view, traceId } = action;
  switch (action.action) {
    case "select":
      if (handle) await goTo(store, handle, { profile, zooms: false });
      return;
    case "highlight":
      store.search(action.pattern ?? "");
      return;
    case "set_filter":
      await store.show({ transforms: action.filter ? [action.filter] : [] });
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
      if (handle) await goTo(store, handle, { profile });
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

function isShown(store: ViewerStore, handle: Handle): boolean {
  const { view, mode } = store.read();
  return view !== null && mode !== "sandwich" && boxOf(view, handle) !== null;
}

/** Calls are found in time order, paths wherever the boxes are paths, functions in any view of their profile. */
async function showViewOf(store: ViewerStore, handle: Handle, place: Place): Promise<void> {
  const { mode, view, profile: shown } = store.read();
  const plain: ViewMode = mode === "diff" ? "time_order" : mode;
  const kindFits = handle.kind === "frame" || (view?.refKind === handle.kind && place.profile === shown);
  const target: ViewMode = kindFits ? plain : handle.kind === "span" ? "time_order" : "left_heavy";
  const isSandwich = target === "sandwich" && handle.kind === "frame";
  if (view && target === mode && place.profile === shown && !isSandwich) return;
  const isFirst = isSandwich ? { sandwichOf: `f${handle.index}` } : {};
  await store.show({ mode: target, profile: place.profile, ...isFirst });
}

/** Where a thing was that has no box: merged with others that are as narrow, or without any length. */
async function goToMoment(store: ViewerStore, handle: Handle, place: Place): Promise<boolean> {
  const { window } = place;
  if (!window) {
    store.report(`The ${NOUNS[handle.kind]} weighs nothing in this profile, so it has no box.`);
    return true;
  }
  if (store.read().mode !== "time_order") await store.show({ mode: "time_order", profile: place.profile });
  store.mark(null);
  if (focus(store, handle, true)) return true;
  const { start, end } = store.bounds();
  const length = window.end - window.start || (end - start) / 10_000;
  await store.showWindow({ start: window.start - length, end: window.end + length });
  if (focus(store, handle, false)) return true;
  const boxes = store.boxes();
  const index = boxes && boxAt(boxes, place.depth, (window.start + window.end) / 2);
  const isIt =
    index !== null && boxes !== null && store.frameAt({ half: "boxes", index }) >= 0 && window.end > window.start;
  store.select(isIt ? { half: "boxes", index } : null);
  if (!isIt) store.report(`The ${NOUNS[handle.kind]} lasts too short to have a box; this is when it was.`);
  return true;
}

/** The widest box of a view that shows the thing, or null. */
function boxOf(view: View, handle: Handle): number | null {
  const { boxes, frames } = view;
  if (handle.kind !== "frame")
    return view.refKind === handle.kind ? widestBox(boxes, (box) => boxes.ref[box] === handle.index) : null;
  const local = frames.ids.indexOf(handle.index);
  return local < 0 ? null : widestBox(boxes, (box) => boxes.frame[box] === local);
}

/** Select the box of a handle that lies at a place on the axis. Returns whether there is one. */
export function selectAt(store: ViewerStore, text: string, at: number): boolean {
  const handle = parseHandle(text);
  const { view } = store.read();
  if (!handle || !view) return false;
  const { boxes, frames } = view;
  const local = handle.kind === "frame" ? frames.ids.indexOf(handle.index) : -1;
  const isIt = (box: number) =>
    boxes.start[box]! <= at &&
    boxes.end[box]! > at &&
    (handle.kind === "frame"
      ? boxes.frame[box] === local
      : view.refKind === handle.kind && boxes.ref[box] === handle.index);
  const index = widestBox(boxes, isIt);
  if (index === null) return false;
  store.select({ half: "boxes", index });
  return true;
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
