/**
 * Boxes of a few pixels, of which a chart has thousands in a frame: each row is a line of pixels, which is drawn as high as the row, so that
 * a box costs its pixels and not a call of the canvas.
 */

/** Where a chart puts its narrow boxes. Colours are places in `colours`; pixels are those of the page. */
export interface NarrowBoxes {
  /** Begin so many rows, nothing in them yet. */
  begin(context: CanvasRenderingContext2D, width: number, rows: number, colours: Uint32Array): void;
  fill(row: number, left: number, wide: number, colour: number): void;
  /** Draw each row from its place in `tops`, so high. */
  draw(context: CanvasRenderingContext2D, tops: readonly number[], high: number): void;
  /** The colours as `fill` takes them: each of the palette at each strength, first all at the first. */
  coloursOf(palette: readonly string[], strengths: readonly number[]): Uint32Array;
}

export class PixelRows implements NarrowBoxes {
  #canvas = document.createElement("canvas");
  #context = this.#canvas.getContext("2d", { willReadFrequently: true })!;
  #image: ImageData | null = null;
  #pixels = new Uint32Array();
  #colours: Uint32Array = new Uint32Array();
  #used: boolean[] = [];
  #width = 0;
  #ratio = 1;

  begin(context: CanvasRenderingContext2D, width: number, rows: number, colours: Uint32Array): void {
    const wide = context.canvas.width;
    if (!this.#image || this.#image.width !== wide || this.#image.height < rows) {
      this.#canvas.width = wide;
      this.#canvas.height = rows;
      this.#image = new ImageData(wide, Math.max(1, rows));
      this.#pixels = new Uint32Array(this.#image.data.buffer);
    } else this.#pixels.fill(0, 0, wide * rows);
    this.#used = Array.from({ length: rows }, () => false);
    this.#colours = colours;
    this.#width = width;
    this.#ratio = wide / width;
  }

  fill(row: number, left: number, wide: number, colour: number): void {
    const across = this.#image!.width;
    const from = Math.max(0, Math.round(left * this.#ratio));
    const to = Math.min(across, Math.max(from + 1, Math.round((left + wide) * this.#ratio)));
    const pixel = this.#colours[colour]!;
    const base = row * across;
    for (let at = base + from; at < base + to; at++) this.#pixels[at] = pixel;
    this.#used[row] = true;
  }

  draw(context: CanvasRenderingContext2D, tops: readonly number[], high: number): void {
    if (!this.#image || !this.#used.includes(true)) return;
    const across = this.#image.width;
    this.#context.putImageData(this.#image, 0, 0, 0, 0, across, this.#used.length);
    context.imageSmoothingEnabled = false;
    this.#used.forEach((isUsed, row) => {
      if (isUsed) context.drawImage(this.#canvas, 0, row, across, 1, 0, tops[row]!, this.#width, high);
    });
  }

  coloursOf(palette: readonly string[], strengths: readonly number[]): Uint32Array {
    let known = pixelsOf.get(palette);
    if (!known) pixelsOf.set(palette, (known = this.#readColours(palette, strengths)));
    return known;
  }

  /** What the browser makes of the colours, as pixels. */
  #readColours(palette: readonly string[], strengths: readonly number[]): Uint32Array {
    const canvas = document.createElement("canvas");
    canvas.width = palette.length;
    canvas.height = 1;
    const context = canvas.getContext("2d", { willReadFrequently: true })!;
    palette.forEach((colour, at) => {
      context.fillStyle = colour;
      context.fillRect(at, 0, 1, 1);
    });
    const { data } = context.getImageData(0, 0, palette.length, 1);
    const found = new Uint8ClampedArray(palette.length * strengths.length * 4);
    strengths.forEach((strength, step) => {
      for (let at = 0; at < data.length; at++) {
        found[step * data.length + at] = at % 4 === 3 ? strength * 255 : data[at]!;
      }
    });
    return new Uint32Array(found.buffer);
  }
}

/** Palettes are made once for a theme. */
const pixelsOf = new WeakMap<readonly string[], Uint32Array>();
