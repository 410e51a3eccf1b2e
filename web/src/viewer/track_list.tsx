/** Over the chart: processes and threads by how much works in them, when they were busy, and which of them is open. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { scaleOf } from "../page_scale.ts";
import { usePart } from "../store.ts";
import { toggleThread } from "./thread_moves.ts";
import { markOn, useTrackMarking } from "./track_marking.ts";
import { keepPinned, moved, pinnedOf, toggled } from "./track_order.ts";
import { idOf, TrackLine } from "./track_line.tsx";
import { fetchTracks, inSight, rowsOf, TRACK_ROW, type TrackRow, type Tracks } from "./tracks.ts";
import { formatCount } from "./values.ts";
import type { ViewerStore } from "./viewer_store.ts";
import { span } from "./window.ts";

/** Rows in sight in a window of usual height; a tall one shows more. */
const FEWEST_ROWS = 6;
const TALL = `max(${FEWEST_ROWS * TRACK_ROW}px, (var(--high) - 600px) / 2)`;
const NARROW = "(max-width: 820px)";
const TREE = "track-tree";

export function TrackList({ store }: { store: ViewerStore }) {
  const [found, setFound] = useState<Tracks | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(() => !matchMedia(NARROW).matches);
  const [words, setWords] = useState("");
  const profile = usePart(store, (state) => state.profile);
  useEffect(() => {
    let isCurrent = true;
    fetchTracks(store.path).then(
      (tracks) => isCurrent && setFound(tracks),
      (error: Error) => isCurrent && setProblem(error.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [store]);
  const shown = found?.tracks.find((track) => track.handle === profile);
  const name = shown?.name ?? store.profiles.find((entry) => entry.handle === profile)?.name ?? profile;
  return (
    <section class="tracks" aria-label="Threads">
      <div class="tracks-bar">
        <button
          type="button"
          class="tracks-toggle"
          aria-expanded={isOpen}
          aria-controls={TREE}
          title={isOpen ? "Fold the threads away" : "Show processes and threads"}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? "down" : "next"} />
          Threads
        </button>
        <span class="tracks-shown" title={name}>
          {name}
        </span>
        {isOpen && (
          <input
            type="search"
            aria-label="Filter threads"
            placeholder={`Filter ${formatCount(store.profiles.length)} threads`}
            spellcheck={false}
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "ArrowDown" || event.key === "Enter") document.getElementById(TREE)?.focus();
              else if (event.key === "Escape") setWords("");
              else return;
              event.preventDefault();
            }}
          />
        )}
      </div>
      {problem && isOpen && (
        <p class="note" role="alert">
          {problem}
        </p>
      )}
      {isOpen && !problem && <TrackTree store={store} found={found} words={words} />}
    </section>
  );
}

interface TrackTreeProps {
  store: ViewerStore;
  found: Tracks | null;
  words: string;
}

function TrackTree({ store, found, words }: TrackTreeProps) {
  const tree = useRef<HTMLDivElement>(null);
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set());
  const [all, setAll] = useState(false);
  const [pinned, setPinned] = useState(() => pinnedOf(store.trace.traceId));
  const [at, setAt] = useState(0);
  const [sight, setSight] = useState({ top: 0, height: FEWEST_ROWS * TRACK_ROW });
  const profile = usePart(store, (state) => state.profile);
  const pointed = usePart(store.pointing, (state) => state.cited?.profile ?? null);
  const rows = useMemo(
    () => (found ? rowsOf(found, { words, closed, all, pinned }) : []),
    [found, words, closed, all, pinned],
  );
  const marked = usePart(store, (state) => state.rangeThreads);
  const open = usePart(store.open, (state) => state.handles);
  const rowAt = (y: number) => {
    const box = tree.current!.getBoundingClientRect();
    return Math.floor(((y - box.top) / scaleOf(tree.current!, box) + tree.current!.scrollTop) / TRACK_ROW);
  };
  const marking = useTrackMarking(store, found, rows, rowAt);
  useSeenRange(store, found, tree);

  const bring = (index: number) => {
    const element = tree.current;
    if (!element) return;
    const top = index * TRACK_ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + TRACK_ROW > element.scrollTop + element.clientHeight)
      element.scrollTop = top + TRACK_ROW - element.clientHeight;
  };
  const focusRow = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setAt(next);
    bring(next);
  };
  useEffect(() => {
    const index = rows.findIndex((row) => row.kind === "thread" && row.track.handle === profile);
    if (index >= 0) focusRow(index);
  }, [profile, found]); // an answer or a link opens threads too
  useEffect(() => {
    const element = tree.current!;
    const look = () => setSight({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const pin = (next: readonly string[]) => {
    setPinned(next);
    keepPinned(store.trace.traceId, next);
  };
  /** What keys do with a thread: P pins, Alt with an arrow moves what is pinned, M marks what is in sight. */
  const pressOnThread = (event: KeyboardEvent, handle: string): boolean => {
    const step = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
    const place = pinned.indexOf(handle);
    if (step !== undefined && place >= 0) {
      const next = moved(pinned, handle, place + step);
      pin(next);
      focusRow(next.indexOf(handle));
    } else if (event.key === "o" && found?.start !== null) void toggleThread(store, handle);
    else if (event.key === "p") pin(toggled(pinned, handle));
    else if (event.key === "m" && found?.start !== null) {
      const { range, rangeThreads, window } = store.read();
      const threads = range ? (rangeThreads ?? []) : [];
      void markOn(store, range ?? window, toggled(threads, handle));
    } else return event.altKey;
    return true;
  };
  const toggle = (process: number, isOpen: boolean) => {
    const next = new Set(closed);
    if (isOpen) next.delete(process);
    else next.add(process);
    setClosed(next);
  };
  const act = (row: TrackRow | undefined) => {
    if (row?.kind === "process") toggle(row.process, !row.isOpen);
    else if (row?.kind === "rest") setAll(!row.isOpen);
    else if (row) openThread(store, row.track.handle);
  };
  const press = (event: KeyboardEvent) => {
    const row = rows[at];
    const page = Math.max(1, Math.floor(sight.height / TRACK_ROW) - 1);
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    };
    const step = steps[event.key];
    if (row?.kind === "thread" && !event.ctrlKey && !event.metaKey && pressOnThread(event, row.track.handle))
      event.preventDefault();
    else if (step !== undefined) focusRow(step);
    else if (event.key === "Enter" || event.key === " ") act(row);
    else if (event.key === "ArrowRight" && row?.kind === "process") toggle(row.process, true);
    else if (event.key === "ArrowLeft" && row?.kind === "process") toggle(row.process, false);
    else if (event.key === "ArrowLeft" && row?.kind === "thread")
      focusRow(rows.findLastIndex((one, index) => index < at && one.kind === "process"));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const [first, last] = inSight(rows.length, sight.top, sight.height);
  const active = rows[at] && at >= first && at < last ? idOf(rows[at]) : undefined;
  return (
    <div
      id={TREE}
      class="track-tree"
      role="tree"
      tabIndex={0}
      ref={tree}
      aria-label="Processes and threads"
      aria-activedescendant={active}
      aria-busy={found === null}
      style={{ height: `min(${store.profiles.length * TRACK_ROW}px, ${TALL})` }}
      onKeyDown={press}
      onScroll={(event) => setSight({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
    >
      <div
        role="none"
        class="track-rows"
        style={{ height: `${rows.length * TRACK_ROW}px` }}
        onPointerDown={marking.down}
        onPointerMove={marking.move}
        onPointerUp={marking.up}
        onPointerCancel={marking.up}
      >
        {rows.slice(first, last).map((row, offset) => (
          <TrackLine
            key={row.key}
            row={row}
            index={first + offset}
            count={rows.length}
            isActive={first + offset === at}
            isShown={row.kind === "thread" && row.track.handle === profile}
            isPointed={row.kind === "thread" && row.track.handle === pointed}
            isOpen={row.kind === "thread" && open.includes(row.track.handle)}
            open={found?.start === null ? null : (handle) => void toggleThread(store, handle)}
            isMarked={row.kind === "thread" && (marked?.includes(row.track.handle) ?? false)}
            pin={(handle) => pin(toggled(pinned, handle))}
            place={(handle, before) => pin(moved(pinned, handle, pinned.indexOf(before)))}
            choose={() => {
              if (marking.endsMarking()) return;
              setAt(first + offset);
              act(row);
            }}
          />
        ))}
      </div>
      {found && rows.length === 0 && <p class="note">No thread has this name.</p>}
    </div>
  );
}

/** Keeps on the tree which part of the recording the chart shows; the strips mark it. */
function useSeenRange(store: ViewerStore, found: Tracks | null, tree: { current: HTMLDivElement | null }): void {
  useEffect(() => {
    const look = () => {
      const element = tree.current;
      if (!element || found?.start === null || !found) return;
      const { window, mode } = store.read();
      const length = found.end! - found.start || 1;
      const isPart = mode === "time_order" && span(window) < span(store.bounds()) * 0.999;
      const from = isPart ? (window.start - found.start) / length : 0;
      element.style.setProperty("--seen-from", `${Math.max(0, from) * 100}%`);
      const { range, rangeThreads } = store.read();
      const isMarked = range !== null && rangeThreads !== null;
      element.style.setProperty("--marked-from", isMarked ? `${((range.start - found.start) / length) * 100}%` : "0%");
      element.style.setProperty("--marked", isMarked ? `max(2px, ${(span(range) / length) * 100}%)` : "0px");
      element.style.setProperty("--seen", isPart ? `max(2px, ${Math.min(1, span(window) / length) * 100}%)` : "0px");
    };
    look();
    return store.watch(look);
  }, [store, found]);
}

function openThread(store: ViewerStore, profile: string): void {
  const { mode } = store.read();
  void store.show({ profile, sandwichOf: null, mode: mode === "sandwich" ? "time_order" : mode });
}
