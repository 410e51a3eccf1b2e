/** Where handles are in a trace: its server knows for every one, in whichever profile it is. Each is asked for once. */
import { json } from "../api.ts";
import type { AxisWindow } from "./window.ts";

/** As the server answers: `window` is on the profile's axis, both ends equal for what has no length; null without times. */
export interface Place {
  address: string;
  handle: string;
  profile: string;
  frame: string | null;
  node: string | null;
  span: string | null;
  depth: number;
  name: string;
  file: string | null;
  line: number | null;
  window: AxisWindow | null;
}

export interface NoPlace {
  address: string;
  handle: string;
  problem: string;
}

/** Handles that are asked for at once at most. */
const MOST = 200;
const KEPT = 2_000;

export class Places {
  #path: string;
  #known = new Map<string, Promise<Place | NoPlace>>();

  /** `path` is where the trace is in the API. */
  constructor(path: string) {
    this.#path = path;
  }

  /** The place of one handle or address of a figure; with it those of `others` are asked for, so that they are there. */
  of(address: string, others: string[] = []): Promise<Place | NoPlace> {
    const known = this.#known.get(address);
    if (known) return known;
    const asked = [...new Set([address, ...others.filter((other) => !this.#known.has(other))])].slice(0, MOST);
    const answer = json<{ places: (Place | NoPlace)[] }>(
      `${this.#path}/places?handles=${encodeURIComponent(asked.join(","))}`,
    );
    if (this.#known.size > KEPT) this.#known.clear();
    asked.forEach((one, index) => {
      const place = answer.then(({ places }) => places[index]!);
      this.#known.set(one, place);
      place.catch(() => this.#known.delete(one));
    });
    return this.#known.get(address)!;
  }
}
