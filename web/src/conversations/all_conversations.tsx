/** Every conversation, over all traces: searched in titles, names of traces and texts, renamed, put away, deleted. */
import "../style/all_conversations.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { archiveSession, deleteSession, findSessions, renameSession, type SessionInfo } from "../api.ts";
import { Icon } from "../icons.tsx";
import { ConversationItem } from "./conversation_item.tsx";

const PAGE = 50;
const TYPING_MS = 200;

interface Found {
  sessions: SessionInfo[];
  /** Whether there are more than are shown. */
  more: boolean;
}

export function AllConversations() {
  useEffect(() => {
    document.title = "Conversations · Flamechat";
  }, []);
  return (
    <main class="home">
      <div class="home-column all-conversations">
        <h1>Conversations</h1>
        <ConversationSearch />
      </div>
    </main>
  );
}

interface SearchProps {
  /** The open conversation, where there is one. */
  current?: string;
  /** A conversation was opened. */
  chosen?: () => void;
  /** A conversation is no longer there, or has another title. */
  changed?: (sessionId: string, isGone: boolean) => void;
}

export function ConversationSearch({ current, chosen, changed }: SearchProps) {
  const [text, setText] = useState("");
  const [archived, setArchived] = useState(false);
  const [shown, setShown] = useState(PAGE);
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [version, setVersion] = useState(0);
  const isFirst = useRef(true);
  useEffect(() => {
    let isCurrent = true;
    const look = () =>
      findSessions({ search: text, archived, limit: shown + 1 }).then(
        (sessions) => {
          if (!isCurrent) return;
          setFound({ sessions: sessions.slice(0, shown), more: sessions.length > shown });
          setProblem(null);
        },
        (error: Error) => isCurrent && setProblem(error.message),
      );
    const timer = setTimeout(() => void look(), isFirst.current ? 0 : TYPING_MS);
    isFirst.current = false;
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, archived, shown, version]);
  const attempt = async (sessionId: string, action: () => Promise<void>, isGone = false) => {
    try {
      await action();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return;
    }
    setVersion((count) => count + 1);
    changed?.(sessionId, isGone);
  };
  return (
    <>
      <form role="search" class="conversation-search" onSubmit={(event) => event.preventDefault()}>
        <Icon name="search" />
        <input
          type="search"
          value={text}
          maxLength={200}
          placeholder="Search titles, traces, questions and answers"
          aria-label="Search conversations"
          onInput={(event) => {
            setText(event.currentTarget.value);
            setShown(PAGE);
          }}
        />
        <label>
          <input type="checkbox" checked={archived} onChange={(event) => setArchived(event.currentTarget.checked)} />
          Archived
        </label>
      </form>
      {problem && (
        <div class="banner" role="alert">
          <Icon name="warning" />
          <span>{problem}</span>
        </div>
      )}
      <p class="note" role="status">
        {found ? counted(found, text, archived) : problem ? "" : "Loading…"}
      </p>
      <ul aria-label="Conversations">
        {found?.sessions.map((session) => (
          <ConversationItem
            key={session.sessionId}
            session={session}
            isCurrent={session.sessionId === current}
            chosen={() => chosen?.()}
            archive={() => attempt(session.sessionId, () => archiveSession(session.sessionId, !session.archived))}
            rename={(title) => attempt(session.sessionId, () => renameSession(session.sessionId, title))}
            remove={() => attempt(session.sessionId, () => deleteSession(session.sessionId), true)}
          >
            <small>
              <bdi>{session.traceName}</bdi>
            </small>
            {session.passage && (
              <q dir="auto">
                <Marked passage={session.passage} text={text} />
              </q>
            )}
          </ConversationItem>
        ))}
      </ul>
      {found?.more && (
        <button type="button" onClick={() => setShown(Math.min(199, shown + PAGE))}>
          Show more
        </button>
      )}
    </>
  );
}

function counted({ sessions, more }: Found, text: string, archived: boolean): string {
  const kind = archived ? "archived conversation" : "conversation";
  if (sessions.length === 0) return text.trim() ? `No ${kind} has this text.` : `No ${kind} yet.`;
  return `${more ? "The newest " : ""}${sessions.length} ${kind}${sessions.length === 1 ? "" : "s"}`;
}

/** A passage with the searched text marked where it stands. */
function Marked({ passage, text }: { passage: string; text: string }) {
  const words = text.trim().replace(/\s+/g, " ");
  const at = words ? passage.toLowerCase().indexOf(words.toLowerCase()) : -1;
  if (at < 0) return <>{passage}</>;
  const end = at + words.length;
  return (
    <>
      {passage.slice(0, at)}
      <mark>{passage.slice(at, end)}</mark>
      {passage.slice(end)}
    </>
  );
}
