/** A call tree of which levels come as they are opened: what is loaded, what is open, and the rows that are shown. */
import type { Unit } from "../viewer/view_bytes.ts";

export interface TreeRow {
  node: string;
  frame: string;
  name: string;
  file: string | null;
  line: number | null;
  self: number;
  total: number;
  count: number | null;
  hasChildren: boolean;
}

export interface TreeLevel {
  rows: TreeRow[];
  /** Rows that were not sent, and what they have together. */
  moreRows: number;
  moreValue: number;
}

export interface TreeAnswer {
  /** The level asked for, then those below it for as long as each is one row. */
  levels: TreeLevel[];
  unit: Unit;
  scopeTotal: number;
  counted: string | null;
}

/** A row that is shown; `row` is null of the line that stands for rows not loaded. */
export interface ShownRow {
  key: string;
  /** The key of the row above it in the tree, empty for roots. */
  parent: string;
  /** From 1. */
  level: number;
  row: TreeRow | null;
  more: { rows: number; value: number } | null;
}

/**
 * By the key of a row, which is its functions from the root on (`f7.f3`): the level below it, and whether it is open.
 */
export interface Tree {
  levels: ReadonlyMap<string, TreeLevel>;
  open: ReadonlySet<string>;
}

export const EMPTY_TREE: Tree = { levels: new Map(), open: new Set() };

export function keyBelow(parent: string, row: TreeRow): string {
  return parent ? `${parent}.${row.frame}` : row.frame;
}

/** The tree with an answer to what stands below a row: appended to what is there, and open as far as it goes. */
export function withAnswer(tree: Tree, parent: string, answer: TreeLevel[]): Tree {
  const levels = new Map(tree.levels);
  const open = new Set(tree.open);
  let key = parent;
  answer.forEach((level, index) => {
    const before = index === 0 ? (levels.get(key)?.rows ?? []) : [];
    levels.set(key, { ...level, rows: [...before, ...level.rows] });
    if (key) open.add(key);
    if (level.rows[0]) key = keyBelow(key, level.rows[0]);
  });
  return { levels, open };
}

export function toggled(tree: Tree, key: string): Tree {
  const open = new Set(tree.open);
  if (!open.delete(key)) open.add(key);
  return { ...tree, open };
}

/** The rows in their order, without recursion: stacks may be thousands deep. */
export function shownRows({ levels, open }: Tree): ShownRow[] {
  const shown: ShownRow[] = [];
  const pending: ShownRow[] = [];
  const push = (parent: string, depth: number) => {
    const level = levels.get(parent);
    if (!level) return;
    const more = level.moreRows > 0 ? { rows: level.moreRows, value: level.moreValue } : null;
    if (more) pending.push({ key: `${parent}…`, parent, level: depth, row: null, more });
    for (const row of level.rows.toReversed())
      pending.push({ key: keyBelow(parent, row), parent, level: depth, row, more: null });
  };
  push("", 1);
  for (let next = pending.pop(); next; next = pending.pop()) {
    shown.push(next);
    if (next.row && open.has(next.key)) push(next.key, next.level + 1);
  }
  return shown;
}
