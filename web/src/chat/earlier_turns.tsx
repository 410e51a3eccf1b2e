/** What a long conversation does not open with, a click away; what is being read stays where it is. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePart } from "../store.ts";
import type { ChatStore } from "./chat_store.ts";
import { hasEarlier } from "./earlier.ts";

export function EarlierTurns({ store, log }: { store: ChatStore; log: { current: HTMLElement | null } }) {
  const areMore = usePart(store, (state) => hasEarlier(state.conversation.earliest));
  const first = usePart(store, (state) => state.conversation.turns[0]?.turnId ?? null);
  const [state, setState] = useState<"ready" | "loading" | { problem: string }>("ready");
  const below = useRef<number | null>(null);
  useLayoutEffect(() => {
    const element = log.current;
    if (element && below.current !== null) element.scrollTop = element.scrollHeight - below.current;
    below.current = null;
  }, [first]);
  if (!areMore) return null;
  const load = async () => {
    setState("loading");
    try {
      const messages = await store.earlierMessages();
      const element = log.current;
      if (element) below.current = element.scrollHeight - element.scrollTop;
      store.showEarlier(messages);
      setState("ready");
    } catch (error) {
      setState({ problem: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <p class="earlier">
      <button type="button" disabled={state === "loading"} onClick={() => void load()}>
        {state === "loading" ? "Loading…" : "Show earlier questions"}
      </button>
      {typeof state === "object" && <span role="alert">{state.problem}</span>}
    </p>
  );
}
