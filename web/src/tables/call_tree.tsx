/** The call tree as a table: from where stacks begin down to what they call, or from functions up to their callers. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { json } from "../api.ts";
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { formatCount, formatPlace, formatValue } from "../viewer/values.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { pathOf, useRange, useTransforms } from "./answers.ts";
import { Amount, NameText } from "./cells.tsx";
import { chosenFunction, showInChart } from "./choosing.ts";
import { csvOf, fileNameOf, saveCsv } from "./csv.ts";
import { countedTitle } from "./function_columns.ts";
import { Grid, type GridColumn } from "./grid.tsx";
import { EMPTY_TREE, shownRows, toggled, withAnswer, type ShownRow, type Tree, type TreeAnswer } from "./tree_rows.ts";

type Order = "callees" | "callers";
/** Rows of a level that come at once. */
const AT_ONCE = 200;
/** Levels that one key opens along the heaviest path. */
const MOST_STEPS = 50;

export function CallTree({ store }: { store: ViewerStore }) {
  return <TreeTable store={store} order="callees" />;
}

export function CallersTree({ store }: { store: ViewerStore }) {
  return <TreeTable store={store} order="callers" />;
}

function TreeTable({ store, order }: { store: ViewerStore; order: Order }) {
  const profile = usePart(store, (state) => state.profile);
  const range = useRange(store);
  const transforms = useTransforms(store);
  const [isAll, setAll] = useState(false);
  const scope = isAll ? "all" : profile;
  return (
    <>
      {store.profiles.length > 1 && (
        <div class="table-bar">
          <select
            aria-label="Threads of the tree"
            value={isAll ? "all" : "thread"}
            onChange={(event) => setAll(event.currentTarget.value === "all")}
          >
            <option value="thread">This thread</option>
            <option value="all">All threads added up</option>
          </select>
          {range && <span class="note">within {formatValue(range.end - range.start, "nanoseconds")}</span>}
        </div>
      )}
      <Levels
        key={`${scope} ${range?.start} ${range?.end} ${transforms}`}
        {...{ store, order, scope, range, transforms }}
      />
    </>
  );
}

interface LevelsProps {
  store: ViewerStore;
  order: Order;
  /** A thread's handle, or `all`. */
  scope: string;
  range: { start: number; end: number } | null;
  transforms: string | null;
}

function Levels({ store, order, scope, range, transforms }: LevelsProps) {
  const [tree, setTree] = useState<Tree>(EMPTY_TREE);
  const [about, setAbout] = useState<Omit<TreeAnswer, "levels"> | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const latest = useRef(tree);
  const abort = useRef(new AbortController());
  const keep = (next: Tree) => {
    latest.current = next;
    setTree(next);
  };
  /** Have the level below a row, or more of it. */
  const load = async (key: string, node: string | null): Promise<void> => {
    const query = {
      profile: scope,
      order,
      node: order === "callees" ? node : null,
      callers: order === "callers" && key ? key : null,
      limit: AT_ONCE,
      offset: latest.current.levels.get(key)?.rows.length ?? 0,
      start: range?.start ?? null,
      end: range?.end ?? null,
      transforms,
    };
    try {
      const { levels, ...rest } = await json<TreeAnswer>(pathOf(store, "call-tree", query), {
        signal: abort.current.signal,
      });
      keep(withAnswer(latest.current, key, levels));
      setAbout(rest);
    } catch (error) {
      if (!abort.current.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  useEffect(() => {
    void load("", null);
    return () => abort.current.abort();
  }, []);
  const rows = useMemo(() => shownRows(tree), [tree]);
  const open = async ({ key, row }: ShownRow): Promise<void> => {
    if (!row?.hasChildren) return;
    if (latest.current.levels.has(key)) keep(toggled(latest.current, key));
    else await load(key, row.node);
  };
  /** Open the heaviest path below a row. */
  const openHeaviest = async (key: string): Promise<void> => {
    for (let step = 0; step < MOST_STEPS && !abort.current.signal.aborted; step++) {
      const shown = shownRows(latest.current);
      const index = shown.findIndex((one) => one.key === key);
      const at = shown[index];
      if (!at?.row?.hasChildren) return;
      if (!latest.current.open.has(key)) await open(at);
      const child = shownRows(latest.current)[index + 1];
      if (!child?.row || child.parent !== key) return;
      key = child.key;
    }
  };
  const chosen = usePart(store, () => chosenFunction(store));
  const chosenNode = usePart(store, () => store.selectedHandle());
  const selected = useMemo(() => {
    const byNode = rows.findIndex(({ row }) => row !== null && row.node === chosenNode);
    return byNode >= 0 ? byNode : rows.findIndex(({ row }) => row !== null && row.frame === chosen);
  }, [rows, chosen, chosenNode]);
  const choose = (index: number) => {
    const { row, parent } = rows[index]!;
    if (!row) {
      const above = rows.find(({ key }) => key === parent)?.row;
      return void load(parent, above?.node ?? null);
    }
    const handle = order === "callees" ? row.node : row.frame;
    void showInChart(store, handle, scope === "all" ? store.read().profile : scope).catch((error: Error) =>
      store.report(error.message),
    );
  };
  const press = (event: KeyboardEvent, index: number, go: (index: number) => void): boolean => {
    const at = rows[index]!;
    const isOpen = tree.open.has(at.key);
    if (event.key === "ArrowRight" && event.shiftKey) void openHeaviest(at.key);
    else if (event.key === "ArrowRight" && at.row?.hasChildren) {
      if (isOpen) go(index + 1);
      else void open(at);
    } else if (event.key === "ArrowLeft" && isOpen) void open(at);
    else if (event.key === "ArrowLeft") go(rows.findIndex(({ key }) => key === at.parent));
    else return false;
    return true;
  };
  if (problem) return <p role="alert">{problem}</p>;
  if (!about)
    return (
      <p class="note" role="status">
        Adding up call paths…
      </p>
    );
  const { unit, scopeTotal, counted } = about;
  const cell = (index: number, column: string) => {
    const { row, more, level, key } = rows[index]!;
    if (column === "name")
      return (
        <span class="tree-name" style={{ paddingLeft: `${Math.min(level - 1, MOST_INDENTS) * 12}px` }}>
          {row?.hasChildren ? (
            <span
              class="tree-twisty"
              onClick={(event) => {
                event.stopPropagation();
                void open(rows[index]!);
              }}
            >
              <Icon name={tree.open.has(key) ? "down" : "next"} />
            </span>
          ) : (
            <span class="tree-twisty" />
          )}
          {row ? <NameText text={row.name} /> : <em>{formatCount(more!.rows)} more, lighter ones: show</em>}
        </span>
      );
    if (!row) return column === "total" ? <Amount value={more!.value} unit={unit} of={scopeTotal} /> : "";
    if (column === "file") return row.file && <NameText text={formatPlace(row.file, row.line) ?? ""} />;
    if (column === "count") return row.count === null ? "" : formatCount(row.count);
    return <Amount value={column === "self" ? row.self : row.total} unit={unit} of={scopeTotal} />;
  };
  return (
    <>
      <div class="table-bar">
        <output class="note">
          {formatCount(rows.length)} {rows.length === 1 ? "row" : "rows"}
        </output>
        <button
          type="button"
          title="Download the rows that are shown"
          onClick={() => saveCsv(csvOfTree(rows, about), fileNameOf(store.trace.name, order))}
        >
          CSV
        </button>
      </div>
      <Grid
        label={order === "callees" ? "Call tree" : "Callers of functions"}
        columns={columnsOf(order, counted, rows)}
        count={rows.length}
        keyOf={(index) => rows[index]!.key}
        cell={cell}
        selected={selected}
        choose={choose}
        tree={(index) => ({
          level: rows[index]!.level,
          isOpen: rows[index]!.row?.hasChildren ? tree.open.has(rows[index]!.key) : null,
        })}
        press={press}
        empty="No call path weighs anything here."
      />
    </>
  );
}

const MOST_INDENTS = 40;

function columnsOf(order: Order, counted: string | null, rows: ShownRow[]): GridColumn[] {
  const isDown = order === "callees";
  const count = counted === null ? [] : [{ key: "count", title: countedTitle(counted), width: "100px" }];
  const hasFiles = rows.some(({ row }) => row?.file);
  return [
    {
      key: "name",
      title: isDown ? "Call path" : "Function, its callers below",
      width: "minmax(240px, 4fr)",
      isText: true,
    },
    {
      key: "total",
      title: isDown ? "Total" : "Self by this way",
      hint: isDown
        ? "What the path spent, with what it called"
        : "What the function at the top spent itself when called this way",
      width: "128px",
    },
    ...(isDown ? [{ key: "self", title: "Self", hint: "What the path spent itself", width: "124px" }] : []),
    ...count,
    ...(hasFiles ? [{ key: "file", title: "File", width: "minmax(110px, 2fr)", isText: true }] : []),
  ];
}

function csvOfTree(rows: ShownRow[], { unit, scopeTotal, counted }: Omit<TreeAnswer, "levels">): string {
  const suffix = unit === "nanoseconds" ? "ns" : unit;
  const share = (value: number) => (scopeTotal > 0 ? value / scopeTotal : null);
  const header = [
    "depth",
    "function",
    "file",
    "line",
    `total_${suffix}`,
    "total_share",
    `self_${suffix}`,
    "self_share",
  ];
  const cells = rows.flatMap(({ row, level }) =>
    row
      ? [
          [
            ...[level - 1, row.name, row.file, row.line, row.total, share(row.total), row.self, share(row.self)],
            ...(counted === null ? [] : [row.count]),
          ],
        ]
      : [],
  );
  return csvOf([...header, ...(counted === null ? [] : [counted === "calls" ? "calls" : "own_counts"])], cells);
}
