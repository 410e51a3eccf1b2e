/**
 * Long parts of an address, the transforms and the search, are kept by the server under a short id: `?kept=abcdefghijkl` stands for both.
 * Whoever came by a link reads what is kept and keeps nothing: then the address is as long as it is.
 */
import { json, post } from "../api.ts";

const ID = /^[A-Za-z0-9_-]{12}$/;
const LONG = ["transforms", "find"] as const;

export class KeptViews {
  #path: string;
  #canKeep: boolean;
  /** Ids by what they stand for, and the reverse. */
  #ids = new Map<string, string>();
  #texts = new Map<string, Promise<string>>();

  constructor(path: string, canKeep: boolean) {
    this.#path = path;
    this.#canKeep = canKeep;
  }

  /** The address with a short id for its long parts; as it is where nothing can be kept. */
  async shortened(address: string): Promise<string> {
    if (!this.#canKeep) return address;
    const [query, fragment] = parts(address);
    const long = new URLSearchParams();
    for (const name of LONG) {
      if (query.has(name)) long.set(name, query.get(name)!);
      query.delete(name);
    }
    const id = await this.#keep(long).catch(() => null);
    if (!id) return address;
    query.set("kept", id);
    return `?${query}${fragment}`;
  }

  /** The query with what is kept in place of its id. Rejects with an ApiError. */
  async expanded(search: string): Promise<string> {
    const query = new URLSearchParams(search);
    const id = query.get("kept");
    if (id === null) return search;
    query.delete("kept");
    if (!ID.test(id)) throw new Error("The link names no view that is kept.");
    const asked = this.#texts.get(id) ?? this.#read(id);
    this.#texts.set(id, asked);
    asked.catch(() => this.#texts.delete(id));
    new URLSearchParams(await asked).forEach((value, name) => query.set(name, value));
    return `?${query}`;
  }

  async #keep(long: URLSearchParams): Promise<string> {
    const text = long.toString();
    const known = this.#ids.get(text);
    if (known) return known;
    const { viewId } = (await post(`${this.#path}/views`, Object.fromEntries(long))) as { viewId: string };
    this.#ids.set(text, viewId);
    this.#texts.set(viewId, Promise.resolve(text));
    return viewId;
  }

  async #read(id: string): Promise<string> {
    const found = await json<Record<(typeof LONG)[number], string>>(`${this.#path}/views/${id}`);
    return new URLSearchParams(LONG.filter((name) => found[name]).map((name) => [name, found[name]])).toString();
  }
}

/** The query and the fragment with its mark. */
function parts(address: string): [URLSearchParams, string] {
  const at = address.indexOf("#");
  return at < 0 ? [new URLSearchParams(address), ""] : [new URLSearchParams(address.slice(0, at)), address.slice(at)];
}
