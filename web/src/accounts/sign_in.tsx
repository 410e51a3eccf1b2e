/** Where an access token is asked for: the link of a mail brings one, or it is pasted here. */
import { useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { access, setToken } from "./token.ts";

export function SignIn({ isOver }: { isOver: boolean }) {
  const refusal = usePart(access, (state) => state.refusal);
  const [text, setText] = useState("");
  return (
    <div class={isOver ? "sign-in over" : "sign-in"} role={isOver ? "dialog" : "main"} aria-label="Sign in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!text.trim()) return;
          setToken(text.trim());
          setText("");
        }}
      >
        <h1>{isOver ? "Sign in again" : "Sign in"}</h1>
        <p>Open the link that was mailed to you, or paste an access token of your team's project.</p>
        {refusal && (
          <div class="banner" role="alert">
            <Icon name="warning" />
            <span>{refusal}</span>
          </div>
        )}
        <label>
          Access token
          <input
            type="password"
            autoComplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={!text.trim()}>
          Sign in
        </button>
      </form>
    </div>
  );
}
