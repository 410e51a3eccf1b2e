/** `node web/bench/function_rows.ts`: how long a table of 50,000 functions takes to be put in order and filtered, in time of the processor. */
import { cpus } from "node:os";
import { FunctionRows, type Column, type FunctionAnswer } from "../src/tables/function_rows.ts";

const ROWS = 50_000;
const ROUNDS = 9;
const TARGET_MS = 50;

/** Names as C++ and JavaScript have them, values that differ, half of the functions with calls. */
function made(): FunctionAnswer {
  const places = Array.from({ length: ROWS }, (_, index) => index);
  const value = (index: number) => Math.imul(index + 1, 0x9e3779b1) >>> 8;
  const word = (index: number) => value(index).toString(36);
  return {
    unit: "nanoseconds",
    axis: "nanoseconds",
    scopeTotal: 1e12,
    counted: "calls",
    leftOut: 0,
    moreThreads: 0,
    threads: [{ handle: "p0", name: "main" }],
    frames: {
      ids: places,
      names: places.map((index) => `std::vector<${word(index)}>::${word(index * 7)}(${word(index * 3)} const&)`).sort(),
      files: places.map((index) => index % 2_000),
      lines: places,
    },
    files: Array.from({ length: 2_000 }, (_, index) => `src/${word(index)}/${word(index * 5)}.cpp`).sort(),
    columns: {
      frame: places.map((index) => value(index) % ROWS),
      self: places.map(value),
      total: places.map((index) => value(index) + value(index + 1)),
      count: places.map((index) => value(index) % 1_000),
      mean: places.map((index) => (index % 2 ? null : value(index))),
      p50: places.map((index) => (index % 2 ? null : value(index))),
      p99: places.map((index) => (index % 2 ? null : value(index) * 3)),
    },
  };
}

function took(work: () => unknown): number {
  const began = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1_000;
}

const answer = made();
const columns: Column[] = ["self", "total", "count", "mean", "p50", "p99", "name", "file"];
const work: [string, (rows: FunctionRows) => unknown][] = [
  ...columns.map((column): [string, (rows: FunctionRows) => unknown] => [
    `sort by ${column}, and filter`,
    (rows) => rows.filtered(rows.sorted(column, true), "a1"),
  ]),
  ["filter again", (rows) => rows.filtered(rows.sorted("self", true), "vector<b")],
];
console.log(`${cpus()[0]?.model}, Node ${process.version}; ${ROWS} functions, target ${TARGET_MS} ms`);
for (const [name, step] of work) {
  const times = Array.from({ length: ROUNDS }, () => {
    const rows = new FunctionRows(answer);
    rows.filtered(new Int32Array(), "warm"); // names are made small once, when the table is opened
    if (name === "filter again") rows.sorted("self", true);
    return took(() => step(rows));
  }).sort((a, b) => a - b);
  console.log(`${name.padEnd(30)} median ${times[4]!.toFixed(1)} ms, most ${times.at(-1)!.toFixed(1)} ms`);
}
