/** The person's usage, asked for again when it may have changed; lifts a refusal that no longer applies. */
import { useEffect, useState } from "preact/hooks";
import { isLifted, myUsage, type MyUsage } from "../accounts/usage.ts";
import { ApiError } from "../api.ts";
import { usePart } from "../store.ts";
import type { ChatStore } from "./chat_store.ts";
import { hasEnded } from "./turn.ts";

const LOOK_AGAIN_MS = 10_000;

export function useUsage(store: ChatStore, sessionId: string): MyUsage | null {
  const [mine, setMine] = useState<MyUsage | null>(null);
  const ended = usePart(store, (state) => state.conversation.turns.filter(hasEnded).length);
  const refusal = usePart(store, (state) => state.conversation.refusal);
  const isOpen = usePart(store, (state) => state.connection.state === "open");
  useEffect(() => {
    if (!isOpen) return;
    let isGone = false;
    const look = async () => {
      try {
        const found = await myUsage(sessionId);
        if (isGone) return;
        setMine(found);
        if (refusal?.errorCode === "limit_exceeded" && isLifted(refusal, found)) store.liftLimit();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error; // the meter keeps what it knew: the banner of the connection shows it
      }
    };
    void look();
    const timer = refusal ? setInterval(() => void look(), LOOK_AGAIN_MS) : undefined;
    const seen = () => document.hidden || void look();
    document.addEventListener("visibilitychange", seen);
    return () => {
      isGone = true;
      clearInterval(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [store, sessionId, ended, refusal, isOpen]);
  return mine;
}
