/** An answer with the question behind it: opened, changed, run again, saved, taken elsewhere. */
import "../style/questions.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf, command, run, save, type Answer, type Question, type SavedQuestion } from "./asked.ts";
import { AnswerView } from "./answer_view.tsx";
import { QuestionForm } from "./question_form.tsx";

interface Props {
  answer: Answer;
  name: string;
  /** Whether its sentence stands elsewhere already. */
  saysIt?: boolean;
  isOpen?: boolean;
  /** Where the question is kept already. */
  keep?: (question: Question) => Promise<void>;
  saved?: (saved: SavedQuestion) => void;
}

export function OpenQuestion({ answer: given, name, saysIt = true, isOpen = false, keep, saved }: Props) {
  const [answer, setAnswer] = useState(given);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [done, setDone] = useState("");
  useEffect(() => setAnswer(given), [given]);
  const attempt = async (work: () => Promise<string>) => {
    setBusy(true);
    setDone("");
    try {
      setDone(await work());
      setProblem(null);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  const again = (question: Question) =>
    attempt(async () => {
      setAnswer(await run({ question }));
      return "Answered again.";
    });
  const changed = answer !== given;
  return (
    <section class="open-question" aria-label={`Question: ${name}`} aria-busy={busy}>
      <AnswerView answer={answer} name={name} saysIt={saysIt || changed} />
      <details class="the-query" open={isOpen}>
        <summary>Open query</summary>
        <QuestionForm key={JSON.stringify(answer.question)} question={answer.question} busy={busy} run={again} />
        <div class="question-actions">
          {keep ? (
            <button
              type="button"
              disabled={busy || !changed}
              onClick={() => attempt(async () => (await keep(answer.question), "Saved."))}
            >
              Save the change
            </button>
          ) : (
            <SaveAs
              busy={busy}
              save={(as) =>
                attempt(async () => {
                  const made = await save(as, answer.question); // not as an argument: without a listener it would not be made
                  saved?.(made);
                  return "Saved: it is among the questions.";
                })
              }
            />
          )}
          {navigator.clipboard && (
            <>
              <Copy text={addressOf(answer.question)} name="Copy the link" copied={setDone} />
              <Copy text={command(answer.question)} name="Copy the command" copied={setDone} />
            </>
          )}
        </div>
      </details>
      <p role="status" class="note">
        {busy ? "Running…" : done}
      </p>
      {problem && (
        <p role="alert" class="question-problem">
          {problem.replaceAll("`", "")}
        </p>
      )}
    </section>
  );
}

function SaveAs({ busy, save: keep }: { busy: boolean; save: (name: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <form
      class="save-as"
      onSubmit={(event) => {
        event.preventDefault();
        const name = input.current!.value.trim();
        if (name) keep(name);
      }}
    >
      <input ref={input} type="text" required maxLength={120} placeholder="Name" aria-label="Name of the question" />
      <button type="submit" disabled={busy}>
        Save
      </button>
    </form>
  );
}

function Copy({ text, name, copied }: { text: string; name: string; copied: (said: string) => void }) {
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => copied("Copied."),
      () => copied("The browser does not let the page copy."),
    );
  return (
    <button type="button" onClick={() => void copy()}>
      {name}
    </button>
  );
}
