/** Large screens scale the page (web/src/style/tokens.css): pointers and rectangles are in the window's pixels, sizes and offsets in the page's own. */

/** The window's pixels of one of the page's. */
export function scaleOf(element: HTMLElement, box = element.getBoundingClientRect()): number {
  return element.offsetWidth ? box.width / element.offsetWidth : 1;
}

/** Where a pointer is in an element, in the page's own pixels. */
export function placeIn(element: HTMLElement, event: MouseEvent): { x: number; y: number } {
  const box = element.getBoundingClientRect();
  const scale = scaleOf(element, box);
  return { x: (event.clientX - box.left) / scale, y: (event.clientY - box.top) / scale };
}
