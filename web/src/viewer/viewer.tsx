/** The left half of the room: toolbar, minimap, chart, and what is known of the selected frame. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { usePart } from "../store.ts";
import { TablePanel } from "../tables/panel.tsx";
import { BoxMenu } from "./box_menu.tsx";
import { FlameChart, type Hover } from "./chart.ts";
import { Details, type FrameNumbers, useFrameNumbers } from "./details.tsx";
import { DiffBar } from "./diff_bar.tsx";
import { FunctionList } from "./function_list.tsx";
import { LaneList } from "./lane_list.tsx";
import { Minimap } from "./minimap.ts";
import { MODES, modesOf } from "./modes.ts";
import { TrackList } from "./track_list.tsx";
import { NothingLeft, TransformBar } from "./transform_bar.tsx";
import { Toolbar } from "./toolbar.tsx";
import { questionHere } from "./questions.ts";
import { RangeBar } from "./range_bar.tsx";
import { selfOf } from "./frame_values.ts";
import { rowOf } from "./boxes.ts";
import type { Mention } from "./mention.ts";
import { formatChange, formatPlace, formatShare, formatValue } from "./values.ts";
import type { View } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";

interface ViewerProps {
  store: ViewerStore;
  /** Puts a question into the chat; null where there is none. */
  ask: ((question: string) => void) | null;
  /** The answers that cite a handle. */
  mentions: (handles: string[]) => Mention[];
  /** The address of what is seen now. */
  link: () => string;
  /** Lies over the foot of the chart. */
  notice?: ComponentChildren;
  /** Stands at the end of the toolbar. */
  children?: ComponentChildren;
}

export function Viewer({ store, ask, mentions, link, notice, children }: ViewerProps) {
  const mode = usePart(store, (state) => state.mode);
  const profile = usePart(store, (state) => state.profile);
  const transforms = usePart(store, (state) => state.transforms);
  const numbers = useFrameNumbers(store, profile, transforms);
  const section = useRef<HTMLElement>(null);

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const inside = document.activeElement === document.body || section.current?.contains(document.activeElement);
      const typing =
        event.target instanceof HTMLInputElement ||
        event.target instanceof HTMLTextAreaElement ||
        event.target instanceof HTMLSelectElement;
      if (!inside || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const chosen = modesOf(store).find(({ key }) => key === event.key);
      if (chosen) void store.show({ mode: chosen.mode });
      else if (event.key === "q" && ask) {
        const question = questionHere(store);
        if (question) ask(question);
      } else if (event.key === "/") section.current?.querySelector<HTMLInputElement>("input[type=search]")?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [store, ask]);

  return (
    <section class="viewer" aria-label="Flame chart" ref={section}>
      <Toolbar store={store} ask={ask} link={link}>
        {children}
      </Toolbar>
      {mode === "diff" && <DiffBar store={store} />}
      <TransformBar store={store} />
      <WithinBar store={store} />
      {store.profiles.length > 1 && <TrackList store={store} />}
      {mode !== "sandwich" && <Overview store={store} />}
      <LaneList store={store} />
      <div
        class="chart-area"
        id="chart-panel"
        role="tabpanel"
        aria-label={MODES.find((entry) => entry.mode === mode)?.name}
      >
        {mode === "sandwich" && <FunctionList store={store} numbers={numbers} />}
        <Chart store={store} numbers={numbers} ask={ask} />
        {notice}
      </div>
      <TablePanel store={store} />
      <Details store={store} numbers={numbers} ask={ask} mentions={mentions} />
    </section>
  );
}

/** Says that left heavy is of a range of time alone. */
function WithinBar({ store }: { store: ViewerStore }) {
  const within = usePart(store, (state) => (state.mode === "left_heavy" ? state.within : null));
  if (!within) return null;
  return (
    <p class="within-bar">
      <span>Left heavy of {formatValue(within.end - within.start, "nanoseconds")} of this thread</span>
      <button type="button" onClick={() => void store.show({ mode: "left_heavy" })}>
        All of it
      </button>
    </p>
  );
}

function Overview({ store }: { store: ViewerStore }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const minimap = new Minimap(canvas.current!, store);
    return () => minimap.close();
  }, [store]);
  return <canvas class="minimap" ref={canvas} aria-hidden="true" />;
}

function Chart({ store, numbers, ask }: { store: ViewerStore; numbers: FrameNumbers; ask: ViewerProps["ask"] }) {
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const [menu, setMenu] = useState<{ x: number; y: number } | null>(null);
  const mode = usePart(store, (state) => state.mode);
  const profile = usePart(store, (state) => state.profile);
  const view = usePart(store, (state) => state.view);
  const loading = usePart(store, (state) => state.loading);
  const problem = usePart(store, (state) => state.problem);
  const needsTrace = usePart(store, (state) => state.mode === "diff" && !state.diff);
  const needsFrame = usePart(store, (state) => state.mode === "sandwich" && !state.sandwichOf);
  usePart(store, (state) => state.selection);
  useEffect(() => {
    const chart = new FlameChart(root.current!, canvas.current!, store, { hover: setHover, menu: setMenu });
    return () => chart.close();
  }, [store]);
  useEffect(() => {
    setHover(null);
    setMenu(null);
  }, [view]);
  const selected = store.selectedFrame();
  return (
    <div
      class="chart"
      ref={root}
      tabIndex={0}
      role="application"
      aria-roledescription="flame chart"
      aria-label={`Flame chart, ${MODES.find((entry) => entry.mode === mode)!.name}. Arrow keys move between parent, child and neighbours, Enter zooms, M opens a menu, Q asks, Escape shows everything.`}
      aria-describedby="chart-status"
      aria-busy={loading}
      data-mode={mode}
      data-profile={profile}
      data-selected={selected?.handle ?? ""}
      data-selected-name={selected && view ? view.frames.names[selected.local] : ""}
      data-boxes={view?.boxes.start.length ?? 0}
    >
      <canvas ref={canvas} aria-hidden="true" hidden={!view} />
      {loading && (
        <p class="chart-message" role="status">
          Drawing the chart…
        </p>
      )}
      {problem && (
        <p class={view ? "chart-toast" : "chart-message"} role="alert">
          {problem}
        </p>
      )}
      {needsFrame && <p class="chart-message">Choose a function: its callers go above it, what it calls below.</p>}
      {needsTrace && (
        <p class="chart-message">Choose the trace that was before: what grew is red, what shrank is blue.</p>
      )}
      {view && !loading && view.boxes.start.length === 0 && isEmpty(view) && (
        <p class="chart-message">Nothing was recorded in this profile.</p>
      )}
      {view && !loading && view.transforms?.left === 0 && !isEmpty(view) && <NothingLeft store={store} />}
      <RangeBar store={store} ask={ask} />
      {menu && view && <BoxMenu store={store} place={menu} ask={ask} close={() => setMenu(null)} />}
      {hover && view && !menu && <Tooltip hover={hover} store={store} numbers={numbers} room={root.current!} />}
    </div>
  );
}

/** Whether the recording itself has nothing here. */
function isEmpty(view: View): boolean {
  return !view.transforms || view.transforms.of <= 0;
}

function Tooltip({
  hover,
  store,
  numbers,
  room,
}: {
  hover: Hover;
  store: ViewerStore;
  numbers: FrameNumbers;
  room: HTMLElement;
}) {
  const box = useRef<HTMLDivElement>(null);
  const view = store.read().view!;
  const boxes = view[hover.address.half];
  const { index } = hover.address;
  const local = boxes?.frame[index] ?? -1;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const flipX = hover.x + element.offsetWidth + 24 > room.clientWidth;
    const flipY = hover.y + element.offsetHeight + 24 > room.clientHeight;
    element.style.left = `${Math.max(4, flipX ? hover.x - element.offsetWidth - 12 : hover.x + 14)}px`;
    element.style.top = `${Math.max(4, flipY ? hover.y - element.offsetHeight - 10 : hover.y + 16)}px`;
  });
  if (!boxes || index >= boxes.start.length) return null;
  const total = boxes.end[index]! - boxes.start[index]!;
  const place = local < 0 ? null : formatPlace(view.frames.files[local] ?? null, view.frames.lines[local] ?? null);
  const profileTotal = numbers.profileTotal || store.bounds().end - store.bounds().start;
  return (
    <div class="tooltip" ref={box} aria-hidden="true">
      <strong>{local < 0 ? "Merged calls" : view.frames.names[local]}</strong>
      {place && <span class="place">{place}</span>}
      <span class="figures">
        {formatValue(total, view.unit)} <i>{formatShare(total / profileTotal)}</i>
        {boxes.before && (
          <>
            {" "}
            · was {formatValue(boxes.before[index]!, view.unit)} <i>{formatChange(boxes.before[index]!, total)}</i>
          </>
        )}
        {hover.address.half === "boxes" && !boxes.before && !(view.transforms && view.mode === "time_order") && (
          <> · self {formatValue(Math.max(0, selfOf(boxes, index, rowOf(boxes, index))), view.unit)}</>
        )}
      </span>
    </div>
  );
}
