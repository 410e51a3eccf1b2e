/** Links by which others see a trace's chart, or a conversation with it; whoever has one needs no account. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { json, remove } from "../api.ts";
import { Icon } from "../icons.tsx";

interface Made {
  token: string;
  /** Of a conversation: how many of its questions the link shows, and how many not. */
  shown?: number;
  withheld?: number;
}

interface ShareProps {
  /** What the link is asked for at. */
  path: string;
  /** "trace" or "conversation". */
  what: string;
  /** What the link shows. */
  shows: string;
  /** The button's own class and content. */
  className: string;
  children: ComponentChildren;
}

export function ShareTrace({ traceId }: { traceId: string }) {
  return (
    <Share
      path={`/traces/${encodeURIComponent(traceId)}/link`}
      what="trace"
      shows="Whoever holds the link sees the chart, its functions and notes, signed in or not. Conversations are not shown."
      className="icon-button"
    >
      <Icon name="share" />
    </Share>
  );
}

export function ShareConversation({ sessionId }: { sessionId: string }) {
  return (
    <div class="save-conversation">
      <Share
        path={`/sessions/${encodeURIComponent(sessionId)}/link`}
        what="conversation"
        shows="Whoever holds the link reads questions and answers next to the chart and its notes, signed in or not, also those to come. Of other traces, people, costs and what is remembered nothing is shown: it ends before the first question that draws on them."
        className=""
      >
        <Icon name="share" /> Share
      </Share>
    </div>
  );
}

function Share({ path, what, shows, className, children }: ShareProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [link, setLink] = useState<string | null>(null);
  const [said, setSaid] = useState<{ text: string; isProblem: boolean } | null>(null);
  const name = `Share this ${what}`;
  const attempt = async (action: () => Promise<string>) => {
    try {
      setSaid({ text: await action(), isProblem: false });
    } catch (error) {
      setSaid({ text: error instanceof Error ? error.message : String(error), isProblem: true });
    }
  };
  const make = () =>
    attempt(async () => {
      const made = await json<Made>(path, { method: "PUT" });
      setLink(`${location.origin}/s/${made.token}`);
      const { shown = 0, withheld = 0 } = made;
      const left = withheld > 0 ? ` It shows ${shown} of ${shown + withheld} questions.` : "";
      return `The link is made. It is shown this once.${left}`;
    });
  const end = () =>
    attempt(async () => {
      await remove(path);
      setLink(null);
      return `No link leads to this ${what} any more.`;
    });
  const copy = () =>
    attempt(async () => {
      await navigator.clipboard.writeText(link!);
      return "Copied.";
    });
  const open = () => {
    setSaid(null);
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" class={className} aria-label={name} title={name} onClick={open}>
        {children}
      </button>
      <dialog
        ref={dialog}
        class="share"
        aria-labelledby={`share-${what}`}
        onClick={(event) => event.target === dialog.current && dialog.current?.close()}
      >
        <form method="dialog">
          <h2 id={`share-${what}`}>{name}</h2>
          <button class="icon-button" aria-label="Close">
            <Icon name="close" />
          </button>
        </form>
        <p>{shows}</p>
        {link && (
          <p class="share-link">
            <input readOnly value={link} aria-label="Link" onFocus={(event) => event.currentTarget.select()} />
            {navigator.clipboard && (
              <button type="button" onClick={() => void copy()}>
                <Icon name="copy" /> Copy
              </button>
            )}
          </p>
        )}
        {said && <p role={said.isProblem ? "alert" : "status"}>{said.text}</p>}
        <p class="share-actions">
          <button type="button" class="primary" onClick={() => void make()} title="An earlier link ends">
            {link ? "Make another link" : "Make a link"}
          </button>
          <button type="button" onClick={() => void end()}>
            End the link
          </button>
        </p>
      </dialog>
    </>
  );
}
