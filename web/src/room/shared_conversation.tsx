/** A conversation behind a link, next to its chart: read, followed into the chart, and not gone on with. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { json, sharedPath } from "../api.ts";
import { clicked } from "../chat/clicks.ts";
import { turnsOf } from "../chat/history.ts";
import type { Turn } from "../chat/turn.ts";
import { TurnView } from "../chat/turn_view.tsx";
import type { HistoryMessage } from "../protocol.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { useCiting } from "./citing.ts";
import { markBothWays } from "./pointing.ts";

export interface ReadConversation {
  title: string | null;
  turns: Turn[];
  /** Questions that the link does not show. */
  withheld: number;
}

interface Answer {
  title: string | null;
  messages: HistoryMessage[];
  withheld: number;
}

/** What the link shows of its conversation; a text says why there is nothing. */
export function useSharedConversation(token: string): ReadConversation | string | null {
  const [read, setRead] = useState<ReadConversation | string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    json<Answer>(`${sharedPath(token)}/conversation`).then(
      ({ title, messages, withheld }) => {
        const turns = turnsOf(messages).map((turn) => ({ ...turn, isStored: false })); // nobody goes on with them here
        if (isCurrent) setRead({ title, turns, withheld });
      },
      (error: Error) => isCurrent && setRead(error.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [token]);
  return read;
}

interface SharedConversationProps {
  read: ReadConversation | string | null;
  viewer: ViewerStore;
  room: { current: HTMLElement | null };
  /** Brings the chart into sight, where it takes turns with the conversation. */
  toChart: () => void;
}

export function SharedConversation({ read, viewer, room, toChart }: SharedConversationProps) {
  const turns = useMemo(() => (read && typeof read === "object" ? read.turns : []), [read]);
  const { cite, show } = useCiting(viewer, turns, () => turns);
  useEffect(() => markBothWays(room.current!, () => turns, viewer), [turns, viewer]);
  const title = read && typeof read === "object" ? read.title?.replaceAll("`", "") : null;
  return (
    <div class="chat-pane">
      <section class="chat" aria-label="Conversation">
        <h2 class="shared-title">
          <bdi>{title ?? "Conversation"}</bdi>
        </h2>
        <div
          class="log"
          role="region"
          aria-label="Messages"
          tabIndex={0}
          onClick={(event) =>
            clicked(event, {
              cite: (...cited) => (toChart(), cite(...cited)),
              show: (pictured) => (toChart(), show(pictured)),
              draw: nothing,
              note: nothing,
            })
          }
        >
          {read === null && <p class="waiting">Opening the conversation</p>}
          {typeof read === "string" && <p role="alert">{read}</p>}
          {turns.map((turn) => (
            <TurnView
              key={turn.turnId}
              turn={turn}
              isLast={false}
              traceName={viewer.trace.name}
              canAsk={false}
              ask={nothing}
              replace={nothing}
              rate={nothing}
              proposals={[]}
              decide={nothing}
            />
          ))}
          {read && typeof read === "object" && <p class="note">{ending(read)}</p>}
        </div>
      </section>
    </div>
  );
}

function nothing(): void {}

/** What stands below the last answer. */
export function ending({ turns, withheld }: ReadConversation): string {
  if (withheld === 0) return turns.length ? "Shared by link, to read." : "Nothing has been answered here yet.";
  const rest = turns.length ? "The rest" : "This conversation";
  return `${rest} draws on more than this trace and is not shared (${withheld} ${withheld === 1 ? "question" : "questions"}).`;
}
