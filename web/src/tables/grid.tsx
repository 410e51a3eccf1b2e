/** A table of very many rows of which only those in sight are rendered; one stop of the Tab key, walked by arrows. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

export interface GridColumn {
  key: string;
  title: string;
  /** What the title means, in words. */
  hint?: string;
  /** As CSS has the width of a column. */
  width: string;
  isText?: boolean;
  /** Whether rows can be put in order by it. */
  sorts?: boolean;
}

/** Of a row of a tree. */
export interface TreePlace {
  level: number;
  /** Null for what has nothing below. */
  isOpen: boolean | null;
}

interface GridProps {
  label: string;
  columns: GridColumn[];
  count: number;
  /** What distinguishes a row. */
  keyOf: (index: number) => string;
  cell: (index: number, column: string) => ComponentChildren;
  /** The row that the chart has selected, -1 for none. */
  selected: number;
  choose: (index: number) => void;
  sorting?: { column: string; isDescending: boolean; by: (column: string) => void };
  tree?: (index: number) => TreePlace;
  /** Returns whether it did something with the key. */
  press?: (event: KeyboardEvent, index: number, go: (index: number) => void) => boolean;
  /** Stands where there are no rows. */
  empty?: ComponentChildren;
}

export const GRID_ROW = 24;
const MARGIN = 6;

export function Grid({ label, columns, count, keyOf, cell, selected, choose, sorting, tree, press, empty }: GridProps) {
  const id = useId();
  const grid = useRef<HTMLDivElement>(null);
  const [at, setActive] = useState(0);
  const active = useRef(0); // keys may come faster than rows are rendered
  const setAt = (index: number) => {
    active.current = index;
    setActive(index);
  };
  const [sight, setSight] = useState({ top: 0, height: 400 });
  const look = () => {
    const element = grid.current;
    if (element) setSight({ top: element.scrollTop, height: element.clientHeight });
  };
  useEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(grid.current!);
    return () => observer.disconnect();
  }, []);
  const go = (index: number) => {
    const element = grid.current;
    if (!element) return;
    const next = Math.max(0, Math.min(count - 1, index));
    setAt(next);
    const top = next * GRID_ROW;
    const room = element.clientHeight - GRID_ROW; // the titles stay over the rows
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + GRID_ROW > element.scrollTop + room) element.scrollTop = top + GRID_ROW - room;
  };
  const selectedKey = selected >= 0 ? keyOf(selected) : null;
  useEffect(() => {
    if (selected >= 0) go(selected);
  }, [selectedKey]); // not where rows before it came or went
  useEffect(() => {
    if (at >= count) setAt(Math.max(0, count - 1));
  }, [count]);

  const keys = (event: KeyboardEvent) => {
    if (event.target !== grid.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const now = active.current;
    const page = Math.max(1, Math.floor(sight.height / GRID_ROW) - 2);
    const steps: Record<string, number> = {
      ArrowDown: now + 1,
      ArrowUp: now - 1,
      PageDown: now + page,
      PageUp: now - page,
      Home: 0,
      End: count - 1,
    };
    const step = steps[event.key];
    if (count > 0 && press?.(event, now, go)) event.preventDefault();
    else if (step !== undefined) go(step);
    else if ((event.key === "Enter" || event.key === " ") && count > 0) choose(now);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const first = Math.max(0, Math.min(count, Math.floor(sight.top / GRID_ROW)) - MARGIN);
  const last = Math.min(count, Math.ceil((sight.top + sight.height) / GRID_ROW) + MARGIN);
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset);
  const template = { gridTemplateColumns: columns.map((column) => column.width).join(" ") };
  return (
    <div
      class="grid"
      role={tree ? "treegrid" : "grid"}
      ref={grid}
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-activedescendant={at >= first && at < last ? `${id}-${at}` : undefined}
      onKeyDown={keys}
      onScroll={look}
    >
      <div role="row" class="grid-row grid-head" aria-rowindex={1} style={template}>
        {columns.map((column) => (
          <Title key={column.key} column={column} sorting={sorting} />
        ))}
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${count * GRID_ROW}px` }}>
        {shown.map((index) => {
          const place = tree?.(index);
          return (
            <div
              key={keyOf(index)}
              id={`${id}-${index}`}
              role="row"
              class="grid-row"
              style={{ ...template, top: `${index * GRID_ROW}px` }}
              aria-rowindex={index + 2}
              aria-selected={index === selected}
              aria-level={place?.level}
              aria-expanded={place?.isOpen ?? undefined}
              data-active={index === at || undefined}
              onClick={() => {
                setAt(index);
                choose(index);
              }}
            >
              {columns.map((column) => (
                <div key={column.key} role="gridcell" class={column.isText ? "grid-text" : "grid-figure"}>
                  {cell(index, column.key)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
      {count === 0 && <div class="grid-empty note">{empty}</div>}
    </div>
  );
}

function Title({ column, sorting }: { column: GridColumn; sorting: GridProps["sorting"] }) {
  const isBy = sorting?.column === column.key;
  const direction = isBy ? (sorting.isDescending ? "descending" : "ascending") : "none";
  return (
    <div
      role="columnheader"
      class={column.isText ? "grid-text" : "grid-figure"}
      aria-sort={sorting && column.sorts ? direction : undefined}
      title={column.hint}
    >
      {sorting && column.sorts ? (
        <button type="button" onClick={() => sorting.by(column.key)}>
          {column.title}
          {isBy && <span aria-hidden="true">{sorting.isDescending ? " ↓" : " ↑"}</span>}
        </button>
      ) : (
        column.title
      )}
    </div>
  );
}
