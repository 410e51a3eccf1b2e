/**
 * All functions of a thread, of all threads added up or of each, as columns: their order by any column, and which of
 * them a filter leaves.
 */
import { ascending, SearchedTexts } from "./ordering.ts";
import type { Unit } from "../viewer/view_bytes.ts";

/** Whose functions: of the thread in sight, of all threads added up, or of each thread with a row of its own. */
export type Scope = "thread" | "all" | "each";
export type Column = "name" | "self" | "total" | "count" | "mean" | "p50" | "p99" | "file" | "thread";

/**
 * As the server answers: `frame` counts in `frames`, `frames.files` in `files`, `thread` in `threads`; frames and
 * files stand in the order of their names.
 */
export interface FunctionAnswer {
  unit: Unit;
  /** Of what single calls took. */
  axis: Unit;
  /** What a share of 1 stands for. */
  scopeTotal: number;
  /** What `count` is a number of: `calls`, `samples`, or events of that name; null for none. */
  counted: string | null;
  /** Threads that measure something else. */
  leftOut: number;
  /** Threads past the bound. */
  moreThreads: number;
  threads: { handle: string; name: string }[];
  frames: { ids: number[]; names: string[]; files: number[]; lines: (number | null)[] };
  files: (string | null)[];
  columns: { frame: number[]; self: number[]; total: number[] } & Partial<
    Record<"thread" | "count" | "mean" | "p50" | "p99", (number | null)[]>
  >;
}

export interface FunctionRow {
  handle: string;
  name: string;
  file: string | null;
  line: number | null;
  thread: { handle: string; name: string };
  self: number;
  total: number;
  /** NaN where it is not known. */
  count: number;
  mean: number;
  p50: number;
  p99: number;
}

interface Texts {
  names: SearchedTexts;
  files: SearchedTexts;
  threads: SearchedTexts;
}

export class FunctionRows {
  readonly answer: FunctionAnswer;
  readonly length: number;
  #numbers = new Map<Column, Float64Array>();
  #orders = new Map<Column, Int32Array>();
  #frame: Int32Array;
  #thread: Int32Array | null;
  #searched: Texts | null = null;

  constructor(answer: FunctionAnswer) {
    const { columns } = answer;
    this.answer = answer;
    this.length = columns.frame.length;
    this.#frame = Int32Array.from(columns.frame);
    this.#thread = columns.thread ? Int32Array.from(columns.thread as number[]) : null;
    for (const key of ["self", "total", "count", "mean", "p50", "p99"] as const) {
      const column = columns[key];
      if (column)
        this.#numbers.set(
          key,
          Float64Array.from(column, (value) => value ?? NaN),
        );
    }
  }

  /** The columns that these rows have, in the order in which they are shown. */
  columns(): Column[] {
    const measured = (["count", "mean", "p50", "p99"] as const).filter((key) => this.#numbers.has(key));
    const hasFiles = this.answer.files.some((file) => file !== null);
    return [
      ...(["name", "self", "total"] as const),
      ...measured,
      ...(hasFiles ? (["file"] as const) : []),
      ...(this.#thread ? (["thread"] as const) : []),
    ];
  }

  row(index: number): FunctionRow {
    const { frames, files, threads } = this.answer;
    const frame = this.#frame[index]!;
    const number = (key: Column) => this.#numbers.get(key)?.[index] ?? NaN;
    return {
      handle: `f${frames.ids[frame]}`,
      name: frames.names[frame]!,
      file: files[frames.files[frame]!] ?? null,
      line: frames.lines[frame] ?? null,
      thread: threads[this.#thread?.[index] ?? 0]!,
      self: number("self"),
      total: number("total"),
      count: number("count"),
      mean: number("mean"),
      p50: number("p50"),
      p99: number("p99"),
    };
  }

  /** The row of a function among some rows, in the thread where each has its own; -1 for none. */
  find(rows: Int32Array, handle: string, thread: string): number {
    const id = Number(handle.slice(1));
    const { frames, threads } = this.answer;
    return rows.findIndex(
      (row) =>
        frames.ids[this.#frame[row]!] === id && (!this.#thread || threads[this.#thread[row]!]!.handle === thread),
    );
  }

  /** All rows by a column; equal ones stay heaviest by self first, unknown values come last either way. */
  sorted(column: Column, isDescending: boolean): Int32Array {
    const order = this.#ascending(column);
    if (!isDescending) return order;
    const keys = this.#keys(column);
    const known = order.findLastIndex((row) => !Number.isNaN(keys[row]!)) + 1;
    const turned = new Int32Array(order.length);
    turned.set(order.subarray(known), known);
    for (let end = known, at = 0; end > 0;) {
      let first = end - 1;
      while (first > 0 && keys[order[first - 1]!] === keys[order[first]!]) first--;
      turned.set(order.subarray(first, end), at);
      at += end - first;
      end = first;
    }
    return turned;
  }

  /** Those of the rows whose function, file or thread has the words, whatever their case. */
  filtered(rows: Int32Array, words: string): Int32Array {
    const searched = words.trim().toLowerCase();
    if (!searched) return rows;
    const { names, files, threads } = this.#texts();
    const { frames } = this.answer;
    const [byName, byFile, byThread] = [names.with(searched), files.with(searched), threads.with(searched)];
    const isFound = byName.map((found, frame) => found | byFile[frames.files[frame]!]!);
    const kept = new Int32Array(rows.length);
    let count = 0;
    for (const row of rows)
      if (isFound[this.#frame[row]!] || (this.#thread && byThread[this.#thread[row]!])) kept[count++] = row;
    return kept.subarray(0, count);
  }

  #texts(): Texts {
    const { frames, files, threads } = this.answer;
    this.#searched ??= {
      names: new SearchedTexts(frames.names),
      files: new SearchedTexts(files.map((file) => file ?? "")),
      threads: new SearchedTexts(threads.map((thread) => thread.name)),
    };
    return this.#searched;
  }

  #ascending(column: Column): Int32Array {
    const kept = this.#orders.get(column);
    if (kept) return kept;
    const order = ascending(this.#keys(column));
    this.#orders.set(column, order);
    return order;
  }

  /** Numbers that stand in the order of a column: the server lists names and files in theirs. */
  #keys(column: Column): Float64Array {
    const kept = this.#numbers.get(column);
    if (kept) return kept;
    const { frames, files } = this.answer;
    const fileOf = (row: number) => frames.files[this.#frame[row]!]!;
    const keys = new Float64Array(this.length);
    for (let row = 0; row < this.length; row++) {
      if (column === "thread") keys[row] = this.#thread?.[row] ?? 0;
      else if (column === "file") keys[row] = files[fileOf(row)] === null ? NaN : fileOf(row);
      else keys[row] = this.#frame[row]!;
    }
    this.#numbers.set(column, keys);
    return keys;
  }
}
