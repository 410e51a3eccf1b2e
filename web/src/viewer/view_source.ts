/** Views of one trace from the server, the last few kept. */
import { viewBytes } from "../api.ts";
import type { Colouring } from "./colouring.ts";
import { textOf, type Transforms } from "./transforms.ts";
import { decodeView, type View, type ViewMode } from "./view_bytes.ts";
import type { AxisWindow } from "./window.ts";

const KEPT = 12;

/** What a view is asked for by. `frame` is the one of a sandwich; `window` is for time order, whose narrow boxes come merged otherwise, and for left heavy of a range. */
export interface ViewRequest {
  mode: ViewMode;
  profile: string;
  frame?: string | null;
  window?: AxisWindow | null;
  diff?: DiffRequest | null;
  transforms?: Transforms;
}

/** The trace that was before, and whether both weigh the same in the comparison. */
export interface DiffRequest {
  before: string;
  compare: "values" | "shares";
}

export class ViewSource {
  #path: string;
  #views = new Map<string, Promise<View>>();
  #abort = new AbortController();
  /** By what the boxes of views are coloured. */
  colouring: Colouring = "file";

  /** `path` is where the trace is in the API. */
  constructor(path: string) {
    this.#path = path;
  }

  get isClosed(): boolean {
    return this.#abort.signal.aborted;
  }

  close(): void {
    this.#abort.abort();
  }

  /** Rejects with an ApiError. */
  load({ mode, profile, frame, window, diff, transforms }: ViewRequest): Promise<View> {
    const query: Record<string, string | number> = { mode, profile };
    if (mode === "sandwich" && frame) query.frame = frame;
    if (mode === "diff" && diff) Object.assign(query, diff);
    if (window) Object.assign(query, { start: window.start, end: window.end });
    const text = mode === "diff" ? null : textOf(transforms ?? []);
    if (text) query.transforms = text;
    if (mode !== "diff" && this.colouring !== "file") query.palette = this.colouring;
    const key = JSON.stringify(query);
    const cached = this.#views.get(key);
    if (cached) return cached;
    const view = viewBytes(this.#path, query, this.#abort.signal).then(decodeView);
    this.#views.set(key, view);
    view.catch(() => this.#views.delete(key));
    if (this.#views.size > KEPT) this.#views.delete(this.#views.keys().next().value!);
    return view;
  }
}
