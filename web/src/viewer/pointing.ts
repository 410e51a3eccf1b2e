/** What the pointer is on, in the chart or in an answer: each marks it in the other. */
import { Store } from "../store.ts";
import type { Place } from "./places.ts";
import type { View } from "./view_bytes.ts";

/** A thing of the trace, as the chart can mark it. */
export interface Pointed {
  profile: string;
  /** The function's handle. */
  frame: string;
  /** The handle of one call or one path, where that alone is meant. */
  only: string | null;
}

export interface Pointing {
  /** Marked in the chart: a citation is under the pointer. */
  cited: Pointed | null;
  /** Handles of the box under the pointer, whose citations are marked. */
  boxed: readonly string[];
}

const NOTHING: Pointing = { cited: null, boxed: [] };

export class PointingStore extends Store<Pointing> {
  constructor() {
    super(NOTHING);
  }

  cite(place: Place | null): void {
    const { handle, profile, frame } = place ?? { handle: "", profile: "", frame: null };
    const cited = frame === null ? null : { profile, frame, only: handle === frame ? null : handle };
    if (JSON.stringify(cited) !== JSON.stringify(this.read().cited)) this.write({ ...this.read(), cited });
  }

  box(handles: readonly string[]): void {
    if (handles.join() !== this.read().boxed.join()) this.write({ ...this.read(), boxed: handles });
  }
}

/** Which boxes of a view show what is pointed at; null for none of them. */
export function pointedBoxes(view: View, pointed: Pointed | null): ((box: number) => boolean) | null {
  if (!pointed) return null;
  const { boxes, frames, refKind } = view;
  if (pointed.only && pointed.only.startsWith(refKind === "span" ? "s" : "n")) {
    const ref = Number(pointed.only.slice(1));
    return (box) => boxes.ref[box] === ref;
  }
  const local = frames.ids.indexOf(Number(pointed.frame.slice(1)));
  return local < 0 ? null : (box) => boxes.frame[box] === local;
}
