/** A value that can be watched, and the hook by which a component watches a part of it. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Watchable<T> {
  read(): T;
  watch(listener: () => void): () => void;
}

export class Store<T> implements Watchable<T> {
  #value: T;
  #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  read(): T {
    return this.#value;
  }

  write(value: T): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The part of a store that `select` picks; the component renders again when that part is another one. */
export function usePart<T, P>(store: Watchable<T>, select: (value: T) => P): P {
  const part = select(store.read());
  const latest = useRef({ part, select });
  latest.current = { part, select };
  const [, render] = useState({});
  useLayoutEffect(() => {
    const look = () => {
      if (!Object.is(latest.current.select(store.read()), latest.current.part)) render({});
    };
    look();
    return store.watch(look);
  }, [store]);
  return part;
}
