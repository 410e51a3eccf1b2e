/** Opening threads below the chosen one, going from one to another, closing them. */
import { boxAt, rowOf } from "./boxes.ts";
import { MOST_OPEN } from "./open_threads.ts";
import type { BoxAddress, ViewerStore } from "./viewer_store.ts";
import { clamp, span } from "./window.ts";

/** Open a thread below the others, or close it. */
export async function toggleThread(store: ViewerStore, handle: string): Promise<void> {
  const { profile } = store.read();
  if (store.open.has(handle)) return closeThread(store, handle);
  if (handle === profile) return;
  const now = store.open.read().handles;
  if (now.length >= MOST_OPEN) {
    store.report(`${MOST_OPEN} threads can be open at once; close one of them first.`);
    return;
  }
  await setThreads(store, [...(now.length ? now : [profile]), handle]);
  if (store.read().mode !== "time_order") await store.show({ mode: "time_order" });
}

export async function closeThread(store: ViewerStore, handle: string): Promise<void> {
  const { handles } = store.open.read();
  const at = handles.indexOf(handle);
  const next = handles.filter((one) => one !== handle);
  if (handle === store.read().profile) await chooseThread(store, next[Math.min(at, next.length - 1)]!);
  await setThreads(store, next);
}

/** Have these open; a window that was of all of the axis is of all of it again. */
export async function setThreads(store: ViewerStore, handles: readonly string[]): Promise<void> {
  const isAll = span(store.read().window) >= span(store.bounds()) * 0.999;
  await store.open.set(handles);
  const bounds = store.bounds();
  if (store.read().view) store.moveTo(isAll ? bounds : clamp(store.read().window, bounds), false);
}

/** Make an open thread the one that details, tables, search and keys are about. */
export async function chooseThread(store: ViewerStore, handle: string): Promise<void> {
  if (store.read().profile !== handle) await store.show({ profile: handle });
}

/** The thread above or below the chosen one. */
export function stepThread(store: ViewerStore, by: 1 | -1): void {
  const { handles } = store.open.read();
  const next = handles[handles.indexOf(store.read().profile) + by];
  if (next) void chooseThread(store, next);
}

/** Select a box of an open thread, which becomes the chosen one. */
export async function chooseBox(store: ViewerStore, handle: string, box: BoxAddress | null): Promise<void> {
  const boxes = store.open.view(handle)?.boxes;
  await chooseThread(store, handle);
  if (!box || !boxes) return store.select(null);
  await store.showWindow(store.read().window);
  const shown = store.boxes();
  const middle = (boxes.start[box.index]! + boxes.end[box.index]!) / 2;
  const index = shown && boxAt(shown, rowOf(boxes, box.index), middle);
  if (store.read().profile === handle) store.select(index === null ? null : { half: "boxes", index });
}
