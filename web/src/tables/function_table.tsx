/** The table of functions: of the thread in sight, of all threads added up or of each. */
import { useMemo, useState } from "preact/hooks";
import { usePart } from "../store.ts";
import { formatCount, formatPlace, formatValue } from "../viewer/values.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { pathOf, useAnswer, useRange, useTransforms } from "./answers.ts";
import { Amount, NameText, threadLabel } from "./cells.tsx";
import { chosenFunction, showInChart } from "./choosing.ts";
import { csvOf, fileNameOf, saveCsv } from "./csv.ts";
import { columnTitles, csvRows } from "./function_columns.ts";
import { FunctionRows, type Column, type FunctionAnswer, type Scope } from "./function_rows.ts";
import { Grid } from "./grid.tsx";

const SCOPES: [Scope, string][] = [
  ["thread", "This thread"],
  ["all", "All threads added up"],
  ["each", "Each thread"],
];
/** Columns whose first order is from A to Z. */
const TEXTS: ReadonlySet<string> = new Set(["name", "file", "thread"]);

export function FunctionTable({ store }: { store: ViewerStore }) {
  const profile = usePart(store, (state) => state.profile);
  const range = useRange(store);
  const transforms = useTransforms(store);
  const [scope, setScope] = useState<Scope>("thread");
  const [words, setWords] = useState("");
  const [sort, setSort] = useState<{ column: Column; isDescending: boolean }>({ column: "self", isDescending: true });
  const answer = useAnswer<FunctionAnswer>(
    pathOf(store, "function-table", {
      profile: scope === "thread" ? profile : scope,
      start: range?.start ?? null,
      end: range?.end ?? null,
      transforms,
    }),
  );
  const found = useMemo(() => (answer && "value" in answer ? new FunctionRows(answer.value) : null), [answer]);
  const ordered = useMemo(
    () => found?.sorted(found.columns().includes(sort.column) ? sort.column : "self", sort.isDescending),
    [found, sort],
  );
  const rows = useMemo(() => (found && ordered ? found.filtered(ordered, words) : null), [found, ordered, words]);
  const by = (column: string) =>
    setSort({
      column: column as Column,
      isDescending: column === sort.column ? !sort.isDescending : !TEXTS.has(column),
    });
  return (
    <>
      <div class="table-bar">
        {store.profiles.length > 1 && (
          <select
            aria-label="Threads of the table"
            value={scope}
            onChange={(event) => setScope(event.currentTarget.value as Scope)}
          >
            {SCOPES.map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        )}
        <input
          type="search"
          aria-label="Filter functions"
          placeholder="Filter functions and files"
          spellcheck={false}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && setWords("")}
        />
        <output class="note" aria-live="polite">
          {found &&
            rows &&
            countOf(rows.length, found, range ? formatValue(range.end - range.start, "nanoseconds") : "")}
        </output>
        {found && rows && (
          <button
            type="button"
            disabled={rows.length === 0}
            title="Download the rows that are shown, in their order"
            onClick={() => {
              const { header, cells } = csvRows(found, rows);
              saveCsv(csvOf(header, cells), fileNameOf(store.trace.name, "functions"));
            }}
          >
            CSV
          </button>
        )}
      </div>
      {answer && "problem" in answer && <p role="alert">{answer.problem}</p>}
      {!answer && (
        <p class="note" role="status">
          Adding up functions…
        </p>
      )}
      {found && rows && <Rows {...{ store, found, rows, profile, sort, by }} />}
    </>
  );
}

interface RowsProps {
  store: ViewerStore;
  found: FunctionRows;
  rows: Int32Array;
  profile: string;
  sort: { column: Column; isDescending: boolean };
  by: (column: string) => void;
}

function Rows({ store, found, rows, profile, sort, by }: RowsProps) {
  const chosen = usePart(store, () => chosenFunction(store));
  const selected = useMemo(() => (chosen ? found.find(rows, chosen, profile) : -1), [found, rows, chosen, profile]);
  const { unit, axis, scopeTotal, threads } = found.answer;
  const isOfThread = (handle: string) => store.profiles.some((one) => one.handle === handle);
  const text = (index: number, column: Column) => {
    const row = found.row(rows[index]!);
    if (column === "name") return <NameText text={row.name} />;
    if (column === "file") return row.file && <NameText text={formatPlace(row.file, row.line) ?? ""} />;
    if (column === "thread") return <NameText text={threadLabel(row.thread.name)} />;
    if (column === "self" || column === "total") return <Amount value={row[column]} unit={unit} of={scopeTotal} />;
    if (Number.isNaN(row[column])) return "";
    return column === "count" ? formatCount(row.count) : formatValue(row[column], column === "mean" ? unit : axis);
  };
  return (
    <Grid
      label="Functions"
      columns={columnTitles(found)}
      count={rows.length}
      keyOf={(index) => String(rows[index])}
      cell={(index, column) => text(index, column as Column)}
      selected={selected}
      sorting={{ column: sort.column, isDescending: sort.isDescending, by }}
      choose={(index) => {
        const { handle, thread } = found.row(rows[index]!);
        const where = threads.length > 0 && isOfThread(thread.handle) ? thread.handle : profile;
        void showInChart(store, handle, where).catch((error: Error) => store.report(error.message));
      }}
      empty={found.length === 0 ? "No function weighs anything here." : "No function, file or thread has these words."}
    />
  );
}

function countOf(shown: number, found: FunctionRows, range: string): string {
  const { leftOut, moreThreads, threads } = found.answer;
  const isByThread = found.columns().includes("thread");
  const parts = [
    shown === found.length
      ? `${formatCount(shown)} ${shown === 1 ? "row" : "rows"}`
      : `${formatCount(shown)} of ${formatCount(found.length)} rows`,
    range && `within ${range}`,
    isByThread && `${formatCount(threads.length)} threads`,
    moreThreads > 0 && `${formatCount(moreThreads)} quieter ones left out`,
    leftOut > 0 && `${formatCount(leftOut)} that measure something else left out`,
  ];
  return parts.filter(Boolean).join(", ");
}
