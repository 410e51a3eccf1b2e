/** Over a chart's ruler: how many long tasks and collections its bands stand for. */
import type { ComponentChildren } from "preact";
import { usePart } from "../store.ts";
import { spokenBands } from "./bands.ts";
import { formatCount } from "./values.ts";
import type { ViewerStore } from "./viewer_store.ts";

export function BandKey({ store, profile }: { store: ViewerStore; profile: string }) {
  const bands = usePart(store.bands, (known) => known.get(profile));
  const isInTime = usePart(store, ({ mode }) => mode === "time_order");
  const said = bands && isInTime ? spokenBands(bands) : "";
  if (!bands || !said) return null;
  return (
    <p class="band-key" title={`${said} in this thread: a task is long beyond 50 ms`}>
      {bands.longTasks.count > 0 && <Short band="task">{formatCount(bands.longTasks.count)} long</Short>}
      {bands.collections.count > 0 && <Short band="collection">{formatCount(bands.collections.count)} GC</Short>}
      <span class="visually-hidden">{said}</span>
    </p>
  );
}

/** For the eye; a screen reader has the words behind it. */
function Short({ band, children }: { band: string; children: ComponentChildren }) {
  return (
    <span data-band={band} aria-hidden="true">
      {children}
    </span>
  );
}
