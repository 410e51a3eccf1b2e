/** The room of questions over all recordings: one can be asked, and those that are kept are answered as they come in
 * sight, by what there is now. */
import "../style/questions.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import {
  change,
  forget,
  questionIn,
  run,
  savedQuestions,
  type Answer,
  type Question,
  type SavedQuestion,
} from "./asked.ts";
import { OpenQuestion } from "./open_question.tsx";

export function Questions() {
  const [kept, setKept] = useState<SavedQuestion[] | null>(null);
  const [asked, setAsked] = useState<Answer | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const failed = (error: unknown) =>
    setProblem(error instanceof Error ? error.message.replaceAll("`", "") : String(error));
  const load = () => savedQuestions().then(setKept, failed);
  const ask = async (question: { text: string } | { question: Question }) => {
    setBusy(true);
    try {
      setAsked(await run(question));
      setProblem(null);
    } catch (error) {
      setAsked(null);
      failed(error);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    document.title = "Questions · Flamechat";
    void load();
    const shared = questionIn(location.search);
    if (shared) void ask({ question: shared });
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    const words = text.current!.value.trim();
    if (words) void ask({ text: words });
  };
  return (
    <main class="home">
      <div class="home-column questions">
        <h1>Questions over your recordings</h1>
        <form class="ask-recordings" onSubmit={submit}>
          <label for="asked-text">Ask in words, or write SQL over lib.functions</label>
          <textarea
            id="asked-text"
            ref={text}
            rows={2}
            maxLength={8000}
            placeholder="How did read develop over the last 20 runs?"
            onKeyDown={(event) => {
              if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
            }}
          />
          <button type="submit" class="primary" disabled={busy}>
            Ask
          </button>
        </form>
        <p class="note" role="status">
          {busy ? "Looking through the recordings…" : ""}
        </p>
        {problem && (
          <div class="banner" role="alert">
            <Icon name="warning" />
            <span>{problem}</span>
          </div>
        )}
        {asked && <OpenQuestion answer={asked} name="What was asked" saved={() => void load()} />}
        <h2>Saved</h2>
        {kept?.length === 0 && <p class="note">None yet: ask one, open its query and save it.</p>}
        <ul class="saved-questions" aria-label="Saved questions">
          {kept?.map((one) => (
            <Saved key={one.questionId} saved={one} changed={() => void load()} failed={failed} />
          ))}
        </ul>
      </div>
    </main>
  );
}

interface SavedProps {
  saved: SavedQuestion;
  changed: () => void;
  failed: (error: unknown) => void;
}

function Saved({ saved, changed, failed }: SavedProps) {
  const item = useRef<HTMLLIElement>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const question = JSON.stringify(saved.question);
  useEffect(() => {
    let isCurrent = true;
    const look = new IntersectionObserver(([seen]) => {
      if (!seen?.isIntersecting) return;
      look.disconnect();
      run({ question: saved.question }).then(
        (found) => isCurrent && (setAnswer(found), setProblem(null)),
        (error: Error) => isCurrent && setProblem(error.message.replaceAll("`", "")),
      );
    });
    look.observe(item.current!);
    return () => {
      isCurrent = false;
      look.disconnect();
    };
  }, [question]);
  const remove = () => forget(saved.questionId).then(changed, failed);
  return (
    <li ref={item}>
      <header>
        <h3>
          <bdi>{saved.name}</bdi>
        </h3>
        <button
          type="button"
          class="icon-button"
          aria-label={`Delete ${saved.name}`}
          title="Delete"
          onClick={() => void remove()}
        >
          <Icon name="trash" />
        </button>
      </header>
      {answer && (
        <OpenQuestion
          answer={answer}
          name={saved.name}
          keep={async (asked) => {
            await change(saved.questionId, { question: asked });
            changed();
          }}
        />
      )}
      {problem && <p class="question-problem">{problem}</p>}
      {!answer && !problem && <p class="note">Running…</p>}
    </li>
  );
}
