/** A link by which others see this trace's chart; whoever has it needs no account. */
import { useRef, useState } from "preact/hooks";
import { json, remove } from "../api.ts";
import { Icon } from "../icons.tsx";

export function Share({ traceId }: { traceId: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [link, setLink] = useState<string | null>(null);
  const [said, setSaid] = useState<{ text: string; isProblem: boolean } | null>(null);
  const path = `/traces/${encodeURIComponent(traceId)}/link`;
  const attempt = async (action: () => Promise<string>) => {
    try {
      setSaid({ text: await action(), isProblem: false });
    } catch (error) {
      setSaid({ text: error instanceof Error ? error.message : String(error), isProblem: true });
    }
  };
  const make = () =>
    attempt(async () => {
      const { token } = await json<{ token: string }>(path, { method: "PUT" });
      setLink(`${location.origin}/s/${token}`);
      return "The link is made. It is shown this once.";
    });
  const end = () =>
    attempt(async () => {
      await remove(path);
      setLink(null);
      return "No link leads to this trace any more.";
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
      <button type="button" class="icon-button" aria-label="Share this trace" title="Share this trace" onClick={open}>
        <Icon name="share" />
      </button>
      <dialog
        ref={dialog}
        class="share"
        aria-labelledby="share-title"
        onClick={(event) => event.target === dialog.current && dialog.current?.close()}
      >
        <form method="dialog">
          <h2 id="share-title">Share this trace</h2>
          <button class="icon-button" aria-label="Close">
            <Icon name="close" />
          </button>
        </form>
        <p>Whoever holds the link sees the chart and its functions, signed in or not. Conversations are not shown.</p>
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
