/** Where questions are typed. What was typed is kept per conversation until it is sent. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { MAX_PROMPT_CHARACTERS } from "../protocol.ts";
import { remember, remembered } from "../theme.ts";
import { codePoints } from "./code_points.ts";

interface ComposerProps {
  sessionId: string;
  running: boolean;
  /** Why nothing can be asked now, or null. */
  blocked: string | null;
  /** A question put here by another part of the page; a new object each time. */
  proposal: { text: string } | null;
  ask: (prompt: string) => void;
  stop: () => void;
  /** Stands next to the button. */
  children: ComponentChildren;
}

export function Composer({ sessionId, running, blocked, proposal, ask, stop, children }: ComposerProps) {
  const key = `flamechat.draft.${sessionId}`;
  const [text, setText] = useState(() => remembered(key) ?? "");
  const area = useRef<HTMLTextAreaElement>(null);
  const length = codePoints(text);
  const tooLong = length > MAX_PROMPT_CHARACTERS;

  const change = (value: string) => {
    setText(value);
    remember(key, value || null);
  };
  useEffect(() => {
    if (!proposal) return;
    change(proposal.text);
    area.current?.focus();
  }, [proposal]);
  useLayoutEffect(() => {
    const element = area.current!;
    element.style.height = "auto";
    // Of no text nothing is measured: the page would be laid out for it while it opens.
    if (text) element.style.height = `${Math.min(element.scrollHeight, 180)}px`;
  }, [text]);

  const send = () => {
    const prompt = text.trim();
    if (!prompt || running || blocked || tooLong) return;
    change("");
    if (/^\/init\b/i.test(prompt)) location.assign("/account#init");
    else ask(prompt);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={area}
        rows={1}
        value={text}
        disabled={blocked !== null}
        aria-label="Ask about this trace"
        aria-invalid={tooLong}
        placeholder={blocked ?? "Ask about this trace"}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={press}
      />
      {tooLong && (
        <p class="too-long" role="alert">
          A question has at most {MAX_PROMPT_CHARACTERS.toLocaleString("en")} characters; this one has{" "}
          {length.toLocaleString("en")}.
        </p>
      )}
      {children}
      {running ? (
        <button type="button" class="send stop" aria-label="Stop" title="Stop" onClick={stop}>
          <Icon name="stop" />
        </button>
      ) : (
        <button
          type="submit"
          class="send"
          aria-label="Send"
          title="Send (Enter)"
          disabled={!text.trim() || blocked !== null || tooLong}
        >
          <Icon name="send" />
        </button>
      )}
    </form>
  );
}
