/** Who is signed in, and the ways out. */
import "../style/signed_in.css";
import { useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { person, signOut } from "./session.ts";
import { setToken } from "./token.ts";

export function SignedIn() {
  const email = usePart(person, (state) => state?.email ?? null);
  const hasSession = usePart(person, (state) => state !== null);
  const [problem, setProblem] = useState<string | null>(null);
  const leave = (everywhere: boolean) => {
    setProblem(null);
    signOut(everywhere).then(
      () => setToken(null),
      (error: Error) => setProblem(error.message),
    );
  };
  return (
    <>
      <button
        type="button"
        class="sign-out"
        title={email ? `Signed in as ${email}` : undefined}
        onClick={() => leave(false)}
      >
        Sign out
      </button>
      {hasSession && (
        <button
          type="button"
          class="icon-button"
          popovertarget="signed-in"
          aria-label="More about the sign-in"
          title="More about the sign-in"
        >
          <Icon name="menu" />
        </button>
      )}
      {hasSession && (
        <div id="signed-in" class="signed-in" popover="auto">
          {email && (
            <p>
              Signed in as <bdi>{email}</bdi>
            </p>
          )}
          {problem && <p role="alert">{problem}</p>}
          <button type="button" onClick={() => leave(true)}>
            Sign out everywhere
          </button>
        </div>
      )}
    </>
  );
}
