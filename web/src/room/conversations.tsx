/** The conversations about a trace: open, begin, rename, delete. */
import { useEffect, useRef, useState } from "preact/hooks";
import { deleteSession, listSessions, renameSession, type SessionInfo } from "../api.ts";
import { Icon } from "../icons.tsx";
import { newId } from "../identifiers.ts";
import { go, roomPath } from "../route.ts";

interface ConversationsProps {
  traceId: string;
  sessionId: string;
  /** Changes when the list may have. */
  version: unknown;
  title: string | null;
}

export function Conversations({ traceId, sessionId, version, title }: ConversationsProps) {
  const [sessions, setSessions] = useState<SessionInfo[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const reload = () =>
    listSessions(traceId).then(
      (list) => {
        setSessions(list);
        setProblem(null);
      },
      (error: Error) => setProblem(error.message),
    );
  useEffect(() => void reload(), [traceId, sessionId, version]);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const leave = (event: Event) => root.current?.contains(event.target as Node) || setOpen(false);
    addEventListener("pointerdown", leave);
    addEventListener("focusin", leave);
    return () => {
      removeEventListener("pointerdown", leave);
      removeEventListener("focusin", leave);
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
  const remove = (session: SessionInfo) =>
    attempt(async () => {
      await deleteSession(session.sessionId);
      if (session.sessionId === sessionId) go(roomPath(traceId, newId()), true);
    });
  const begin = () => {
    setOpen(false);
    go(roomPath(traceId, newId()));
  };
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
        {problem && (
          <p role="alert" class="note">
            {problem}
          </p>
        )}
        {sessions.length === 0 && !problem && (
          <p class="note">No conversation yet: it is kept from the first question on.</p>
        )}
        <ul>
          {sessions.map((session) => (
            <Item
              key={session.sessionId}
              session={session}
              isCurrent={session.sessionId === sessionId}
              chosen={() => setOpen(false)}
              rename={(text) => attempt(() => renameSession(session.sessionId, text))}
              remove={() => remove(session)}
            />
          ))}
        </ul>
      </nav>
    </div>
  );
}

interface ItemProps {
  session: SessionInfo;
  isCurrent: boolean;
  chosen: () => void;
  rename: (title: string) => Promise<void>;
  remove: () => Promise<void>;
}

function Item({ session, isCurrent, chosen, rename, remove }: ItemProps) {
  const [state, setState] = useState<"shown" | "renaming" | "deleting">("shown");
  const input = useRef<HTMLInputElement>(null);
  const title = session.title?.replaceAll("`", "") ?? "Untitled conversation";
  useEffect(() => {
    if (state === "renaming") input.current?.select();
  }, [state]);
  if (state === "renaming") {
    const save = (event: Event) => {
      event.preventDefault();
      const text = input.current!.value.trim();
      setState("shown");
      if (text && text !== session.title) void rename(text);
    };
    return (
      <li>
        <form class="rename" onSubmit={save}>
          <input
            ref={input}
            defaultValue={title}
            maxLength={200}
            aria-label={`New title of ${title}`}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.stopPropagation();
              setState("shown");
            }}
          />
          <button type="submit" class="icon-button" aria-label="Save the title">
            <Icon name="check" />
          </button>
        </form>
      </li>
    );
  }
  return (
    <li>
      <a
        href={roomPath(session.traceId, session.sessionId)}
        aria-current={isCurrent ? "page" : undefined}
        onClick={chosen}
      >
        <span>{title}</span>
        <time dateTime={session.updatedAt}>
          {new Date(session.updatedAt).toLocaleString(undefined, { dateStyle: "short", timeStyle: "short" })}
        </time>
      </a>
      {state === "deleting" ? (
        <span class="confirm">
          <button
            type="button"
            class="danger"
            onClick={() => {
              setState("shown");
              void remove();
            }}
          >
            Delete
          </button>
          <button type="button" onClick={() => setState("shown")}>
            Keep
          </button>
        </span>
      ) : (
        <>
          <button
            type="button"
            class="icon-button"
            aria-label={`Rename ${title}`}
            title="Rename"
            onClick={() => setState("renaming")}
          >
            <Icon name="edit" />
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label={`Delete ${title}`}
            title="Delete"
            onClick={() => setState("deleting")}
          >
            <Icon name="trash" />
          </button>
        </>
      )}
    </li>
  );
}
