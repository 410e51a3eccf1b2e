/** One conversation in a list: its link, and what can be done with it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionInfo } from "../api.ts";
import { Icon } from "../icons.tsx";
import { roomPath } from "../route.ts";

interface ItemProps {
  session: SessionInfo;
  isCurrent: boolean;
  chosen: () => void;
  rename: (title: string) => Promise<void>;
  /** Put it away, or back. */
  archive: () => Promise<void>;
  remove: () => Promise<void>;
  /** Show it to the account, or to oneself alone; absent where it is another's, or nobody else is there. */
  show?: ((visibility: "private" | "account") => Promise<void>) | undefined;
  /** What else is shown of it. */
  children?: ComponentChildren;
}

export function ConversationItem({ session, isCurrent, chosen, rename, archive, remove, show, children }: ItemProps) {
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
        <span dir="auto">{title}</span>
        {children}
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
          {show && (
            <button
              type="button"
              class="icon-button"
              aria-label={
                session.visibility === "account" ? `Show ${title} to you alone` : `Show ${title} to the account`
              }
              title={
                session.visibility === "account"
                  ? "The account reads it. Show it to you alone"
                  : "Show it to the account"
              }
              aria-pressed={session.visibility === "account"}
              onClick={() => void show(session.visibility === "account" ? "private" : "account")}
            >
              <Icon name="people" />
            </button>
          )}
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
            aria-label={`${session.archived ? "Bring back" : "Archive"} ${title}`}
            title={session.archived ? "Bring back" : "Archive"}
            onClick={() => void archive()}
          >
            <Icon name={session.archived ? "unarchive" : "archive"} />
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
