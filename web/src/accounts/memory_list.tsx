/** What is found by meaning: findings, answers, earlier turns; searched, changed, forgotten. */
import { useCallback, useEffect, useState } from "preact/hooks";
import { json, post, remove } from "../api.ts";
import { roomPath } from "../route.ts";

export interface KeptMemory {
  memoryId: string;
  kind: "fact" | "finding" | "answer" | "turn" | "preference";
  text: string;
  createdAt: string;
  mine: boolean;
  traceId: string | null;
  trace: string | null;
  sessionId: string | null;
}

const KINDS = { finding: "findings", answer: "answers", turn: "earlier questions", preference: "preferences" };
const SHOWN = 50;
const TYPING_MS = 200;

export function listed(query: string, kinds: string[]): Promise<{ memories: KeptMemory[] }> {
  const asked = new URLSearchParams({ query, limit: String(SHOWN) });
  for (const kind of kinds) asked.append("kinds", kind);
  return json(`/memory?${asked}`);
}

export function MemoryList() {
  const [found, setFound] = useState<KeptMemory[] | null>(null);
  const [query, setQuery] = useState("");
  const [kind, setKind] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const look = useCallback(async () => {
    try {
      setFound((await listed(query, kind ? [kind] : Object.keys(KINDS))).memories);
      setProblem(null);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, [query, kind]);
  useEffect(() => {
    const timer = setTimeout(() => void look(), query ? TYPING_MS : 0);
    return () => clearTimeout(timer);
  }, [look]);
  const act = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      await look();
      return true;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  return (
    <section class="memory-list" aria-labelledby="memory-list">
      <h2 id="memory-list">What was found, answered and asked</h2>
      <p class="lead">Answers look here for what is near to a question. Answers and questions are yours alone.</p>
      {problem && <p role="alert">{problem}</p>}
      <form class="memory-search" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>
          Search what is remembered
          <input type="search" value={query} onInput={(event) => setQuery(event.currentTarget.value)} />
        </label>
        <label>
          Kind
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
            <option value="">all</option>
            {Object.entries(KINDS).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </form>
      {found?.length === 0 && <p class="note">Nothing.</p>}
      <ul class="facts" aria-label="Memories">
        {found?.map((memory) => (
          <Kept
            key={memory.memoryId}
            memory={memory}
            rewrite={(text) => act(() => post(`/memory/${memory.memoryId}`, { text }, "PATCH"))}
            forget={() => void act(() => remove(`/memory/${memory.memoryId}`))}
          />
        ))}
      </ul>
      {found?.length === SHOWN && <p class="note">The first {SHOWN} are shown: search for others.</p>}
      <div class="memory-actions">
        <Sure text="Forget all of mine" forget={() => act(() => remove("/memory?all=mine"))} />
        <Sure text="Forget all of the account’s" forget={() => act(() => remove("/memory?all=account"))} />
      </div>
    </section>
  );
}

interface KeptProps {
  memory: KeptMemory;
  rewrite: (text: string) => Promise<boolean>;
  forget: () => void;
}

function Kept({ memory, rewrite, forget }: KeptProps) {
  const [text, setText] = useState<string | null>(null);
  const { kind, trace, traceId, createdAt, mine } = memory;
  if (text !== null)
    return (
      <li>
        <form
          onSubmit={async (event) => {
            event.preventDefault();
            if (text.trim() && (await rewrite(text))) setText(null);
          }}
        >
          <label>
            Memory
            <input value={text} maxLength={2000} autofocus onInput={(event) => setText(event.currentTarget.value)} />
          </label>
          <button type="submit">Save</button>
          <button type="button" onClick={() => setText(null)}>
            Cancel
          </button>
        </form>
      </li>
    );
  return (
    <li>
      <p>
        <bdi>{memory.text}</bdi>
        <small>
          {kind}
          {trace && traceId && (
            <>
              {" "}
              about <a href={memory.sessionId ? roomPath(traceId, memory.sessionId) : `/t/${traceId}`}>{trace}</a>
            </>
          )}
          , <time dateTime={createdAt}>{new Date(createdAt).toLocaleDateString()}</time>
          {mine ? ", yours alone" : ", of the account"}
        </small>
      </p>
      <span class="actions">
        <button type="button" aria-label={`Edit: ${memory.text}`} onClick={() => setText(memory.text)}>
          Edit
        </button>
        <button type="button" aria-label={`Forget: ${memory.text}`} onClick={forget}>
          Forget
        </button>
      </span>
    </li>
  );
}

function Sure({ text, forget }: { text: string; forget: () => Promise<boolean> }) {
  const [isAsking, setIsAsking] = useState(false);
  if (!isAsking)
    return (
      <button type="button" onClick={() => setIsAsking(true)}>
        {text}
      </button>
    );
  return (
    <span class="actions" role="group" aria-label={`${text}?`}>
      <button type="button" onClick={() => void forget().then(() => setIsAsking(false))}>
        Yes: {text.charAt(0).toLowerCase() + text.slice(1)}
      </button>
      <button type="button" onClick={() => setIsAsking(false)}>
        Cancel
      </button>
    </span>
  );
}
