/** The room of gates: rules that judge uploads, and what they found. */
import "../style/gates.css";
import { useCallback, useEffect, useId, useState } from "preact/hooks";
import { acting } from "../accounts/acting.ts";
import { accounts, current, loadAccounts } from "../accounts/teams.ts";
import { labelsOf } from "../home/labels.ts";
import { usePart } from "../store.ts";
import {
  gateOf,
  keptGates,
  reasonsOf,
  talkAbout,
  type Gate,
  type GateResult,
  type GateText,
  type MadeGate,
} from "./kept_gates.ts";

const EMPTY: GateText = { name: "", labels: "", baseline: "branch:main", rules: "", lastRuns: "10", webhookUrl: "" };

export function Gates() {
  const known = usePart(accounts, (value) => value);
  const account = current(
    known,
    usePart(acting, (value) => value),
  );
  const mayAccept = !account || account.role === "owner";
  const [gates, setGates] = useState<Gate[] | null>(null);
  const [results, setResults] = useState<GateResult[] | null>(null);
  const [made, setMade] = useState<MadeGate | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const act = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      setProblem(null);
      await work();
      setGates(await keptGates.list());
      setResults(await keptGates.results());
      return true;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  }, []);
  useEffect(() => {
    document.title = "Gates · Flamechat";
    loadAccounts().catch(() => undefined); // then the server says who may accept
    void act(async () => {});
  }, [act]);
  return (
    <main class="home">
      <div class="home-column gates">
        <h1>Gates</h1>
        <p class="lead">
          A gate judges each upload with its labels by the newest runs before it, and says whether its rules are kept.
        </p>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {made?.webhookSecret && (
          <p class="made-gate" role="status">
            <label>
              What its webhook is sent is signed with this: copy it now, it is never shown again
              <input readOnly value={made.webhookSecret} onFocus={(event) => event.currentTarget.select()} />
            </label>
            <button type="button" onClick={() => setMade(null)}>
              I have it
            </button>
          </p>
        )}
        <NewGate
          make={(gate) => act(async () => setMade(await keptGates.make(gate)))}
          refuse={(sentence) => setProblem(sentence)}
        />
        <h2 id="kept-gates">Kept</h2>
        {gates?.length === 0 && <p class="note">There are none yet.</p>}
        <ul aria-labelledby="kept-gates" class="gate-list">
          {gates?.map((gate) => (
            <li key={gate.gateId}>
              <div>
                <h3>
                  <bdi>{gate.name}</bdi>
                </h3>
                <p class="note">{judgedBy(gate)}</p>
                <ul class="gate-rules">
                  {gate.rules.map((rule) => (
                    <li key={rule}>
                      <code>{rule}</code>
                    </li>
                  ))}
                </ul>
              </div>
              <button
                type="button"
                aria-label={`Remove ${gate.name} with what it found`}
                onClick={() => void act(() => keptGates.remove(gate.gateId))}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
        <h2 id="gate-results">What they found</h2>
        {results?.length === 0 && <p class="note">No upload was judged yet.</p>}
        <ul aria-labelledby="gate-results" class="gate-list">
          {results?.map((result) => (
            <Result
              key={result.resultId}
              result={result}
              accept={mayAccept ? (reason) => act(() => accepted(result, reason)) : null}
            />
          ))}
        </ul>
      </div>
    </main>
  );
}

function accepted({ resultId }: GateResult, reason: string): Promise<unknown> {
  return keptGates.accept(resultId, reason);
}

function judgedBy(gate: Gate): string {
  const judged = labelsOf(gate).join(" ") || "every upload";
  const before = Object.entries(gate.baseline).map(([key, value]) => `${key}:${value}`);
  return `${judged}, judged by the last ${gate.lastRuns} runs of ${before.join(" ")}`;
}

interface ResultProps {
  result: GateResult;
  /** Null for whoever is no owner. */
  accept: ((reason: string) => Promise<boolean>) | null;
}

function Result({ result, accept }: ResultProps) {
  const id = useId();
  const [reason, setReason] = useState("");
  const ended = result.outcome ?? (result.problem ? "failed" : "waiting");
  return (
    <li data-outcome={ended}>
      <div>
        <h3>
          <span class="outcome">{ended}</span> <bdi>{result.gateName}</bdi>{" "}
          <time dateTime={result.createdAt}>{result.createdAt.slice(0, 16).replace("T", " ")}</time>
        </h3>
        <ul class="gate-rules">
          {reasonsOf(result).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        {result.acceptedAt && (
          <p class="note">
            Accepted: <bdi>{result.acceptedReason}</bdi>
          </p>
        )}
        {result.outcome === "broken" && !result.acceptedAt && !accept && (
          <p class="note">An owner of the account can accept this, where it is meant.</p>
        )}
        {result.outcome === "broken" && !result.acceptedAt && accept && (
          <form
            class="accept-result"
            aria-label={`Accept what ${result.gateName} found`}
            onSubmit={(event) => {
              event.preventDefault();
              void accept(reason);
            }}
          >
            <label for={id}>It is meant, because</label>
            <input id={id} required maxLength={1000} value={reason} onInput={(e) => setReason(e.currentTarget.value)} />
            <button type="submit">Accept</button>
          </form>
        )}
      </div>
      <a href={talkAbout(result)}>{result.outcome === "broken" ? "What changed?" : "Open the run"}</a>
    </li>
  );
}

interface NewGateProps {
  make: (gate: object) => Promise<boolean>;
  refuse: (sentence: string) => void;
}

function NewGate({ make, refuse }: NewGateProps) {
  const [text, setText] = useState(EMPTY);
  const typed = (key: keyof GateText) => ({
    value: text[key],
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      setText({ ...text, [key]: event.currentTarget.value }),
  });
  return (
    <form
      class="new-gate"
      aria-label="New gate"
      onSubmit={async (event) => {
        event.preventDefault();
        const gate = gateOf(text);
        if (typeof gate === "string") return refuse(gate);
        if (await make(gate)) setText(EMPTY);
      }}
    >
      <label>
        Name
        <input required maxLength={80} {...typed("name")} />
      </label>
      <label>
        Runs before, the newest
        <input type="number" required min={1} max={100} {...typed("lastRuns")} />
      </label>
      <label>
        Labels of the uploads that it judges, one a line
        <textarea rows={3} maxLength={8000} placeholder={"program:app\nscenario:checkout"} {...typed("labels")} />
      </label>
      <label>
        Labels of the runs before, one a line
        <textarea rows={3} required maxLength={8000} {...typed("baseline")} />
      </label>
      <label class="wide">
        Rules, one a line
        <textarea
          rows={3}
          required
          maxLength={20_000}
          placeholder={"self_share(parse) +5%\ntotal +3%\nnew hot function 2%\nfinding long-tasks"}
          {...typed("rules")}
        />
      </label>
      <label class="wide">
        Webhook, where this server sends any
        <input type="url" maxLength={2000} placeholder="https://" {...typed("webhookUrl")} />
      </label>
      <button type="submit" class="primary">
        Keep the gate
      </button>
    </form>
  );
}
