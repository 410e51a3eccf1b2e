import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf, fileNameOf } from "../src/tables/csv.ts";
import { countedTitle, csvRows } from "../src/tables/function_columns.ts";
import { ascending, SearchedTexts } from "../src/tables/ordering.ts";
import { FunctionRows, type FunctionAnswer } from "../src/tables/function_rows.ts";

const LONG = "x".repeat(5_000) + "needle" + "y".repeat(5_000);

function answer(changes: Partial<FunctionAnswer> = {}): FunctionAnswer {
  return {
    unit: "nanoseconds",
    axis: "nanoseconds",
    scopeTotal: 100,
    counted: "calls",
    leftOut: 0,
    moreThreads: 0,
    threads: [
      { handle: "p0", name: "main" },
      { handle: "p4", name: "Worker" },
    ],
    frames: { ids: [9, 7, 12], names: ["Draw<b>", "parse", LONG], files: [0, 1, 0], lines: [null, 3, null] },
    files: [null, "src/Parser.js"],
    columns: {
      frame: [1, 0, 2, 1],
      thread: [0, 0, 0, 1],
      self: [50, 30, 10, 10],
      total: [50, 90, 10, 10],
      count: [2, 3, 1, 4],
      p50: [25, null, 10, 2.5],
    },
    ...changes,
  };
}

test("rows stand in the order of any column, equal ones heaviest first, unknown values last", () => {
  const rows = new FunctionRows(answer());
  assert.deepEqual([...rows.sorted("self", true)], [0, 1, 2, 3]);
  assert.deepEqual([...rows.sorted("self", false)], [2, 3, 1, 0]);
  assert.deepEqual([...rows.sorted("p50", true)], [0, 2, 3, 1]);
  assert.deepEqual([...rows.sorted("p50", false)], [3, 2, 0, 1]);
  assert.deepEqual([...rows.sorted("name", false)], [1, 0, 3, 2]);
  assert.deepEqual([...rows.sorted("name", true)], [2, 0, 3, 1]);
  assert.deepEqual([...rows.sorted("file", false)], [0, 3, 1, 2]);
  assert.deepEqual([...rows.sorted("thread", true)], [3, 0, 1, 2]);
});

test("a radix sort orders as a comparison does, of either sign, and keeps the order of equal values", () => {
  const values = [3, -0, 0, NaN, -7.5, 1e300, -1e300, 3, 0.1, 2 ** 53, -7.5, Infinity, -Infinity, NaN, 70_000, 65_536];
  const known = values
    .map((value, row) => ({ value, row }))
    .sort((a, b) => {
      if (Number.isNaN(a.value) || Number.isNaN(b.value))
        return Number.isNaN(a.value) ? (Number.isNaN(b.value) ? 0 : 1) : -1;
      return a.value === b.value ? 0 : a.value < b.value ? -1 : 1;
    });
  assert.deepEqual(
    [...ascending(Float64Array.from(values))],
    known.map(({ row }) => row),
  );
  assert.deepEqual([...ascending(Float64Array.from([5, 5, 5]))], [0, 1, 2]);
  assert.deepEqual([...ascending(new Float64Array())], []);
});

test("texts in one piece are found one by one, never over their ends", () => {
  const texts = new SearchedTexts(["Alpha", "", "beta\0gamma", "alphabet"]);
  const found = (words: string) => [...texts.with(words)];
  assert.deepEqual(found("alpha"), [1, 0, 0, 1]);
  assert.deepEqual(found("a\0g"), [0, 0, 1, 0]);
  assert.deepEqual(found("alpha\0"), [0, 0, 0, 0]);
  assert.deepEqual(found("t"), [0, 0, 1, 1]);
  assert.deepEqual([...new SearchedTexts([]).with("a")], []);
});

test("a filter finds words in names, also in the middle of a very long one, files and threads, whatever their case", () => {
  const rows = new FunctionRows(answer());
  const found = (words: string) => [...rows.filtered(rows.sorted("self", true), words)];
  assert.deepEqual(found("NEEDLE"), [2]);
  assert.deepEqual(found(" parser.JS "), [0, 3]);
  assert.deepEqual(found("worker"), [3]);
  assert.deepEqual(found("<b>"), [1]);
  assert.deepEqual(found(""), [0, 1, 2, 3]);
  assert.deepEqual(found("no such"), []);
});

test("the row of what the chart has selected is that of its thread", () => {
  const rows = new FunctionRows(answer());
  const shown = rows.sorted("self", false);
  assert.equal(shown[rows.find(shown, "f7", "p4")], 3);
  assert.equal(shown[rows.find(shown, "f7", "p0")], 0);
  assert.equal(rows.find(shown, "f8", "p0"), -1);
});

test("columns that nothing was recorded for are not there, and samples are not called calls", () => {
  const { frame, self, total } = answer().columns;
  const bare = new FunctionRows(answer({ counted: null, files: [null, null], columns: { frame, self, total } }));
  assert.deepEqual(bare.columns(), ["name", "self", "total"]);
  assert.equal(countedTitle("calls"), "Calls");
  assert.equal(countedTitle("samples"), "Own samples");
  assert.equal(countedTitle("alloc_objects"), "Own alloc_objects");
});

test("a file has the rows that are shown, in their order, with units in its titles", () => {
  const rows = new FunctionRows(answer());
  const { header, cells } = csvRows(rows, rows.filtered(rows.sorted("self", false), "parse"));
  assert.equal(
    csvOf(header, cells),
    "handle,function,file,line,thread,self_ns,self_share,total_ns,total_share,calls,p50_ns\r\n" +
      "f7,parse,src/Parser.js,3,Worker,10,0.1,10,0.1,4,2.5\r\n" +
      "f7,parse,src/Parser.js,3,main,50,0.5,50,0.5,2,25\r\n",
  );
});

test("no name of a file becomes a formula, a cell or a line of its own", () => {
  assert.equal(csvOf(["a"], [["=cmd|' /C calc'!A0"]]), "a\r\n'=cmd|' /C calc'!A0\r\n");
  assert.equal(csvOf(["a", "b"], [['x","y\r\n1', NaN]]), 'a,b\r\n"x"",""y\r\n1",\r\n');
  assert.equal(csvOf(["a", "b"], [[-5, null]]), "a,b\r\n-5,\r\n");
  assert.equal(fileNameOf("../a/b<>.json", "functions"), "a-b-.json-functions");
});
