import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY_TREE, shownRows, toggled, withAnswer, type TreeLevel, type TreeRow } from "../src/tables/tree_rows.ts";

function row(frame: number, total: number, hasChildren = true): TreeRow {
  const place = { name: `name ${frame}`, file: null, line: null };
  return { node: `n${frame}`, frame: `f${frame}`, ...place, self: 0, total, count: null, hasChildren };
}

function level(rows: TreeRow[], moreRows = 0): TreeLevel {
  return { rows, moreRows, moreValue: moreRows };
}

function shown(tree: Parameters<typeof shownRows>[0]): string[] {
  return shownRows(tree).map(({ key, level: depth, more }) => `${depth} ${more ? `+${more.rows}` : key}`);
}

test("levels of one row open at once, and close and open again without being asked for", () => {
  const tree = withAnswer(EMPTY_TREE, "", [level([row(1, 9)]), level([row(2, 9)]), level([row(3, 5), row(4, 4)])]);
  assert.deepEqual(shown(tree), ["1 f1", "2 f1.f2", "3 f1.f2.f3", "3 f1.f2.f4"]);
  const closed = toggled(tree, "f1.f2");
  assert.deepEqual(shown(closed), ["1 f1", "2 f1.f2"]);
  assert.deepEqual(shown(toggled(closed, "f1.f2")), shown(tree));
});

test("more of a level comes after what is there", () => {
  const some = withAnswer(EMPTY_TREE, "", [level([row(1, 9), row(2, 8)], 2)]);
  assert.deepEqual(shown(some), ["1 f1", "1 f2", "1 +2"]);
  const all = withAnswer(some, "", [level([row(3, 7), row(4, 6)])]);
  assert.deepEqual(shown(all), ["1 f1", "1 f2", "1 f3", "1 f4"]);
});

test("a function that calls itself is a row of its own at each depth", () => {
  let tree = withAnswer(EMPTY_TREE, "", [level([row(1, 9)])]);
  for (let depth = 1, key = "f1"; depth < 500; depth++, key += ".f1")
    tree = withAnswer(tree, key, [level([row(1, 9)])]);
  const rows = shownRows(tree);
  assert.equal(rows.length, 500);
  assert.equal(new Set(rows.map(({ key }) => key)).size, 500);
});
