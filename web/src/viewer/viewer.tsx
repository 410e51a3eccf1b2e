/** The left half of the room: toolbar, minimap, chart, and what is known of the selected frame. */
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useSettled } from "../settling.ts";
import { usePart } from "../store.ts";
import { TablePanel } from "../tables/panel.tsx";
import { ChartPanel } from "./chart_panel.tsx";
import { Details, type FrameNumbers, useFrameNumbers } from "./details.tsx";
import { LaneList } from "./lane_list.tsx";
import { Minimap } from "./minimap.ts";
import { MODES, modesOf } from "./modes.ts";
import { contentHeight, RULER } from "./paint.ts";
import { TrackList } from "./track_list.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useRareParts } from "./rare_loading.ts";
import { questionHere } from "./questions.ts";
import type { Mention } from "./mention.ts";
import { formatValue } from "./values.ts";
import type { ViewerStore } from "./viewer_store.ts";

interface ViewerProps {
  store: ViewerStore;
  /** Puts a question into the chat; null where there is none. */
  ask: ((question: string) => void) | null;
  /** The answers that cite a handle. */
  mentions: (handles: string[]) => Mention[];
  /** The address of what is seen now. */
  link: () => Promise<string>;
  /** Lies over the foot of the chart. */
  notice?: ComponentChildren;
  /** Stands at the end of the toolbar. */
  children?: ComponentChildren;
}

/** What stands above the chart and is known within it is there before the chart is: it does not jump. */
const SETTLING_MS = 1_000;

export function Viewer({ store, ask, mentions, link, notice, children }: ViewerProps) {
  const mode = usePart(store, (state) => state.mode);
  const profile = usePart(store, (state) => state.profile);
  const transforms = usePart(store, (state) => state.transforms);
  const numbers = useFrameNumbers(store, profile, transforms);
  const isChanged = transforms.length > 0;
  const parts = useRareParts(store, mode === "diff" || mode === "sandwich" || isChanged);
  const section = useRef<HTMLElement>(null);
  useEffect(() => store.notes.open(), [store]);
  const [isKnown, setKnown] = useState(false);
  const known = useCallback(() => setKnown(true), []);
  const content = useContent(store);
  const isSettled = useSettled(usePart(store, (state) => state.view !== null) && isKnown, SETTLING_MS);

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
      {mode === "diff" && parts && <parts.DiffBar store={store} />}
      {parts && isChanged && <parts.TransformBar store={store} />}
      <WithinBar store={store} />
      {store.profiles.length > 1 && <TrackList store={store} />}
      {mode !== "sandwich" && <Overview store={store} />}
      <LaneList store={store} known={known} />
      <div
        class="chart-area"
        id="chart-panel"
        role="tabpanel"
        aria-label={MODES.find((entry) => entry.mode === mode)?.name}
        style={{ "--content": content }}
      >
        {mode === "sandwich" && parts && <parts.FunctionList store={store} numbers={numbers} />}
        {isSettled && <Panes store={store} numbers={numbers} ask={ask} />}
        {notice}
      </div>
      <TablePanel store={store} />
      <Details store={store} numbers={numbers} ask={ask} mentions={mentions} />
    </section>
  );
}

/** The height of the one chart with all of its rows, where it can do with less than there is. */
function useContent(store: ViewerStore): string | undefined {
  const isSeveral = usePart(store.open, ({ handles }) => handles.length > 0);
  const height = usePart(store, ({ mode, view }) => {
    if (!view || isSeveral || mode === "sandwich") return null;
    return RULER + contentHeight(store.overview() ?? view); // a part of it in full may have fewer rows
  });
  return height === null ? undefined : `${height}px`;
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

/** The chosen thread's chart and, in time order, those of the other open ones. */
function Panes({ store, numbers, ask }: { store: ViewerStore; numbers: FrameNumbers; ask: ViewerProps["ask"] }) {
  const isSeveral = usePart(store.open, ({ handles }) => handles.length > 0);
  const isInTime = usePart(store, ({ mode }) => mode === "time_order");
  const hasFlows = usePart(store, ({ selection }) => selection !== null) && !!store.trace.summary.flow_count;
  const parts = useRareParts(store, isInTime && (isSeveral || hasFlows));
  const shown = isSeveral && isInTime && parts;
  return (
    <div
      class="chart-panes"
      data-several={shown ? true : undefined}
      onDblClick={(event) => event.target === event.currentTarget && store.zoomToSelection()}
    >
      <ChartPanel {...{ store, numbers, ask }} />
      {shown && <shown.ThreadPanes store={store} />}
      {parts && hasFlows && <parts.FlowArrows store={store} />}
    </div>
  );
}
