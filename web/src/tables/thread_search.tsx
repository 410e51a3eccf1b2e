/**
 * A search over all threads: how much each has, a list of all matches, and steps from one to the next across threads.
 */
import { useEffect, useMemo, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { formatCount, formatPlace, formatValue } from "../viewer/values.ts";
import type { Unit } from "../viewer/view_bytes.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { pathOf, useAnswer } from "./answers.ts";
import { NameText, threadLabel } from "./cells.tsx";
import { chosenFunction, showInChart } from "./choosing.ts";
import { countedName } from "./function_columns.ts";
import { Grid, type GridColumn } from "./grid.tsx";

interface SearchAnswer {
  threads: {
    handle: string;
    name: string;
    unit: Unit;
    functions: number;
    self: number;
    count: number | null;
    counted: string | null;
  }[];
  matches: {
    /** A place in the threads. */
    thread: number;
    frame: string;
    name: string;
    file: string | null;
    line: number | null;
    self: number;
    total: number;
    count: number | null;
  }[];
  total: number;
  /** What an expression finds, by number; null of plain text, which the chart finds itself. */
  frames: number[] | null;
}

const COLUMNS: GridColumn[] = [
  { key: "name", title: "Function", width: "minmax(150px, 3fr)", isText: true },
  { key: "thread", title: "Thread", width: "minmax(110px, 2fr)", isText: true },
  { key: "self", title: "Self", width: "84px" },
  { key: "total", title: "Total", width: "84px" },
  { key: "count", title: "Count", hint: "Calls, samples or events, as the thread has them", width: "118px" },
  { key: "file", title: "File", width: "minmax(110px, 2fr)", isText: true },
];
/** Matches that are listed at most; the counts of threads are of all. */
const LISTED = 1_000;
const NOTHING: SearchAnswer = { threads: [], matches: [], total: 0, frames: null };

export function ThreadSearch({ store }: { store: ViewerStore }) {
  const search = usePart(store, (state) => state.search);
  const [words, setWords] = useState(search.words);
  const [isExpression, setExpression] = useState(search.frames !== null);
  const answer = useAnswer<SearchAnswer>(
    words.trim()
      ? pathOf(store, "thread-search", {
          words: words.trim(),
          syntax: isExpression ? "regex" : "text",
          limit: LISTED,
        })
      : null,
  );
  const found = words.trim() ? (answer && "value" in answer ? answer.value : null) : NOTHING;
  useEffect(() => {
    if (found) store.search(words.trim(), found.frames && new Set(found.frames));
  }, [found]);
  useEffect(() => {
    if (search.words !== words.trim() && document.activeElement?.closest(".tables") === null) {
      setWords(search.words); // the toolbar searches too
      setExpression(search.frames !== null);
    }
  }, [search.words]);
  return (
    <>
      <div class="table-bar">
        <input
          type="search"
          aria-label="Search all threads"
          placeholder={isExpression ? "Regular expression" : "Functions and files of all threads"}
          spellcheck={false}
          maxLength={200}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && setWords("")}
        />
        <label>
          <input
            type="checkbox"
            checked={isExpression}
            onChange={(event) => setExpression(event.currentTarget.checked)}
          />{" "}
          Regular expression
        </label>
        {found && found.total > 0 && <Steps store={store} found={found} />}
      </div>
      {words.trim() !== "" && answer && "problem" in answer && <p role="alert">{answer.problem}</p>}
      {words.trim() !== "" && !answer && (
        <p class="note" role="status">
          Searching all threads…
        </p>
      )}
      {found && <Matches store={store} found={found} isAsked={words.trim() !== ""} />}
    </>
  );
}

/** The match that the chart shows, -1 for none. */
function useShown(store: ViewerStore, found: SearchAnswer): number {
  const profile = usePart(store, (state) => state.profile);
  const frame = usePart(store, () => chosenFunction(store));
  return useMemo(
    () => found.matches.findIndex((one) => one.frame === frame && found.threads[one.thread]!.handle === profile),
    [found, frame, profile],
  );
}

function show(store: ViewerStore, found: SearchAnswer, index: number): void {
  const match = found.matches[index];
  if (!match) return;
  const thread = found.threads[match.thread]!.handle;
  void showInChart(store, match.frame, thread).catch((error: Error) => store.report(error.message));
}

function Steps({ store, found }: { store: ViewerStore; found: SearchAnswer }) {
  const at = useShown(store, found);
  const count = found.matches.length;
  const step = (by: 1 | -1) => show(store, found, at < 0 ? (by > 0 ? 0 : count - 1) : (at + by + count) % count);
  const all =
    found.total > count ? `${formatCount(found.total)}, the first ${formatCount(count)} listed` : formatCount(count);
  return (
    <>
      <output class="note" aria-live="polite">
        {at < 0 ? "" : `${formatCount(at + 1)} of `}
        {all} in {formatCount(found.threads.length)} {found.threads.length === 1 ? "thread" : "threads"}
      </output>
      <span class="button-group">
        <button
          type="button"
          class="icon-button"
          aria-label="Previous match in all threads"
          title="Previous match in all threads"
          onClick={() => step(-1)}
        >
          <Icon name="up" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Next match in all threads"
          title="Next match in all threads"
          onClick={() => step(1)}
        >
          <Icon name="down" />
        </button>
      </span>
    </>
  );
}

function Matches({ store, found, isAsked }: { store: ViewerStore; found: SearchAnswer; isAsked: boolean }) {
  const selected = useShown(store, found);
  const profile = usePart(store, (state) => state.profile);
  const firstOf = (thread: number) => found.matches.findIndex((match) => match.thread === thread);
  const cell = (index: number, column: string) => {
    const match = found.matches[index]!;
    const thread = found.threads[match.thread]!;
    if (column === "name") return <NameText text={match.name} />;
    if (column === "thread") return <NameText text={threadLabel(thread.name)} />;
    if (column === "file") return match.file && <NameText text={formatPlace(match.file, match.line) ?? ""} />;
    if (column === "count")
      return match.count === null ? "" : `${formatCount(match.count)} ${countedName(thread.counted, match.count)}`;
    return formatValue(column === "self" ? match.self : match.total, thread.unit);
  };
  return (
    <>
      {found.threads.length > 1 && (
        <ul class="match-threads" aria-label="Threads with matches">
          {found.threads.slice(0, MOST_THREADS).map((thread, place) => (
            <li key={thread.handle}>
              <button
                type="button"
                aria-pressed={thread.handle === profile}
                disabled={firstOf(place) < 0}
                onClick={() => show(store, found, firstOf(place))}
              >
                <NameText text={threadLabel(thread.name)} />{" "}
                <i>
                  {formatCount(thread.functions)}
                  {thread.count !== null &&
                    ` · ${formatCount(thread.count)} ${countedName(thread.counted, thread.count)}`}
                </i>
              </button>
            </li>
          ))}
          {found.threads.length > MOST_THREADS && (
            <li class="note">and {formatCount(found.threads.length - MOST_THREADS)} threads with less</li>
          )}
        </ul>
      )}
      <Grid
        label="Matches"
        columns={found.matches.some(({ file }) => file) ? COLUMNS : COLUMNS.filter(({ key }) => key !== "file")}
        count={found.matches.length}
        keyOf={(index) => `${found.matches[index]!.thread} ${found.matches[index]!.frame}`}
        cell={cell}
        selected={selected}
        choose={(index) => show(store, found, index)}
        empty={isAsked ? "Nothing in any thread has this in its name or file." : "Words to look for, in every thread."}
      />
    </>
  );
}

const MOST_THREADS = 60;
