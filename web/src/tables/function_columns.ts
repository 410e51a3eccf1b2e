/** The columns of the table of functions: their titles, and the same as a file. */
import type { Unit } from "../viewer/view_bytes.ts";
import type { FunctionRows } from "./function_rows.ts";
import type { GridColumn } from "./grid.tsx";

const SUFFIX: Record<Unit, string> = { nanoseconds: "ns", bytes: "bytes", count: "count" };

/** What counts are a number of, as a title: samples are a function's own, calls are calls. */
export function countedTitle(counted: string | null): string {
  if (counted === "calls") return "Calls";
  return counted === "samples" ? "Own samples" : `Own ${counted ?? "events"}`;
}

/** The same in a sentence: "1 call", "12 samples". */
export function countedName(counted: string | null, count: number): string {
  const name = counted ?? "events";
  return count === 1 && name.endsWith("s") ? name.slice(0, -1) : name;
}

/** Of the columns that these rows have. */
export function columnTitles(found: FunctionRows): GridColumn[] {
  const { counted } = found.answer;
  const all: GridColumn[] = [
    { key: "name", title: "Function", width: "minmax(170px, 3fr)", isText: true },
    { key: "self", title: "Self", hint: "What the function spent itself, without what it called", width: "124px" },
    { key: "total", title: "Total", hint: "With what it called; recursion counts once", width: "124px" },
    {
      key: "count",
      title: countedTitle(counted),
      hint: counted === "calls" ? "How often it was called" : "Those whose innermost function it is",
      width: counted === "calls" ? "70px" : "100px",
    },
    { key: "mean", title: "Mean", hint: "Total by calls", width: "74px" },
    { key: "p50", title: "p50", hint: "The median of what single calls took, with what they called", width: "74px" },
    { key: "p99", title: "p99", hint: "What 99 of 100 calls did not exceed", width: "74px" },
    { key: "file", title: "File", width: "minmax(110px, 2fr)", isText: true },
    { key: "thread", title: "Thread", width: "minmax(120px, 1fr)", isText: true },
  ];
  const shown: ReadonlySet<string> = new Set(found.columns());
  return all.filter((column) => shown.has(column.key)).map((column) => ({ ...column, sorts: true }));
}

/** Rows with all figures as the server has them; units stand in the titles. */
export function csvRows(
  found: FunctionRows,
  rows: Int32Array,
): { header: string[]; cells: Iterable<(string | number | null)[]> } {
  const { unit, axis, scopeTotal, counted } = found.answer;
  const shown: ReadonlySet<string> = new Set(found.columns());
  const [of, took] = [SUFFIX[unit], SUFFIX[axis]];
  const measured = (["count", "mean", "p50", "p99"] as const).filter((column) => shown.has(column));
  const titles = {
    count: counted === "calls" ? "calls" : `own_${(counted ?? "events").replace(/\W+/g, "_")}`,
    mean: `mean_${of}`,
    p50: `p50_${took}`,
    p99: `p99_${took}`,
  };
  const share = (value: number) => (scopeTotal > 0 ? value / scopeTotal : null);
  function* cells() {
    for (const index of rows) {
      const row = found.row(index);
      yield [
        ...[row.handle, row.name, row.file, row.line, row.thread.name],
        ...[row.self, share(row.self), row.total, share(row.total)],
        ...measured.map((column) => row[column]),
      ];
    }
  }
  return {
    header: [
      ...["handle", "function", "file", "line", "thread", `self_${of}`, "self_share", `total_${of}`, "total_share"],
      ...measured.map((column) => titles[column]),
    ],
    cells: cells(),
  };
}
