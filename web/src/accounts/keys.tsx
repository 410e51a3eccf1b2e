/** Keys for programs: made, shown this once, listed with their last use, and revoked. */
import "../style/keys.css";
import { useCallback, useEffect, useState } from "preact/hooks";
import { programKeys, SCOPE_WORDS, standing, type MadeKey, type ProgramKey, type Scope } from "./program_keys.ts";

const ENDS: [string, string][] = [
  ["30", "in 30 days"],
  ["90", "in 90 days"],
  ["365", "in a year"],
  ["", "never"],
];

export function Keys() {
  const [keys, setKeys] = useState<ProgramKey[] | null>(null);
  const [made, setMade] = useState<MadeKey | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const act = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      setProblem(null);
      await work();
      setKeys(await programKeys.list());
      return true;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  }, []);
  useEffect(() => {
    void act(async () => {});
  }, [act]);
  return (
    <section class="keys" aria-labelledby="keys">
      <h2 id="keys">Keys for programs</h2>
      <p class="lead">
        A CI job sends a key in place of your sign-in. It acts for your account within what you may do there, and counts
        on your plan.
      </p>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {made && <Shown made={made} close={() => setMade(null)} />}
      <NewKey make={(name, scopes, days) => act(async () => setMade(await programKeys.make(name, scopes, days)))} />
      {keys && keys.length > 0 && (
        <ul class="key-list" aria-label="Keys">
          {keys.map((key) => (
            <li key={key.keyId}>
              <p>
                <bdi>{key.name}</bdi> <code>fc_{key.prefix}_…</code>
                <small>
                  {key.scopes.join(", ")} · {standing(key, new Date())}
                </small>
              </p>
              {!key.revokedAt && (
                <button
                  type="button"
                  aria-label={`Revoke ${key.name}`}
                  onClick={() => void act(() => programKeys.revoke(key.keyId))}
                >
                  Revoke
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Shown({ made, close }: { made: MadeKey; close: () => void }) {
  const [copied, setCopied] = useState(false);
  return (
    <div class="made-key" role="status">
      <label>
        {made.key.name}: copy it now, it is never shown again
        <input readOnly value={made.secret} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <button
        type="button"
        onClick={async () => {
          await navigator.clipboard.writeText(made.secret);
          setCopied(true);
        }}
      >
        {copied ? "Copied" : "Copy"}
      </button>
      <button type="button" onClick={close}>
        I have it
      </button>
    </div>
  );
}

function NewKey({ make }: { make: (name: string, scopes: Scope[], days: number | null) => Promise<boolean> }) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<Scope[]>([]);
  const [days, setDays] = useState("90");
  const choose = (scope: Scope, chosen: boolean) =>
    setScopes(chosen ? [...scopes, scope] : scopes.filter((one) => one !== scope));
  return (
    <form
      class="new-key"
      aria-label="New key"
      onSubmit={async (event) => {
        event.preventDefault();
        if (!(await make(name, scopes, days === "" ? null : Number(days)))) return;
        setName("");
        setScopes([]);
      }}
    >
      <label>
        Name
        <input required maxLength={80} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label>
        Ends
        <select value={days} onChange={(event) => setDays(event.currentTarget.value)}>
          {ENDS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <fieldset>
        <legend>It may</legend>
        {(Object.keys(SCOPE_WORDS) as Scope[]).map((scope) => (
          <label key={scope} class="check">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) => choose(scope, event.currentTarget.checked)}
            />
            {SCOPE_WORDS[scope]}
          </label>
        ))}
      </fieldset>
      <button type="submit" disabled={scopes.length === 0}>
        Make a key
      </button>
    </form>
  );
}
