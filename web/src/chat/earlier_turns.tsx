/** What a long conversation does not open with: what is loaded comes as it is scrolled to, the rest is a click away; what is being read stays where it is. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePart } from "../store.ts";
import type { ChatStore } from "./chat_store.ts";
import { hasEarlier } from "./earlier.ts";

/** How far above what is in sight turns are rendered: less than those above the newest, which a conversation opens at, have. */
const AHEAD = "200px 0px 0px 0px";

interface EarlierTurnsProps {
  store: ChatStore;
  log: { current: HTMLElement | null };
  /** The first turn in the page. */
  first: string | null;
  /** Whether turns that are loaded come before it. */
  areHidden: boolean;
  showMore: () => void;
}

export function EarlierTurns({ store, log, first, areHidden, showMore }: EarlierTurnsProps) {
  const areMore = usePart(store, (state) => hasEarlier(state.conversation.earliest));
  const [state, setState] = useState<"ready" | "loading" | { problem: string }>("ready");
  const below = useRef<number | null>(null);
  const line = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    const element = log.current;
    if (element && below.current !== null) element.scrollTop = element.scrollHeight - below.current;
    below.current = null;
  }, [first]);
  const reveal = useRef(showMore);
  reveal.current = () => {
    const element = log.current;
    if (element) below.current = element.scrollHeight - element.scrollTop;
    showMore();
  };
  useEffect(() => {
    if (!areHidden || !line.current) return;
    const near = new IntersectionObserver(([entry]) => entry?.isIntersecting && reveal.current(), {
      root: log.current,
      rootMargin: AHEAD,
    });
    near.observe(line.current);
    return () => near.disconnect();
  }, [areHidden, first]); // seen anew where it is still in sight after some came
  if (!areMore && !areHidden) return null;
  const load = async () => {
    setState("loading");
    try {
      store.showEarlier(await store.earlierMessages());
      reveal.current();
      setState("ready");
    } catch (error) {
      setState({ problem: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <p class="earlier" ref={line}>
      <button type="button" disabled={state === "loading"} onClick={() => (areHidden ? reveal.current() : void load())}>
        {state === "loading" ? "Loading…" : "Show earlier questions"}
      </button>
      {typeof state === "object" && <span role="alert">{state.problem}</span>}
    </p>
  );
}
