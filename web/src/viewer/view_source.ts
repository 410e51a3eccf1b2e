/** Views of one trace from the server, the last few kept. */
import { viewBytes } from "../api.ts";
import { decodeView, type View, type ViewMode } from "./view_bytes.ts";
import type { AxisWindow } from "./window.ts";

const KEPT = 6;

export class ViewSource {
  #traceId: string;
  #views = new Map<string, Promise<View>>();
  #abort = new AbortController();

  constructor(traceId: string) {
    this.#traceId = traceId;
  }

  get isClosed(): boolean {
    return this.#abort.signal.aborted;
  }

  close(): void {
    this.#abort.abort();
  }

  /** `sandwichOf` is a frame's handle; a `window` is for time order, whose narrow boxes come merged otherwise. Rejects with an ApiError. */
  load(mode: ViewMode, profile: string, sandwichOf: string | null, window: AxisWindow | null): Promise<View> {
    const query: Record<string, string | number> = { mode, profile };
    if (mode === "sandwich" && sandwichOf) query.frame = sandwichOf;
    if (window) Object.assign(query, { start: window.start, end: window.end });
    const key = JSON.stringify(query);
    const held = this.#views.get(key);
    if (held) return held;
    const view = viewBytes(this.#traceId, query, this.#abort.signal).then(decodeView);
    this.#views.set(key, view);
    view.catch(() => this.#views.delete(key));
    if (this.#views.size > KEPT) this.#views.delete(this.#views.keys().next().value!);
    return view;
  }
}
