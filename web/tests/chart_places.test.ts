/** Points of a chart lie where their values say. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chartPlaces, valueText } from "../src/questions/chart_places.ts";
import { addressOf, answerShown, command, questionIn } from "../src/questions/asked.ts";

const points = (...values: number[]) =>
  values.map((value, index) => ({ label: `c${index}`, value, traceId: `t${index}` }));

test("bars are as long as their values, and no more than can be read", () => {
  const drawn = chartPlaces({ kind: "bars", unit: "share", points: points(0.5, 0.25, ...Array<number>(30).fill(0)) })!;
  assert.equal(drawn.places[1]!.width * 2, drawn.places[0]!.width);
  assert.equal(drawn.places[0]!.text, "c0: 50.0%");
  assert.deepEqual([drawn.places.length, drawn.hidden], [25, 7]);
});

test("a line rises with its values and stays in its box", () => {
  const drawn = chartPlaces({ kind: "line", unit: "nanoseconds", points: points(212e6, 305e6, 0) })!;
  const [first, second, third] = drawn.places.map((place) => place.y);
  assert.ok(second! < first! && first! < third!);
  assert.ok(drawn.places.every(({ x, y }) => x >= 0 && x <= drawn.width && y >= 0 && y <= drawn.height));
  assert.equal(drawn.places[1]!.text, "c1: 305 ms");
  assert.equal(chartPlaces({ kind: "line", points: points(7) })!.places.length, 1);
});

test("steps say what part of the first arrives; a grid says what is there", () => {
  assert.equal(
    chartPlaces({ kind: "steps", unit: "calls", points: points(8, 2) })!.places[1]!.text,
    "c1: 2, 25.0% of the first",
  );
  const grid = chartPlaces({ kind: "grid", points: points(...Array<number>(81).fill(1), 0) })!;
  assert.match(grid.places.at(-1)!.text, /not there/);
  assert.equal(grid.height, 72);
});

test("nothing is no chart", () => {
  assert.equal(chartPlaces({}), null);
  assert.equal(chartPlaces({ kind: "bars", points: points(NaN) }), null);
  assert.equal(valueText(1234567, "count"), "1,234,567");
});

test("a question is taken elsewhere whole", () => {
  globalThis.location ??= { origin: "http://here" } as Location;
  const question = { form: "sql", sql: "select 'it''s' -- & ?" };
  assert.deepEqual(questionIn(new URL(addressOf(question)).search), question);
  assert.equal(questionIn("?ask=%7B"), null);
  assert.match(command(question), /^flamechat query --library 'select '\\''it'\\'''\\''s'\\'' -- & \?' --server /);
  assert.match(command({ form: "series" }), /^flamechat ask '\{"form":"series"\}' --server /);
  assert.equal(answerShown({ kind: "picture" }, "h"), null);
  assert.equal(answerShown({ kind: "question", question, table: { columns: [], rows: [] } }, "h")!.headline, "h");
});
