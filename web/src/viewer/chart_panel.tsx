/** The chart of the thread that is chosen, and what is said over it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { usePart } from "../store.ts";
import { BandKey } from "./band_key.tsx";
import { FlameChart, type Hover } from "./chart.ts";
import type { FrameNumbers } from "./details.tsx";
import { MODES } from "./modes.ts";
import { notesOf } from "./notes.ts";
import { usePlace } from "./pane_place.ts";
import { useRareParts } from "./rare_loading.ts";
import { Tooltip } from "./tooltip.tsx";
import type { View } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";

interface ChartPanelProps {
  store: ViewerStore;
  numbers: FrameNumbers;
  /** Puts a question into the chat; null where there is none. */
  ask: ((question: string) => void) | null;
}

/** Goes with the view it was opened over. An effect that closed it once the view has changed would come a frame later,
 *  and close what was opened over the new view in between. */
interface OfView<T> {
  what: T;
  view: View | null;
}

export function ChartPanel({ store, numbers, ask }: ChartPanelProps) {
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hovered, setHover] = useState<OfView<Hover> | null>(null);
  const [opened, setMenu] = useState<OfView<{ x: number; y: number }> | null>(null);
  const mode = usePart(store, (state) => state.mode);
  const profile = usePart(store, (state) => state.profile);
  const view = usePart(store, (state) => state.view);
  const hover = hovered?.view === view ? hovered.what : null;
  const menu = opened?.view === view ? opened.what : null;
  const loading = usePart(store, (state) => state.loading);
  const problem = usePart(store, (state) => state.problem);
  const needsTrace = usePart(store, (state) => state.mode === "diff" && !state.diff);
  const needsFrame = usePart(store, (state) => state.mode === "sandwich" && !state.sandwichOf);
  usePart(store, (state) => state.selection);
  const range = usePart(store, (state) => state.range);
  const place = usePlace(store, mode === "time_order" ? profile : null);
  const parts = useRareParts(store, view?.transforms?.left === 0 || range !== null || menu !== null || place !== null);
  useEffect(() => {
    const ofView = <T,>(what: T | null): OfView<T> | null => what && { what, view: store.read().view };
    const chart = new FlameChart(root.current!, canvas.current!, store, {
      hover: (hover) => setHover(ofView(hover)),
      menu: (place) => setMenu(ofView(place)),
    });
    return () => chart.close();
  }, [store]);
  const selected = store.selectedFrame();
  return (
    <div
      class="chart"
      ref={root}
      style={place ?? undefined}
      tabIndex={0}
      role="application"
      aria-roledescription="flame chart"
      aria-label={`Flame chart, ${MODES.find((entry) => entry.mode === mode)!.name}. Arrow keys move between parent, child and neighbours, Enter zooms, M opens a menu, Q asks, Escape shows everything.${place ? " Shift with up or down goes to another open thread." : ""}`}
      aria-describedby="chart-status"
      aria-busy={loading}
      data-mode={mode}
      data-profile={profile}
      data-selected={selected?.handle ?? ""}
      data-selected-name={selected && view ? view.frames.names[selected.local] : ""}
      data-boxes={view?.boxes.start.length ?? 0}
    >
      <canvas ref={canvas} aria-hidden="true" hidden={!view} />
      <BandKey store={store} profile={profile} />
      {place && parts && <parts.PaneHead store={store} handle={profile} />}
      {loading && (
        <p class="chart-message" role="status">
          Drawing the chart…
        </p>
      )}
      {problem && view && (
        <p class="chart-toast" role="alert">
          {problem}
        </p>
      )}
      {problem && !view && !loading && (
        <div class="chart-message" role="alert">
          <div>
            <p>{problem}</p>
            <button type="button" onClick={() => void store.show({ within: store.read().within })}>
              Try again
            </button>
          </div>
        </div>
      )}
      {needsFrame && <p class="chart-message">Choose a function: its callers go above it, what it calls below.</p>}
      {needsTrace && (
        <p class="chart-message">Choose the trace that was before: what grew is red, what shrank is blue.</p>
      )}
      {view && !loading && view.boxes.start.length === 0 && isEmpty(view) && (
        <p class="chart-message">Nothing was recorded in this profile.</p>
      )}
      {view && !loading && view.transforms?.left === 0 && !isEmpty(view) && parts && (
        <parts.NothingLeft store={store} />
      )}
      {parts && range && <parts.RangeBar store={store} ask={ask} />}
      {menu && view && parts && <parts.BoxMenu store={store} place={menu} ask={ask} close={() => setMenu(null)} />}
      {hover && view && !menu && (
        <Tooltip
          hover={hover}
          view={view}
          total={numbers.profileTotal}
          notes={notesOf(store.notes.read().notes, profile)}
          room={root.current!}
        />
      )}
    </div>
  );
}

/** Whether the recording itself has nothing here. */
function isEmpty(view: View): boolean {
  return !view.transforms || view.transforms.of <= 0;
}
