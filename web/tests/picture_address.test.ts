import assert from "node:assert/strict";
import { test } from "node:test";
import { pictureAddress } from "../src/chat/picture_address.ts";
import { picturedView } from "../src/chat/pictured.ts";
import { emptyTool, type ToolPart } from "../src/chat/turn.ts";

const STORED = "/api/v1/pictures/turn/call.png";
const TRACE = "/api/v1/traces/t1";

function drawn(toolName: string, args: ToolPart["args"] = {}): ToolPart {
  return { ...emptyTool("call", toolName), args, imageUrl: STORED, shows: { profile: "p2" } };
}

function addressOf(part: ToolPart, theme: "light" | "dark", trace: string | null = TRACE) {
  return pictureAddress(part, picturedView(part), theme, trace);
}

test("in the light theme a picture is the stored one, and one that was drawn dark stays as it is", () => {
  const light = { url: STORED, isTurned: false, fittedWidth: null };
  assert.deepEqual(addressOf(drawn("generate_flamegraph_screenshot"), "light"), light);
  assert.deepEqual(addressOf(drawn("generate_flamegraph_screenshot", { theme: "dark" }), "dark"), light);
});

test("in the dark theme the same flame chart is asked for dark, with everything that the tool was asked for", () => {
  const args = { mode: "time_order", start_time_ms: 5, end_time_ms: 9.5, depth: 7, width: 900, highlight: "a b&c" };
  const { url, isTurned } = addressOf(drawn("generate_flamegraph_screenshot", args), "dark");
  const [path, query] = url.split("?");
  assert.equal(path, `${TRACE}/flamegraph.png`);
  assert.equal(isTurned, false);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(query)), {
    mode: "time_order",
    profile: "p2",
    startMs: "5",
    endMs: "9.5",
    highlight: "a b&c",
    width: "900",
    height: "800",
    depth: "7",
    handles: "true",
    theme: "dark",
  });
});

test("what the server does not draw again, or of no trace that is known, is turned", () => {
  const turned = { url: STORED, isTurned: true, fittedWidth: null };
  assert.deepEqual(addressOf(drawn("generate_sandwich_flamegraph_screenshot"), "dark"), turned);
  assert.deepEqual(addressOf(drawn("generate_flamegraph_screenshot"), "dark", null), turned);
});

test("with less room than it was drawn for a picture is drawn for that, with the colours that it had", () => {
  const part = { ...drawn("generate_flamegraph_screenshot"), shows: { profile: "p2", palette: "owner" } };
  const at = (width: number, theme: "light" | "dark" = "light") =>
    pictureAddress(part, picturedView(part), theme, TRACE, { width, dpr: 2 });
  assert.equal(at(960).url, STORED, "four fifths of it can be read");
  const { url, fittedWidth } = at(485.4);
  assert.equal(fittedWidth, 485);
  const query = new URLSearchParams(url.split("?")[1]);
  assert.deepEqual(
    ["width", "height", "dpr", "palette", "theme"].map((name) => query.get(name)),
    ["485", "800", "2", "owner", "light"],
  );
  assert.equal(at(120).fittedWidth, 300, "nothing can be read in less");
  assert.equal(new URLSearchParams(at(485, "dark").url.split("?")[1]).get("theme"), "dark");
  const wide = new URLSearchParams(at(1100, "dark").url.split("?")[1]);
  assert.deepEqual([wide.get("width"), wide.get("dpr")], ["1200", null]);
});

test("a picture that was drawn dark stays dark where it is drawn again", () => {
  const part = drawn("generate_flamegraph_screenshot", { theme: "dark" });
  const { url } = pictureAddress(part, picturedView(part), "light", TRACE, { width: 400, dpr: 1 });
  assert.equal(new URLSearchParams(url.split("?")[1]).get("theme"), "dark");
});
