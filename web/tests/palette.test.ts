import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { changeColour, changeFills, fills, NEUTRAL_COLOUR } from "../src/viewer/palette.ts";

type Colours = Record<"light" | "dark", { fills: number[][]; change: number[][] }>;
const pictures = JSON.parse(readFileSync(new URL("./fills.json", import.meta.url), "utf-8")) as Colours;

/** sRGB from 0 to 255 of `oklch(L C h)` (B. Ottosson, "A perceptual color space for image processing", 2020). */
function rgbOf(colour: string): number[] {
  const [lightness, chroma, hue] = colour.match(/[\d.]+/g)!.map(Number) as [number, number, number];
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ].map((channel) => {
    const linear = Math.min(1, Math.max(0, channel));
    return Math.round(255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055));
  });
}

for (const theme of ["light", "dark"] as const)
  test(`the page fills boxes with the colours of pictures, ${theme}`, () => {
    const near = (mine: string[], theirs: number[][]) => {
      assert.equal(mine.length, theirs.length);
      mine.forEach((colour, at) =>
        rgbOf(colour).forEach((channel, part) =>
          assert.ok(Math.abs(channel - theirs[at]![part]!) <= 1, `${at}: ${colour} is not ${theirs[at]}`),
        ),
      );
    };
    near(fills(theme), pictures[theme].fills);
    near(changeFills(theme), pictures[theme].change);
    assert.ok(fills(theme)[NEUTRAL_COLOUR]);
  });

test("a change is a colour between gone and new", () => {
  assert.deepEqual([changeColour(5, 0), changeColour(5, 5), changeColour(0, 5), changeColour(0, 0)], [0, 8, 16, 8]);
});
