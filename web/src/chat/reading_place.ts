/** Where the log stands: the newest question at its top, with the answer growing below it, until the person scrolls. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { scaleOf } from "../page_scale.ts";

const NEAR = 48;
const MARGIN = 8;

/** Whether the newest turn is in sight, and the way there. */
export function useReadingPlace(
  log: { current: HTMLDivElement | null },
  newest: string | null,
): [seesLatest: boolean, jump: () => void] {
  const [seesLatest, setSeesLatest] = useState(true);
  const stays = useRef(true);
  const reachedByUs = useRef(-1);
  // A resize that was on its way when the room closed finds no log.
  const go = () => {
    const place = log.current && placeOf(log.current);
    if (!log.current || place === null) return;
    log.current.scrollTop = place;
    reachedByUs.current = log.current.scrollTop;
  };
  useEffect(() => {
    const element = log.current!;
    const look = () => {
      const place = placeOf(element);
      const isThere = place === null || Math.abs(element.scrollTop - reached(element, place)) < NEAR;
      // Where we put it is no choice of the person's: a picture above may have grown since.
      stays.current = isThere || (stays.current && element.scrollTop === reachedByUs.current);
      setSeesLatest(place === null || place < element.scrollTop + element.clientHeight - NEAR);
    };
    let height = 0;
    const settle = () => {
      if (element.clientHeight !== height) {
        height = element.clientHeight;
        element.style.setProperty("--log-height", `${height}px`);
      }
      if (stays.current) go();
      look();
    };
    let frame = 0;
    // The pictures of a long conversation load by the dozen, and each place asks for a layout.
    const loaded = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        settle();
      });
    };
    const resized = new ResizeObserver(settle);
    resized.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    element.addEventListener("load", loaded, true);
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", look);
      element.removeEventListener("load", loaded, true);
      cancelAnimationFrame(frame);
    };
  }, []);
  useLayoutEffect(() => {
    stays.current = true;
    setSeesLatest(true);
    go();
  }, [newest]);
  return [
    seesLatest,
    () => {
      stays.current = true;
      setSeesLatest(true);
      go();
    },
  ];
}

/** The scroll offset at which the newest turn begins; null while nothing was asked: an opening is read from its top. */
function placeOf(element: HTMLDivElement): number | null {
  const turn = [...element.querySelectorAll<HTMLElement>(".turn")].at(-1);
  if (!turn) return null;
  const box = element.getBoundingClientRect();
  return element.scrollTop + (turn.getBoundingClientRect().top - box.top) / scaleOf(element, box) - MARGIN;
}

/** That offset, as far as the log can be scrolled. */
function reached(element: HTMLDivElement, place: number): number {
  return Math.min(place, element.scrollHeight - element.clientHeight);
}
