/** What tables ask the server, and which part of the recording they are of. */
import { useEffect, useState } from "preact/hooks";
import { json } from "../api.ts";
import { usePart } from "../store.ts";
import { uprightText } from "../viewer/transforms.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import type { AxisWindow } from "../viewer/window.ts";

/** What moves the question asks once it rests. */
const REST_MS = 150;

const NONE: readonly string[] = [];

export type Answer<T> = { value: T } | { problem: string } | null;

/** The answer to a question of the API: null while it is under way, and of none. */
export function useAnswer<T>(path: string | null): Answer<T> {
  const [answer, setAnswer] = useState<{ path: string | null; found: Answer<T> }>({ path: null, found: null });
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    const wait = setTimeout(
      () =>
        json<T>(path, { signal: abort.signal }).then(
          (value) => setAnswer({ path, found: { value } }),
          (error: Error) => !abort.signal.aborted && setAnswer({ path, found: { problem: error.message } }),
        ),
      answer.path ? REST_MS : 0,
    );
    return () => {
      clearTimeout(wait);
      abort.abort();
    };
  }, [path]);
  return answer.path === path ? answer.found : null;
}

/**
 * The range of time that tables are of: what left heavy is of, or what is marked on the thread in sight; null for all.
 */
export function useRange(store: ViewerStore): AxisWindow | null {
  return usePart(store, ({ mode, within, range }) =>
    mode === "left_heavy" ? within : mode === "time_order" ? range : null,
  );
}

/** What is done to the call trees that tables are of, as the server reads it; null for nothing, also in a comparison. */
export function useTransforms(store: ViewerStore): string | null {
  const transforms = usePart(store, (state) => (state.mode === "diff" ? NONE : state.transforms));
  return uprightText(transforms) || null;
}

/** A question of the trace's API, with the parameters that have a value. */
export function pathOf(store: ViewerStore, name: string, query: Record<string, string | number | null>): string {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== null) given.set(key, String(value));
  return `${store.path}/${name}?${given}`;
}

/** What a regular expression finds in all threads, by number. Rejects with an ApiError for one that is none. */
export async function framesFound(store: ViewerStore, expression: string): Promise<ReadonlySet<number>> {
  const path = pathOf(store, "thread-search", { words: expression, syntax: "regex", limit: 1 });
  return new Set((await json<{ frames: number[] | null }>(path)).frames);
}
