import assert from "node:assert/strict";
import { test } from "node:test";
import { dollars, spendChart, spendPath, type Spend, type SpendReport, type Way } from "../src/admin/spend.ts";

function row(key: string, costUsd: number | null, inputTokens = 10): Spend {
  return {
    key,
    calls: 1,
    failedCalls: 0,
    unpricedCalls: costUsd === null ? 1 : 0,
    inputTokens,
    cachedInputTokens: 0,
    outputTokens: 5,
    reasoningTokens: 0,
    costUsd,
  };
}

function report(by: Way, ...spend: Spend[]): SpendReport {
  return { by, spend, note: "", outcomes: [] };
}

test("a report over seven days begins at midnight of the first of them, in UTC", () => {
  const now = new Date("2026-03-02T23:59:00Z");
  const path = "/admin/spend?by=model&since=2026-02-24T00%3A00%3A00.000Z";
  assert.equal(spendPath("model", 7, "json", now), path);
  assert.equal(spendPath("model", 7, "csv", now), `${path}&format=csv`);
});

test("days are a line, all else bars; an unknown cost is nothing beside known ones", () => {
  const days = spendChart(report("day", row("2026-01-01", 1), row("2026-01-02", null)));
  assert.deepEqual(
    [days.kind, days.unit, days.points],
    [
      "line",
      "USD",
      [
        { label: "2026-01-01", value: 1 },
        { label: "2026-01-02", value: 0 },
      ],
    ],
  );
  assert.equal(spendChart(report("day", row("2026-01-01", 1))).kind, "bars");
  assert.equal(spendChart(report("model", row("a", 1), row("b", 2))).kind, "bars");
});

test("where no cost is known tokens are drawn", () => {
  const chart = spendChart(report("prompt", row("", null, 100)));
  assert.deepEqual([chart.unit, chart.points], ["tokens", [{ label: "none", value: 105 }]]);
});

test("small costs keep four places, unknown ones say so", () => {
  assert.deepEqual([0.0123, 0, 12.345, null].map(dollars), ["0.0123 USD", "0.00 USD", "12.35 USD", "not known"]);
});
