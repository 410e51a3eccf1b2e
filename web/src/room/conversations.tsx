/** The conversations about a trace: open, begin, rename, delete. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { archiveSession, deleteSession, listSessions, renameSession, showSession, type SessionInfo } from "../api.ts";
import { accounts } from "../accounts/teams.ts";
import { ConversationItem } from "../conversations/conversation_item.tsx";
import { Icon } from "../icons.tsx";
import { newId } from "../identifiers.ts";
import { go, roomPath } from "../route.ts";
import { usePart } from "../store.ts";
import { OtherConversations } from "./other_conversations.tsx";

interface ConversationsProps {
  traceId: string;
  sessionId: string;
  /** Changes when the list may have. */
  version: unknown;
  title: string | null;
  /** What can be done with the open conversation, by its title. */
  children: (title: string | null) => ComponentChildren;
}

export function Conversations({ traceId, sessionId, version, title, children }: ConversationsProps) {
  const [sessions, setSessions] = useState<SessionInfo[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const wasOpened = useRef(false); // few open it, and what was opened keeps what was typed in it
  wasOpened.current ||= open;
  const reload = () =>
    listSessions(traceId).then(
      (list) => {
        setSessions(list);
        setProblem(null);
      },
      (error: Error) => setProblem(error.message),
    );
  useEffect(() => void reload(), [traceId, sessionId, version]);
  const known = usePart(accounts, (value) => value);
  const mayShow = ({ mine, accountId }: SessionInfo) =>
    mine === true && known.some((one) => one.accountId === accountId && !one.isPersonal);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (event: Event) => root.current?.contains(event.target as Node) || setOpen(false);
    addEventListener("pointerdown", outside);
    addEventListener("focusin", outside);
    return () => {
      removeEventListener("pointerdown", outside);
      removeEventListener("focusin", outside);
    };
  }, [open]);
  const current = sessions.find((session) => session.sessionId === sessionId);
  const name = (title ?? current?.title ?? (current ? "Untitled conversation" : "New conversation")).replaceAll(
    "`",
    "",
  );

  const attempt = async (action: () => Promise<void>) => {
    try {
      await action();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return;
    }
    await reload();
  };
  const leave = (gone: string) => gone === sessionId && go(roomPath(traceId, newId()), true);
  const remove = (session: SessionInfo) =>
    attempt(async () => {
      await deleteSession(session.sessionId);
      leave(session.sessionId);
    });
  const begin = () => {
    setOpen(false);
    go(roomPath(traceId, newId()));
  };
  const put = sessions.filter((session) => session.archived);
  const list = (shown: SessionInfo[]) => (
    <ul>
      {shown.map((session) => (
        <ConversationItem
          key={session.sessionId}
          session={session}
          isCurrent={session.sessionId === sessionId}
          chosen={() => setOpen(false)}
          archive={() => attempt(() => archiveSession(session.sessionId, !session.archived))}
          rename={(text) => attempt(() => renameSession(session.sessionId, text))}
          remove={() => remove(session)}
          show={mayShow(session) ? (to) => attempt(() => showSession(session.sessionId, to)) : undefined}
        />
      ))}
    </ul>
  );
  return (
    <div class="conversations" ref={root} onKeyDown={(event) => event.key === "Escape" && setOpen(false)}>
      <div class="chat-header">
        <button
          type="button"
          class="conversation-title"
          aria-expanded={open}
          aria-controls="conversation-list"
          onClick={() => setOpen(!open)}
        >
          <Icon name="chat" />
          <span>{name}</span>
          <Icon name={open ? "up" : "down"} />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="New conversation"
          title="New conversation"
          onClick={begin}
        >
          <Icon name="plus" />
        </button>
      </div>
      <nav id="conversation-list" aria-label="Conversations about this trace" hidden={!open}>
        {wasOpened.current && (
          <>
            {problem && (
              <p role="alert" class="note">
                {problem}
              </p>
            )}
            {sessions.length === 0 && !problem && (
              <p class="note">No conversation yet: it is kept from the first question on.</p>
            )}
            {list(sessions.filter((session) => !session.archived))}
            {put.length > 0 && (
              <details>
                <summary>{put.length} archived</summary>
                {list(put)}
              </details>
            )}
            <OtherConversations
              current={sessionId}
              chosen={() => setOpen(false)}
              changed={(one, isGone) => {
                if (isGone) leave(one);
                void reload();
              }}
            />
            {children(title ?? current?.title ?? null)}
          </>
        )}
      </nav>
    </div>
  );
}
