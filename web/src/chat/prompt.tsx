/** What was asked, and the place to ask it otherwise. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { MAX_PROMPT_CHARACTERS } from "../protocol.ts";
import { codePoints } from "./code_points.ts";

/** `edit` asks in the place of this question and of what followed it; null while that cannot be. */
export function Prompt({ text, edit }: { text: string; edit: ((prompt: string) => void) | null }) {
  const [draft, setDraft] = useState<string | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = draft !== null;
  useLayoutEffect(() => {
    if (isOpen) area.current!.select();
  }, [isOpen]);
  if (draft === null)
    return (
      <div class="prompt">
        <h3 class="visually-hidden">You asked</h3>
        {edit && (
          <button
            type="button"
            class="icon-button"
            ref={opener}
            aria-label="Edit the question"
            title="Edit the question; what followed it is replaced"
            onClick={() => setDraft(text)}
          >
            <Icon name="edit" />
          </button>
        )}
        <p>
          <WithCode text={text} />
        </p>
      </div>
    );
  const prompt = draft.trim();
  const cannot = !edit || !prompt || codePoints(draft) > MAX_PROMPT_CHARACTERS;
  const close = () => {
    setDraft(null);
    requestAnimationFrame(() => opener.current?.focus());
  };
  const send = () => {
    if (cannot) return;
    setDraft(null);
    edit(prompt);
  };
  return (
    <form
      class="prompt-editor"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={area}
        rows={Math.min(draft.split("\n").length + 1, 8)}
        value={draft}
        aria-label="The question, edited"
        onInput={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div>
        <span class="note">The answer to it, and what followed, is replaced.</span>
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={cannot}>
          Ask
        </button>
      </div>
    </form>
  );
}

/** A line in which names stand between backticks. */
export function WithCode({ text }: { text: string }) {
  return <>{text.split(/`([^`\n]+)`/).map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))}</>;
}
