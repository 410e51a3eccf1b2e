/** Over the charts of the open threads: the arrows of the selected call's flows, and a list of them. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { usePart } from "../store.ts";
import { rowOf } from "./boxes.ts";
import { curveOf, FlowStore, linesOf, type FlowArrow, type Line, type ThreadPlace } from "./flows.ts";
import { goTo } from "./navigation.ts";
import { ROW, RULER } from "./paint.ts";
import type { ViewerStore } from "./viewer_store.ts";

/** Arrows that the list names. */
const LISTED = 6;

export function FlowArrows({ store }: { store: ViewerStore }) {
  const layer = useRef<SVGSVGElement>(null);
  const flows = useMemo(() => new FlowStore(store), [store]);
  const { arrows, count } = usePart(flows, (value) => value);
  const [drawn, setDrawn] = useState<{ lines: Line[]; height: number }>({ lines: [], height: 0 });
  useEffect(() => () => flows.close(), [flows]);
  useEffect(() => {
    if (!arrows.length) return setDrawn({ lines: [], height: 0 });
    let frame = 0;
    const draw = () => {
      frame = 0;
      const room = layer.current?.parentElement;
      if (room) setDrawn({ lines: linesIn(store, arrows, room), height: room.scrollHeight });
    };
    const schedule = () => (frame ||= requestAnimationFrame(draw));
    const unwatch = [store, store.open, store.open.tops].map((one) => one.watch(schedule));
    const observer = new ResizeObserver(schedule);
    observer.observe(layer.current!.parentElement!);
    schedule();
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      unwatch.forEach((stop) => stop());
    };
  }, [store, arrows]);
  return (
    <>
      <svg class="flow-layer" ref={layer} aria-hidden="true" height={drawn.height} data-lines={drawn.lines.length}>
        <defs>
          <marker id="flow-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        {drawn.lines.map((line, at) => (
          <g key={at} data-loose={line.isLoose || undefined}>
            <path class="flow-edge" d={curveOf(line)} />
            <path class="flow-line" d={curveOf(line)} marker-end="url(#flow-head)" />
          </g>
        ))}
      </svg>
      {arrows.length > 0 && <FlowList store={store} arrows={arrows} count={count} />}
    </>
  );
}

function FlowList({ store, arrows, count }: { store: ViewerStore; arrows: FlowArrow[]; count: number }) {
  return (
    <ul class="flow-list" aria-label="Flows of the selected call">
      {arrows.slice(0, LISTED).map(({ name, leaves, other }, at) => (
        <li key={at}>
          <button
            type="button"
            disabled={other.handle === null}
            title={`${name}: ${leaves ? "leads to" : "comes from"} ${other.function ?? "no call"} in ${other.thread ?? "an unknown thread"}`}
            onClick={() => other.handle && void goTo(store, other.handle, { profile: other.profile })}
          >
            {leaves ? "→" : "←"} <bdi>{other.function ?? "no call"}</bdi> <small>{other.thread ?? ""}</small>
          </button>
        </li>
      ))}
      {count > LISTED && <li class="note">and {count - LISTED} more</li>}
    </ul>
  );
}

function linesIn(store: ViewerStore, arrows: readonly FlowArrow[], room: HTMLElement): Line[] {
  const { profile, selection, window, view } = store.read();
  if (!selection || !view) return [];
  const tops = store.open.tops.read();
  const places = new Map<string, ThreadPlace>();
  for (const element of room.querySelectorAll<HTMLElement>(":scope > .chart, :scope > .pane")) {
    const handle = element.dataset.profile ?? element.dataset.handle!;
    const top = element.offsetTop + RULER;
    const bottom = element.offsetTop + element.offsetHeight;
    places.set(handle, { top, bottom, y: (depth) => top + depth * ROW - (tops.get(handle) ?? 0) + ROW / 2 });
  }
  const own = places.get(profile);
  if (!own) return [];
  return linesOf(arrows, rowOf(view.boxes, selection.index), { own, places }, window, room.clientWidth);
}
