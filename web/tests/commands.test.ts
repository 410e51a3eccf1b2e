import assert from "node:assert/strict";
import { test } from "node:test";
import { matching, type Command } from "../src/room/commands.ts";
import { pictureQuery } from "../src/room/download_queries.ts";

function command(group: Command["group"], name: string, hint = ""): Command {
  return { key: `${group}${name}`, group, name, hint, run: () => undefined };
}

const found = (commands: Command[], typed: string) => matching(commands, typed).map(({ name }) => name);

test("every typed word is needed, in the name or behind it; the best stand first in their group", () => {
  const commands = [
    command("Functions", "reparse", "a.js:1"),
    command("Functions", "json parse", "b.js:2"),
    command("Functions", "parse", "c.js:3"),
    command("Actions", "Sparse view"),
  ];
  assert.deepEqual(found(commands, "PARSE"), ["Sparse view", "parse", "json parse", "reparse"]);
  assert.deepEqual(found(commands, "parse b.js"), ["json parse"]);
  assert.deepEqual(found(commands, "parse nowhere"), []);
  assert.equal(found(commands, "  ").length, 4);
});

test("a group with many shows its best eight, and leaves room for the others", () => {
  const many = Array.from({ length: 1000 }, (_, index) => command("Functions", `f${index}`));
  assert.equal(found([...many, command("Questions", "f?")], "f").length, 9);
});

test("a picture is asked for of what the chart shows, and of nothing that the server does not draw", () => {
  const bounds = { start: 1e9, end: 3e9 };
  const shown = {
    mode: "time_order" as const,
    profile: "p1",
    window: bounds,
    within: null,
    search: { words: " parse " },
    transforms: [],
    view: { unit: "nanoseconds" },
  };
  const all = pictureQuery(shown, bounds, "dark")!;
  assert.deepEqual([all.mode, all.profile, all.theme, all.highlight], ["time_order", "p1", "dark", "parse"]);
  assert.equal(all.startMs, undefined);
  assert.equal(all.palette, undefined);
  assert.equal(all.transforms, undefined);
  const focused = pictureQuery({ ...shown, transforms: ["focus-function:f1", "invert"] }, bounds, "light")!;
  assert.equal(focused.transforms, "focus-function:f1,invert");
  assert.equal(pictureQuery(shown, bounds, "dark", "owner")!.palette, "owner");
  const zoomed = pictureQuery({ ...shown, window: { start: 1.5e9, end: 2e9 } }, bounds, "light")!;
  assert.deepEqual([zoomed.startMs, zoomed.endMs], ["500", "1000"]);
  assert.equal(pictureQuery({ ...shown, mode: "sandwich" }, bounds, "light"), null);
  assert.equal(pictureQuery({ ...shown, mode: "left_heavy", within: bounds }, bounds, "light"), null);
});
