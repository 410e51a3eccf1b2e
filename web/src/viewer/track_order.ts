/** Which threads are pinned to the top of the list, in what order; kept for the trace as long as the tab is open. */
const KEY = "flamechat.pinned.";

export function pinnedOf(traceId: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY + traceId) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one): one is string => typeof one === "string") : [];
  } catch {
    return []; // no storage, or not ours
  }
}

export function keepPinned(traceId: string, pinned: readonly string[]): void {
  try {
    sessionStorage.setItem(KEY + traceId, JSON.stringify(pinned));
  } catch {
    return; // without storage they last as long as the page
  }
}

/** Pinned threads with one more as the last, or without it. */
export function toggled(pinned: readonly string[], handle: string): readonly string[] {
  return pinned.includes(handle) ? pinned.filter((one) => one !== handle) : [...pinned, handle];
}

/** Pinned threads with one of them at another place, counted from 0 and kept in bounds. */
export function moved(pinned: readonly string[], handle: string, to: number): readonly string[] {
  if (!pinned.includes(handle)) return pinned;
  const others = pinned.filter((one) => one !== handle);
  return others.toSpliced(Math.max(0, Math.min(others.length, to)), 0, handle);
}
