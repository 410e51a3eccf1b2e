/** Between the threads and the chart, along its axis: levels as areas, marks, async spans and requests, where a trace has them. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { placeIn, scaleOf } from "../page_scale.ts";
import { usePart } from "../store.ts";
import { theme } from "../theme.ts";
import { SharpCanvas } from "./canvas.ts";
import {
  boxUnder,
  drawLane,
  fetchLanes,
  lanesOf,
  levelAt,
  shortNumber,
  spokenLane,
  uncutLanes,
  type Lane,
} from "./lanes.ts";
import { inks } from "./palette.ts";
import { formatPlaceOnAxis } from "./ruler_text.ts";
import { formatCount, formatValue } from "./values.ts";
import type { ViewerStore } from "./viewer_store.ts";
import { around, span } from "./window.ts";

const NARROW = "(max-width: 820px)";
const LIST = "lane-list";
/** Pixels that lanes may take before they are scrolled, of a window's height a seventh. */
const ROOM = 124;
/** Pixels by which a narrow box is easier to hit. */
const SLACK = 3;

/** `known` is called once it is known what there is. */
export function LaneList({ store, known }: { store: ViewerStore; known: () => void }) {
  const [found, setFound] = useState<{ lanes: Lane[]; names: string[] } | null>(null);
  const [isOpen, setOpen] = useState(() => !matchMedia(NARROW).matches);
  const [under, setUnder] = useState("");
  const isInTime = usePart(store, ({ mode, view }) => mode === "time_order" && view?.unit === "nanoseconds");
  useEffect(() => {
    let isCurrent = true;
    fetchLanes(store.path)
      .then(
        (answer) => isCurrent && setFound({ lanes: lanesOf(answer), names: answer.names }),
        (error: Error) => isCurrent && store.report(`Levels and marks could not be fetched: ${error.message}`),
      )
      .finally(known);
    return () => {
      isCurrent = false;
    };
  }, [store]);
  if (!found || found.lanes.length === 0 || !isInTime) return null;
  return (
    <section class="lanes" aria-label="Besides calls">
      <div class="lanes-bar">
        <button
          type="button"
          class="tracks-toggle"
          aria-expanded={isOpen}
          aria-controls={LIST}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? "down" : "next"} />
          Besides calls
        </button>
        <span class="lanes-count">{counted(found.lanes)}</span>
        <output class="lanes-under">{under}</output>
      </div>
      {isOpen && <OpenLanes store={store} {...found} setUnder={setUnder} />}
    </section>
  );
}

interface OpenLanesProps {
  store: ViewerStore;
  lanes: Lane[];
  names: string[];
  setUnder: (text: string) => void;
}

function OpenLanes({ store, lanes, names, setUnder }: OpenLanesProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const tops = useMemo(
    () => lanes.map((_, at) => lanes.slice(0, at).reduce((sum, lane) => sum + lane.height, 0)),
    [lanes],
  );
  const height = lanes.reduce((sum, lane) => sum + lane.height, 0);
  const inSight = useMemo(() => uncutLanes(lanes, Math.max(ROOM, innerHeight / scaleOf(document.body) / 7)), [lanes]);
  const [below, setBelow] = useState(height - inSight);
  useEffect(() => {
    const sharp = new SharpCanvas(canvas.current!, (context) => {
      const { window, view } = store.read();
      context.fillStyle = inks(theme.read()).ground;
      context.fillRect(0, 0, sharp.width, sharp.height);
      if (!view) return;
      const shown = { window, width: sharp.width, theme: theme.read() };
      lanes.forEach((lane, at) => {
        context.fillStyle = inks(theme.read()).grid;
        context.fillRect(0, tops[at]! + lane.height - 1, sharp.width, 1);
        drawLane(context, lane, names, { ...shown, top: tops[at]! });
      });
    });
    const unwatch = [store, theme].map((one) => one.watch(() => sharp.schedule()));
    return () => {
      unwatch.forEach((stop) => stop());
      sharp.close();
    };
  }, [store, lanes]);

  const placeOf = (event: MouseEvent) => {
    const { window } = store.read();
    const wide = canvas.current!.clientWidth || 1;
    const { x, y } = placeIn(canvas.current!, event);
    const at = window.start + (x / wide) * span(window);
    const index = Math.max(
      0,
      tops.findLastIndex((top) => top <= y),
    );
    const lane = lanes[index]!;
    const box = boxUnder(lane, at, y - tops[index]!, (SLACK / wide) * span(window));
    return { at, lane, box };
  };
  const look = (event: PointerEvent) => {
    const { at, lane, box } = placeOf(event);
    const { window, view } = store.read();
    const when = formatPlaceOnAxis(at - store.axis().start, span(window) / 100, view?.unit ?? "nanoseconds");
    const level = lane.kind === "level" ? levelAt(lane.points, at) : null;
    if (box) setUnder(`${names[box[3]]} · ${formatValue(box[1] - box[0], "nanoseconds")}`);
    else setUnder(level === null ? "" : `${lane.name}: ${shortNumber(level)} at ${when}`);
  };
  /** A box marks its time. */
  const choose = (event: MouseEvent) => {
    const { box } = placeOf(event);
    if (!box) return;
    store.mark({ start: box[0], end: Math.max(box[1], box[0] + 1) });
    const { window } = store.read();
    if (box[0] < window.start || box[1] > window.end) store.moveTo(around(box[0], box[1], store.bounds()));
  };
  return (
    <div
      id={LIST}
      class="lane-list"
      tabIndex={0}
      role="group"
      aria-label="Levels, marks and intervals"
      style={{ "--uncut-lanes": `${inSight + 1}px` }}
      data-more={below > 1 ? true : undefined}
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) => setBelow(height - scrollTop - clientHeight)}
    >
      <ul style={{ height: `${height}px` }}>
        {lanes.map((lane, at) => (
          <li key={`${lane.kind} ${lane.name}`} style={{ top: `${tops[at]}px` }} title={spokenLane(lane)}>
            <bdi>{lane.name}</bdi>
            <span class="visually-hidden">{spokenLane(lane).slice(lane.name.length)}</span>
          </li>
        ))}
      </ul>
      <canvas
        ref={canvas}
        style={{ height: `${height}px` }}
        aria-hidden="true"
        onPointerMove={look}
        onPointerLeave={() => setUnder("")}
        onClick={choose}
      />
    </div>
  );
}

/** "request" of one, "requests" of more. */
const ofCount = (plural: string, count: number) => (count === 1 ? plural.replace(/s$/, "") : plural);

function counted(lanes: Lane[]): string {
  const of = (kind: Lane["kind"]) => lanes.filter((lane) => lane.kind === kind);
  const parts = [
    [of("level").length, "level", "levels"],
    [of("mark").length, "kind of marks", "kinds of marks"],
  ] as const;
  return [
    ...parts.flatMap(([count, one, many]) => (count ? [`${count} ${count === 1 ? one : many}`] : [])),
    ...of("boxes").map((lane) =>
      lane.kind === "boxes" ? `${formatCount(lane.count)} ${ofCount(lane.name.toLowerCase(), lane.count)}` : "",
    ),
  ].join(", ");
}
