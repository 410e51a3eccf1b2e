/** What appears a little later, all of it at once, does not jump. */
import { useEffect, useRef, useState } from "preact/hooks";

/** Becomes true when something is ready, or was waited for so many milliseconds, and stays so. */
export function useSettled(isReady: boolean, most: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), most);
    return () => clearTimeout(timer);
  }, []);
  const was = useRef(false);
  was.current ||= isReady || isOver;
  return was.current;
}
