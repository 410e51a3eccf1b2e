/** Where people sign in with the project: by password, by a link or a code in a mail, with a provider, or by a token. */
import "../style/sign_in.css";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import type { WaysIn } from "./project_auth.ts";
import { signIn, withAuth } from "./session.ts";
import { access, setToken } from "./token.ts";

/** As their owners write them; others begin with a capital letter. */
const NAMES: Record<string, string> = {
  github: "GitHub",
  gitlab: "GitLab",
  linkedin_oidc: "LinkedIn",
  slack_oidc: "Slack",
  workos: "WorkOS",
  azure: "Microsoft",
};

export function SignIn({ isOver }: { isOver: boolean }) {
  const refusal = usePart(access, (state) => state.refusal);
  const [ways, setWays] = useState<WaysIn | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => {
    withAuth((auth) => auth.waysIn()).then(setWays, (error: Error) => setProblem(error.message));
  }, []);
  const attempt = async (work: () => Promise<void>) => {
    setIsBusy(true);
    setProblem(null);
    await work().catch((error: Error) => setProblem(error.message));
    setIsBusy(false);
  };
  const shown = problem ?? refusal;
  return (
    <div class={isOver ? "sign-in over" : "sign-in"} role={isOver ? "dialog" : "main"} aria-label="Sign in">
      <div class="sign-in-box">
        <h1>{isOver ? "Sign in again" : "Sign in"}</h1>
        {shown && (
          <div class="banner" role="alert">
            <Icon name="warning" />
            <span>{shown}</span>
          </div>
        )}
        {ways?.providers.map((provider) => (
          <button
            key={provider}
            type="button"
            disabled={isBusy}
            onClick={() => void attempt(() => withAuth((auth) => auth.withProvider(provider, back())))}
          >
            Continue with {nameOf(provider)}
          </button>
        ))}
        {ways?.email && <ByEmail signUp={ways.signUp} isBusy={isBusy} attempt={attempt} />}
        {!ways && !problem && <p role="status">Asking the project how people sign in…</p>}
        <ByToken />
      </div>
    </div>
  );
}

interface ByEmailProps {
  signUp: boolean;
  isBusy: boolean;
  attempt: (work: () => Promise<void>) => Promise<void>;
}

function ByEmail({ signUp, isBusy, attempt }: ByEmailProps) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [sent, setSent] = useState<"link" | "confirmation" | null>(null);
  const address = email.trim();
  const mail = () => withAuth((auth) => auth.mailLink(address, back(), signUp)).then(() => setSent("link"));
  if (sent) return <Sent to={address} what={sent} isBusy={isBusy} attempt={attempt} again={() => setSent(null)} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(() => (password ? signIn((auth) => auth.withPassword(address, password)) : mail()));
      }}
    >
      <label>
        E-mail address
        <input
          type="email"
          required
          autoComplete="username"
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
      </label>
      <label>
        Password
        <input
          type="password"
          autoComplete="current-password"
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
        <small>Leave it empty to get a link by mail.</small>
      </label>
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy || !address}>
          {password ? "Sign in" : "Mail me a link"}
        </button>
        {signUp && password && (
          <button
            type="button"
            disabled={isBusy || !address}
            onClick={() =>
              void attempt(async () => {
                const isIn = await signIn((auth) => auth.signUp(address, password, back()));
                if (!isIn) setSent("confirmation");
              })
            }
          >
            Create an account
          </button>
        )}
      </div>
    </form>
  );
}

function Sent({
  to,
  what,
  isBusy,
  attempt,
  again,
}: Omit<ByEmailProps, "signUp"> & { to: string; what: "link" | "confirmation"; again: () => void }) {
  const [code, setCode] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(() => signIn((auth) => auth.withCode(to, code.trim())));
      }}
    >
      <p role="status">
        A mail is on its way to <bdi>{to}</bdi>.{" "}
        {what === "link" ? "Its link signs you in" : "Its link confirms the address"}, once, in any browser.
      </p>
      <label>
        Code, if the mail has one
        <input
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
      </label>
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy || !code.trim()}>
          Sign in
        </button>
        <button type="button" onClick={again}>
          Back
        </button>
      </div>
    </form>
  );
}

function ByToken() {
  const [text, setText] = useState("");
  return (
    <details>
      <summary>Use an access token</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!text.trim()) return;
          setToken(text.trim());
          setText("");
        }}
      >
        <label>
          Access token
          <input
            type="password"
            autoComplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <small>For this tab alone, until it runs out.</small>
        </label>
        <button type="submit" disabled={!text.trim()}>
          Use this token
        </button>
      </form>
    </details>
  );
}

/** The page that the person came to. */
function back(): string {
  return location.origin + location.pathname + location.search;
}

function nameOf(provider: string): string {
  return NAMES[provider] ?? provider.charAt(0).toUpperCase() + provider.slice(1);
}
