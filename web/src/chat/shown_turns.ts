/** A conversation opens with its newest turns alone: those before come into the page as they are scrolled to. */
import { useReducer, useRef } from "preact/hooks";
import type { Turn } from "./turn.ts";

/** The newest fills the log: a conversation opens at its question. */
const AT_FIRST = 3;
/** More than a screen of answers. */
const AT_ONCE = 6;

/** The turns from the first that is shown on, and a way to show those before; `sought` is shown in any case. */
export function useShownTurns(turns: Turn[], sought: string | null): [shown: Turn[], showMore: () => void] {
  const first = useRef<string | null>(null);
  const more = useRef(0); // of the turns that are there when it is rendered: some may be on their way
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  const at = Math.max(0, firstShown(turns, first.current, sought) - more.current);
  more.current = 0;
  first.current = turns[at]?.turnId ?? null;
  const showMore = () => {
    more.current = AT_ONCE;
    redraw();
  };
  return [at > 0 ? turns.slice(at) : turns, showMore];
}

/** The place of the first turn that is shown, where that was `before`: what is shown stays, and nothing between is left out. */
export function firstShown(turns: Turn[], before: string | null, sought: string | null): number {
  const known = turns.findIndex((turn) => turn.turnId === before);
  const at = known < 0 ? Math.max(0, turns.length - AT_FIRST) : known;
  const place = turns.findIndex((turn) => turn.turnId === sought);
  return place < 0 ? at : Math.min(at, place);
}
