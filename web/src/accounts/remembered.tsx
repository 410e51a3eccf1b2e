/** What Flamechat remembers: every fact with when it came and who said it; added, edited, struck, undone, exported. */
import "../style/remembered.css";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { download, fileOf } from "../api.ts";
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { acting } from "./acting.ts";
import { config } from "./client_config.ts";
import { Documents } from "./documents.tsx";
import { MemoryList } from "./memory_list.tsx";
import { Onboarding } from "./onboarding.tsx";
import {
  cameWith,
  coreMemory,
  inWords,
  isOvertaken,
  lines,
  withFact,
  type CoreMemory,
  whoSaid,
  type MemoryChange,
  type Names,
} from "./core_memory.ts";
import { accounts, current, teams } from "./teams.ts";

const SEARCHED_FROM = 8;
const CHANGES_SHOWN = 30;

export function Remembered({ children }: { children?: ComponentChildren }) {
  const [memory, setMemory] = useState<CoreMemory | null>(null);
  const [changes, setChanges] = useState<MemoryChange[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [search, setSearch] = useState("");
  const [fresh, setFresh] = useState("");
  const names = useNames();
  const load = useCallback(async () => {
    try {
      const [core, made] = await Promise.all([coreMemory.read(), coreMemory.changes()]);
      setMemory(core);
      setChanges(made);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, []);
  useEffect(() => {
    document.title = "What is remembered · Flamechat";
    void load();
  }, [load]);
  if (!memory)
    return (
      <main class="remembered">
        <h1>What is remembered</h1>
        {problem ? <Problem text={problem} /> : <p role="status">Loading…</p>}
        {problem && children}
      </main>
    );
  const facts = lines(memory.text);
  const write = async (next: string[]): Promise<boolean> => {
    try {
      setProblem(null);
      await coreMemory.write(next, memory.version);
      return true;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      setProblem(isOvertaken(error) ? "Somebody has changed this meanwhile. Here is how it stands now." : text);
      return false;
    } finally {
      await load();
    }
  };
  const newest = changes[0];
  const shown = facts.filter((fact) => fact.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <main class="remembered">
      <h1>What is remembered</h1>
      <p class="lead">
        These facts stand in every conversation about every trace. Say “remember …” in a conversation, or add one here.
      </p>
      {problem && <Problem text={problem} />}
      <Onboarding done={() => void load()} />
      {memory.conflicts.map(({ older, newer }) => (
        <Conflict
          key={`${older}\n${newer}`}
          older={older}
          newer={newer}
          strike={(fact) => write(withFact(facts, fact, ""))}
        />
      ))}
      {facts.length >= SEARCHED_FROM && (
        <label class="search">
          Search
          <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
        </label>
      )}
      {facts.length === 0 && <p class="note">Nothing yet.</p>}
      <ul class="facts" aria-label="Facts">
        {shown.map((fact) => (
          <Fact
            key={fact}
            fact={fact}
            came={cameWith(fact, changes)}
            names={names}
            change={(text) => write(withFact(facts, fact, text))}
          />
        ))}
      </ul>
      <form
        class="new-fact"
        onSubmit={async (event) => {
          event.preventDefault();
          if (fresh.trim() && (await write(withFact(facts, null, fresh)))) setFresh("");
        }}
      >
        <label>
          One more
          <input value={fresh} maxLength={500} onInput={(event) => setFresh(event.currentTarget.value)} />
        </label>
        <button type="submit">Remember</button>
      </form>
      <div class="memory-actions">
        <span>
          {memory.text.length} of {memory.mostCharacters} characters
        </span>
        {newest && (
          <button type="button" onClick={() => void write(lines(newest.before))}>
            Undo the last change
          </button>
        )}
        <button type="button" onClick={async () => download(await fileOf("/memory/export"), "flamechat-memory.json")}>
          <Icon name="download" /> Export
        </button>
        {facts.length > 0 && <ForgetAll forget={() => write([])} />}
      </div>
      {changes.length > 0 && (
        <details>
          <summary>How it came to be</summary>
          <ol class="memory-changes">
            {changes.slice(0, CHANGES_SHOWN).map((change) => (
              <li key={change.version}>
                <When change={change} names={names} /> <bdi>{inWords(change)}</bdi>
              </li>
            ))}
          </ol>
        </details>
      )}
      <MemoryList />
      <Documents />
      {children}
    </main>
  );
}

function Fact({
  fact,
  came,
  names,
  change,
}: {
  fact: string;
  came: MemoryChange | undefined;
  names: Names;
  change: (text: string) => Promise<boolean>;
}) {
  const [text, setText] = useState<string | null>(null);
  if (text !== null)
    return (
      <li>
        <form
          onSubmit={async (event) => {
            event.preventDefault();
            if (text.trim() && (await change(text))) setText(null);
          }}
        >
          <label>
            Fact
            <input value={text} maxLength={500} autofocus onInput={(event) => setText(event.currentTarget.value)} />
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
        <bdi>{fact}</bdi>
        {came && (
          <small>
            <When change={came} names={names} />
          </small>
        )}
      </p>
      <span class="actions">
        <button type="button" aria-label={`Edit: ${fact}`} onClick={() => setText(fact)}>
          Edit
        </button>
        <button type="button" aria-label={`Strike: ${fact}`} onClick={() => void change("")}>
          Strike
        </button>
      </span>
    </li>
  );
}

/** Of the account's members, where it has several; nobody's until they are known. */
function useNames(): Names {
  const hasTeams = usePart(config, (state) => state.teams === true);
  const account = current(
    usePart(accounts, (value) => value),
    usePart(acting, (value) => value),
  );
  const id = hasTeams && account && !account.isPersonal ? account.accountId : null;
  const [names, setNames] = useState<Names>(new Map());
  useEffect(() => {
    if (!id) return;
    teams.members(id).then(
      ({ members }) => setNames(new Map(members.map(({ userId, name }) => [userId, name ?? "a member"]))),
      () => undefined, // the list of members says why
    );
  }, [id]);
  return names;
}

function When({ change, names }: { change: MemoryChange; names: Names }) {
  const at = new Date(change.decidedAt);
  return (
    <>
      <time dateTime={change.decidedAt}>
        {at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
      </time>
      , {whoSaid(change, names)}
    </>
  );
}

function Conflict({
  older,
  newer,
  strike,
}: {
  older: string;
  newer: string;
  strike: (fact: string) => Promise<boolean>;
}) {
  const [left, setLeft] = useState(false);
  if (left) return null;
  return (
    <div class="memory-conflict" role="group" aria-label="Two facts that do not go together">
      <p>
        Was <q>{older}</q>, now <q>{newer}</q>?
      </p>
      <span class="actions">
        <button type="button" onClick={() => void strike(older)}>
          Keep the newer
        </button>
        <button type="button" onClick={() => void strike(newer)}>
          Keep the older
        </button>
        <button type="button" onClick={() => setLeft(true)}>
          Keep both
        </button>
      </span>
    </div>
  );
}

function ForgetAll({ forget }: { forget: () => Promise<boolean> }) {
  const [isAsking, setIsAsking] = useState(false);
  if (!isAsking)
    return (
      <button type="button" onClick={() => setIsAsking(true)}>
        Forget everything
      </button>
    );
  return (
    <span class="actions" role="group" aria-label="Forget everything?">
      <button type="button" onClick={() => void forget().then(() => setIsAsking(false))}>
        Yes, forget everything
      </button>
      <button type="button" onClick={() => setIsAsking(false)}>
        Cancel
      </button>
    </span>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <div class="banner" role="alert">
      <Icon name="warning" />
      <span>{text}</span>
    </div>
  );
}
