/** A marked range of time: what it is made of, and what can be done with it. */
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { goTo } from "./navigation.ts";
import { aboutRange, spokenRange } from "./questions.ts";
import { rangeFigures, rangeText, spokenCalls, spokenTimes, type RangeFigures } from "./range_figures.ts";
import { formatShare, formatValue } from "./values.ts";
import type { ViewerStore } from "./viewer_store.ts";
import { span } from "./window.ts";

/** A marking that moves is asked about once it rests. */
const REST_MS = 200;

export function RangeBar({ store, ask }: { store: ViewerStore; ask: ((question: string) => void) | null }) {
  const range = usePart(store, (state) => state.range);
  const view = usePart(store, (state) => state.view);
  const threads = usePart(store, (state) => state.rangeThreads);
  const profile = usePart(store, (state) => state.profile);
  const figures = useFigures(store);
  if (!range || !view || span(range) <= 0) return null;
  const origin = store.axis().start;
  const one = threads?.length === 1 ? threads[0]! : threads ? null : profile;
  const when = spokenRange(range, origin, view.unit);
  const named = figures && "threads" in figures && threads ? figures.threads.map(({ name }) => name).join(", ") : "";
  return (
    <div class="range-bar" role="group" aria-label="Marked range of time">
      {figures && ("problem" in figures ? <p role="alert">{figures.problem}</p> : <Figures {...{ store, figures }} />)}
      <div class="range-line">
        <span role="status" title={named || undefined}>
          {when} <i>{formatValue(span(range), view.unit)}</i>
          {threads && threads.length > 1 && <i> on {threads.length} threads</i>}
        </span>
        <button
          type="button"
          onClick={() => {
            store.moveTo(range);
            store.mark(null);
          }}
        >
          Zoom
        </button>
        {one && (
          <button
            type="button"
            title="All calls of this range, merged by stack"
            onClick={() => void store.show({ mode: "left_heavy", profile: one, within: range })}
          >
            Left heavy of this
          </button>
        )}
        {ask && (
          <button type="button" onClick={() => ask(aboutRange(range, origin, view.unit, one === profile ? "" : named))}>
            <Icon name="chat" /> Ask about this
          </button>
        )}
        {store.canCompare && (
          <button type="button" onClick={() => store.openPanel("notes")}>
            <Icon name="edit" /> Note
          </button>
        )}
        {navigator.clipboard && figures && !("problem" in figures) && <Copy text={rangeText(figures, when)} />}
        <button type="button" class="icon-button" aria-label="Unmark" title="Unmark" onClick={() => store.mark(null)}>
          <Icon name="close" />
        </button>
      </div>
    </div>
  );
}

/** Of the marking once it rests; null until they are there. */
function useFigures(store: ViewerStore): RangeFigures | { problem: string } | null {
  const range = usePart(store, (state) => state.range);
  const threads = usePart(store, (state) => state.rangeThreads);
  const profile = usePart(store, (state) => state.profile);
  const [found, setFound] = useState<RangeFigures | { problem: string } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setFound(null);
    const wait = setTimeout(() => {
      if (!range || span(range) <= 0) return;
      rangeFigures(store.path, threads ?? [profile], range).then(
        (figures) => isCurrent && setFound(figures),
        (error: Error) => isCurrent && setFound({ problem: error.message }),
      );
    }, REST_MS);
    return () => {
      isCurrent = false;
      clearTimeout(wait);
    };
  }, [store, range, threads, profile]);
  return found;
}

function Figures({ store, figures }: { store: ViewerStore; figures: RangeFigures }) {
  const { unit, functions, functionCount, counters, threads } = figures;
  const heaviest = functions[0]?.self || 1;
  const profile = threads.length === 1 ? threads[0]!.handle : null;
  return (
    <details class="range-figures" open={matchMedia("(min-width: 821px)").matches}>
      <summary>{[spokenTimes(figures), spokenCalls(figures)].filter(Boolean).join(" · ") || "Figures"}</summary>
      {functions.length === 0 && <p class="note">Nothing ran in it.</p>}
      <ol class="bars" aria-label="Heaviest functions by self">
        {functions.map((one) => (
          <li key={one.handle}>
            <button
              type="button"
              title={`${one.name}: self ${formatValue(one.self, unit)}, total ${formatValue(one.total, unit)}`}
              onClick={() => void goTo(store, one.handle, { profile }).catch((e: Error) => store.report(e.message))}
            >
              <span class="bar" style={{ width: `${(one.self / heaviest) * 100}%` }} aria-hidden="true" />
              <bdi>{one.name}</bdi>
              <span class="bar-value">
                {formatValue(one.self, unit)} <i>{formatShare(one.share)}</i>
              </span>
            </button>
          </li>
        ))}
      </ol>
      {functionCount > functions.length && <p class="note">{functionCount - functions.length} more functions</p>}
      {counters.map(({ name, lowest, highest, last }) => (
        <p key={name} class="note">
          <bdi>{name}</bdi>: {lowest} to {highest}, last {last}
        </p>
      ))}
    </details>
  );
}

function Copy({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => setCopied(false), [text]);
  return (
    <button
      type="button"
      class="icon-button"
      aria-label="Copy the figures"
      title={copied ? "Copied" : "Copy the figures"}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      <Icon name={copied ? "check" : "copy"} />
    </button>
  );
}
