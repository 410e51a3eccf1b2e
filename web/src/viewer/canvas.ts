/** A canvas that is as sharp as the screen and draws at most once per frame. */
import { scaleOf } from "../page_scale.ts";

export class SharpCanvas {
  readonly element: HTMLCanvasElement;
  width = 0;
  height = 0;
  #context: CanvasRenderingContext2D;
  #draw: (context: CanvasRenderingContext2D) => void;
  #scheduled = 0;
  #scale = 1;
  #observer: ResizeObserver;
  #sight: IntersectionObserver;
  /** Whether any of it can be seen; what cannot need not be drawn, and is once it can. */
  isInSight = true;

  constructor(element: HTMLCanvasElement, draw: (context: CanvasRenderingContext2D) => void) {
    const context = element.getContext("2d", { alpha: false });
    if (!context) throw new Error("This browser cannot draw on a canvas.");
    this.element = element;
    this.#context = context;
    this.#draw = draw;
    this.#observer = new ResizeObserver(() => this.#resize());
    this.#observer.observe(element); // which calls back at once
    this.#sight = new IntersectionObserver((seen) => {
      const wasInSight = this.isInSight;
      this.isInSight = seen.at(-1)!.isIntersecting;
      if (this.isInSight && !wasInSight) this.#now();
    });
    this.#sight.observe(element);
  }

  schedule(): void {
    this.#scheduled ||= requestAnimationFrame(() => this.#now());
  }

  close(): void {
    cancelAnimationFrame(this.#scheduled);
    this.#observer.disconnect();
    this.#sight.disconnect();
  }

  #resize(): void {
    this.width = this.element.clientWidth;
    this.height = this.element.clientHeight;
    this.#scale = scaleOf(this.element);
    this.#now(); // in the same frame: a resized canvas is blank until it is drawn
  }

  #now(): void {
    cancelAnimationFrame(this.#scheduled);
    this.#scheduled = 0;
    const ratio = (devicePixelRatio || 1) * this.#scale;
    const wide = Math.round(this.width * ratio);
    const high = Math.round(this.height * ratio);
    if (wide === 0 || high === 0) return;
    if (this.element.width !== wide || this.element.height !== high) {
      this.element.width = wide;
      this.element.height = high;
    }
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#draw(this.#context);
  }
}
