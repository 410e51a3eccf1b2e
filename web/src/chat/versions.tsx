/** Versions of an answer: a question that was edited or answered again keeps what it replaced, one click away. */
import { useEffect, useRef, useState } from "preact/hooks";
import { json } from "../api.ts";
import { Icon } from "../icons.tsx";
import type { HistoryMessage } from "../protocol.ts";
import { turnsOf } from "./history.ts";
import type { Turn } from "./turn.ts";
import { TurnView, type TurnViewProps } from "./turn_view.tsx";

/** The turns that each turn replaced, oldest first; asked for again when `changed` does. */
export function useVersions(sessionId: string, changed: unknown): Record<string, string[]> {
  const [versions, setVersions] = useState<Record<string, string[]>>({});
  useEffect(() => {
    if (!changed) return;
    let current = true;
    json<{ versions: Record<string, string[]> }>(`/sessions/${encodeURIComponent(sessionId)}/versions`).then(
      (answer) => current && setVersions(answer.versions),
      () => current && setVersions({}), // a session without an answer has none
    );
    return () => {
      current = false;
    };
  }, [sessionId, changed]);
  return versions;
}

interface VersionedTurnProps extends TurnViewProps {
  sessionId: string;
  earlier: string[];
}

export function VersionedTurn({ sessionId, earlier, ...view }: VersionedTurnProps) {
  const [shown, setShown] = useState<{ at: number; turn: Turn } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  /** The version that is on its way: the next step goes on from there, and what it overtakes is not shown. */
  const coming = useRef<number | null>(null);
  if (earlier.length === 0) return <TurnView {...view} />;
  const at = shown?.at ?? earlier.length;
  const go = async (by: -1 | 1) => {
    const to = Math.max(0, Math.min(earlier.length, (coming.current ?? at) + by));
    setProblem(null);
    coming.current = to === earlier.length ? null : to;
    if (to === earlier.length) return setShown(null);
    try {
      const path = `/sessions/${encodeURIComponent(sessionId)}/turns/${encodeURIComponent(earlier[to]!)}/messages`;
      const { messages } = await json<{ messages: HistoryMessage[] }>(path);
      const [turn] = turnsOf(messages);
      if (coming.current !== to) return;
      coming.current = null;
      if (turn) setShown({ at: to, turn: { ...turn, isStored: false } }); // it is read, not gone on with
    } catch (error) {
      if (coming.current !== to) return;
      coming.current = null;
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const count = earlier.length + 1;
  const versions = (
    <span class="versions" role="group" aria-label="Versions of this answer">
      <button
        type="button"
        class="icon-button"
        aria-label="Earlier version"
        disabled={at === 0}
        onClick={() => void go(-1)}
      >
        <Icon name="back" />
      </button>
      <span role="status">{problem ?? `${at + 1} of ${count}`}</span>
      <button
        type="button"
        class="icon-button"
        aria-label="Later version"
        disabled={at === earlier.length}
        onClick={() => void go(1)}
      >
        <Icon name="next" />
      </button>
    </span>
  );
  return shown ? (
    <TurnView {...view} turn={shown.turn} proposals={[]} canAsk={false} isLast={false} versions={versions} />
  ) : (
    <TurnView {...view} versions={versions} />
  );
}
