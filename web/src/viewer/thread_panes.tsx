/** The open threads that are not chosen, each a chart on the common axis. A click on a box makes its thread the chosen one. */
import { useEffect, useRef, useState } from "preact/hooks";
import { usePart } from "../store.ts";
import { BandKey } from "./band_key.tsx";
import { FlameChart, type Hover } from "./chart.ts";
import { PaneHead } from "./pane_head.tsx";
import { notesOf } from "./notes.ts";
import { usePlace } from "./pane_place.ts";
import { Tooltip } from "./tooltip.tsx";
import type { ViewerStore } from "./viewer_store.ts";

export function ThreadPanes({ store }: { store: ViewerStore }) {
  const handles = usePart(store.open, (state) => state.handles);
  const profile = usePart(store, (state) => state.profile);
  return (
    <>
      {handles
        .filter((handle) => handle !== profile)
        .map((handle) => (
          <Pane key={handle} store={store} handle={handle} />
        ))}
    </>
  );
}

function Pane({ store, handle }: { store: ViewerStore; handle: string }) {
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const view = usePart(store.open, ({ parts }) => parts.get(handle)?.view ?? null);
  const problem = usePart(store.open, ({ problems }) => problems.get(handle) ?? null);
  const place = usePlace(store, handle);
  useEffect(() => {
    const chart = new FlameChart(root.current!, canvas.current!, store, { hover: setHover, menu: () => {} }, handle);
    return () => chart.close();
  }, [store, handle]);
  useEffect(() => setHover(null), [view]);
  return (
    <div class="pane" ref={root} style={place ?? undefined} data-handle={handle} data-boxes={view?.boxes.start.length}>
      <canvas ref={canvas} aria-hidden="true" hidden={!view} />
      <BandKey store={store} profile={handle} />
      <PaneHead store={store} handle={handle} />
      {!view && (
        <p class="chart-message" role={problem ? "alert" : "status"}>
          {problem ?? "Drawing the thread…"}
        </p>
      )}
      {hover && view && (
        <Tooltip
          hover={hover}
          view={view}
          total={0}
          notes={notesOf(store.notes.read().notes, handle)}
          room={root.current!}
        />
      )}
    </div>
  );
}
