/** A picture of an answer, drawn on a canvas: its question, its text with figures and marks, its chart, and what became of its claims. */
import type { Check } from "../protocol.ts";
import { bareClaim, checksSentence } from "./checks_sentence.ts";
import { verdict } from "./claims.ts";
import { claimsOfPart, endingOf, handlesOf } from "./exported.ts";
import { blocksOf, parsedBlock } from "./markdown.ts";
import { PictureLayout, SIZE, type Look, type Mark } from "./picture_layout.ts";
import { lastPicture } from "./steps_of_turn.ts";
import type { Turn } from "./turn.ts";

const WIDTH = 760;
const MARGIN = 24;
const SCALE = 2;
/** Of a side, in pixels: what every browser draws. */
const LONGEST = 16_000;

const INKS = ["ink", "soft-ink", "panel", "raised", "line", "strong-line", "accent", "good", "bad"] as const;
type Inks = Record<(typeof INKS)[number], string>;
type Fonts = Record<"sans" | "mono", string>;

/** The answer as PNG, in the page's colours. */
export async function pictureOfAnswer(turn: Turn, traceName: string): Promise<Blob> {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser cannot draw on a canvas");
  const { inks, fonts } = styles();
  const newest = lastPicture(turn.parts);
  const image = newest && (await decoded(newest.imageUrl!));
  const layout = new PictureLayout(WIDTH - 2 * MARGIN, (text, look) => {
    context.font = fontOf(look, fonts);
    return context.measureText(text).width;
  });
  placeAnswer(layout, turn, traceName, image);
  const height = layout.height + 2 * MARGIN;
  const scale = Math.min(SCALE, LONGEST / height);
  if (scale < 0.5) throw new Error("the answer is too long for a picture");
  canvas.width = Math.ceil(WIDTH * scale);
  canvas.height = Math.ceil(height * scale);
  context.scale(scale, scale);
  context.fillStyle = inks.panel;
  context.fillRect(0, 0, WIDTH, height);
  context.translate(MARGIN, MARGIN);
  context.direction = "ltr";
  for (const mark of layout.marks) paint(context, mark, image, inks, fonts);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture cannot be made"))), "image/png"),
  );
}

/** Question, answer, picture, and below them what became of the claims. */
export function placeAnswer(
  layout: PictureLayout,
  turn: Turn,
  traceName: string,
  image: { width: number; height: number } | null,
): void {
  if (turn.prompt !== null) layout.plain(turn.prompt, { size: SIZE, bold: true }, true);
  const handles = handlesOf(turn);
  for (const part of turn.parts) {
    if (part.kind !== "text") continue;
    const claims = claimsOfPart(turn, part);
    blocksOf(part.text).forEach((block, index) => {
      layout.gap();
      layout.block(parsedBlock(block, claims[index] ?? [], handles));
    });
  }
  if (image) {
    layout.gap(14);
    layout.image(image.width, image.height);
  }
  layout.gap(14);
  const note: Look = { size: 12, soft: true };
  const ending = endingOf(turn);
  if (ending) layout.plain(ending, note);
  const sentence = checksSentence(turn.checks);
  if (sentence) layout.plain(`Against the trace: ${sentence}.`, note);
  for (const check of turn.checks.filter((one) => one.status === "unchecked")) layout.plain(openClaim(check), note);
  layout.plain(`Trace: ${traceName}`, note);
}

function openClaim(check: Check): string {
  return `${bareClaim(check.claim)}: ${verdict(check)}`;
}

function styles(): { inks: Inks; fonts: Fonts } {
  const probe = document.body.appendChild(document.createElement("span"));
  const read = (property: "color" | "fontFamily", name: string) => {
    probe.style[property] = `var(--${name})`;
    return getComputedStyle(probe)[property];
  };
  const inks = Object.fromEntries(INKS.map((name) => [name, read("color", name)])) as Inks;
  const fonts = { sans: read("fontFamily", "sans"), mono: read("fontFamily", "mono") };
  probe.remove();
  return { inks, fonts };
}

/** A picture of ours; null where it cannot be had, or would make the canvas unreadable. */
async function decoded(url: string): Promise<HTMLImageElement | null> {
  if (new URL(url, location.href).origin !== location.origin) return null;
  const image = new Image();
  image.src = url;
  return image.decode().then(
    () => image,
    () => null,
  );
}

function fontOf({ size, bold, italic, code }: Look, fonts: Fonts): string {
  const shown = code && size > 12.5 ? size * 0.9 : size;
  return `${italic ? "italic " : ""}${bold ? 600 : 400} ${shown}px ${code ? fonts.mono : fonts.sans}`;
}

function paint(
  context: CanvasRenderingContext2D,
  mark: Mark,
  image: HTMLImageElement | null,
  inks: Inks,
  fonts: Fonts,
): void {
  switch (mark.kind) {
    case "box":
      context.fillStyle = inks.raised;
      context.beginPath();
      context.roundRect(mark.x, mark.y, mark.width, mark.height, mark.radius);
      context.fill();
      break;
    case "rule":
      context.fillStyle = mark.strong ? inks["strong-line"] : inks.line;
      context.fillRect(mark.x, mark.y, mark.width, mark.height);
      break;
    case "image":
      if (image) context.drawImage(image, mark.x, mark.y, mark.width, mark.height);
      break;
    case "text":
      paintText(context, mark, inks, fonts);
  }
}

function paintText(
  context: CanvasRenderingContext2D,
  { x, baseline, width, text, look }: Extract<Mark, { kind: "text" }>,
  inks: Inks,
  fonts: Fonts,
): void {
  context.font = fontOf(look, fonts);
  context.fillStyle = look.verdict ? inks.bad : look.link ? inks.accent : look.soft ? inks["soft-ink"] : inks.ink;
  context.fillText(text, x, baseline);
  if (look.strike) context.fillRect(x, baseline - look.size * 0.3, width, 1);
  if (look.verdict) return;
  if (look.claim) underline(context, x, baseline + 3.5, width, look.claim, inks);
  else if (look.link) context.fillRect(x, baseline + 2, width, 1);
}

/** As the page underlines claims once they are all shown. */
function underline(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  status: Check["status"],
  inks: Inks,
): void {
  context.save();
  context.beginPath();
  context.moveTo(x, y);
  if (status === "contradicted" || status === "not_found") {
    context.strokeStyle = inks.bad;
    for (let at = 0; at < width; at += 4) {
      context.quadraticCurveTo(x + at + 1, y - 2, x + at + 2, y);
      context.quadraticCurveTo(x + at + 3, y + 2, x + at + 4, y);
    }
  } else {
    context.strokeStyle = status === "unchecked" ? inks["soft-ink"] : inks.good;
    context.setLineDash(status === "derived" ? [4, 2] : [1.5, 2]);
    context.lineTo(x + width, y);
  }
  context.lineWidth = 1.2;
  context.stroke();
  context.restore();
}
