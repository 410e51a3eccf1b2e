/** From nothing remembered to a confirmed memory: what the recordings show, three questions, and what comes of them. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, json, post, remove } from "../api.ts";

interface Question {
  name: string;
  text: string;
  answer: string;
}

interface Asked {
  offered: boolean;
  started: boolean;
  observed: string[];
  struck: string[];
  questions: Question[];
  facts: string | null;
  version: number;
}

const PATH = "/memory/onboarding";
const TYPING_MS = 300;

/** Whether the address asks for it: `/init` in a conversation leads here. */
export const isAsked = (hash: string): boolean => hash === "#init";

export function Onboarding({ done }: { done: () => void }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isOpen, setOpen] = useState(() => isAsked(location.hash));
  const [problem, setProblem] = useState<string | null>(null);
  const typing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const act = useCallback(async (work: () => Promise<void>) => {
    try {
      setProblem(null);
      await work();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, []);
  useEffect(() => {
    void act(async () => setAsked(await json<Asked>(PATH)));
    return () => clearTimeout(typing.current);
  }, [act]);
  if (!asked) return problem ? <p role="alert">{problem}</p> : null;
  if (!isOpen && !asked.started && !asked.offered) return null;
  const keep = (next: Asked): Promise<unknown> =>
    post(
      PATH,
      {
        struck: next.struck,
        answers: Object.fromEntries(next.questions.map(({ name, answer }) => [name, answer])),
        facts: next.facts,
      },
      "PUT",
    );
  const change = (next: Asked) => {
    setAsked(next);
    clearTimeout(typing.current);
    typing.current = setTimeout(() => void act(async () => void (await keep(next))), TYPING_MS);
  };
  const leave = () => {
    setOpen(false);
    setAsked({ ...asked, started: false, offered: false, facts: null });
    history.replaceState(null, "", location.pathname);
  };
  const decline = () =>
    act(async () => {
      clearTimeout(typing.current);
      await remove(PATH);
      leave();
    });
  if (!isOpen && !asked.started)
    return (
      <section class="onboarding" aria-labelledby="onboarding">
        <h2 id="onboarding">Shall Flamechat know your program?</h2>
        <p>Three questions, answered once: answers then keep to what you say.</p>
        <span class="actions">
          <button type="button" class="primary" onClick={() => setOpen(true)}>
            Begin
          </button>
          <button type="button" onClick={() => void decline()}>
            No
          </button>
        </span>
      </section>
    );
  if (asked.facts !== null)
    return (
      <Confirmation
        facts={asked.facts}
        problem={problem}
        change={(facts) => change({ ...asked, facts })}
        back={() => change({ ...asked, facts: null })}
        decline={decline}
        confirm={() =>
          act(async () => {
            clearTimeout(typing.current);
            try {
              await post(`${PATH}/confirmation`, { text: asked.facts, version: asked.version });
            } catch (error) {
              if (error instanceof ApiError && error.status === 409) setAsked(await json<Asked>(PATH));
              throw error;
            }
            leave();
            done();
          })
        }
      />
    );
  return (
    <section class="onboarding" aria-labelledby="onboarding">
      <h2 id="onboarding">What Flamechat should know</h2>
      {problem && <p role="alert">{problem}</p>}
      {asked.observed.length > 0 && (
        <fieldset>
          <legend>Your recordings show this. Take away what is not so.</legend>
          {asked.observed.map((line) => (
            <label key={line} class="observed">
              <input
                type="checkbox"
                checked={!asked.struck.includes(line)}
                onChange={({ currentTarget }) =>
                  change({
                    ...asked,
                    struck: currentTarget.checked
                      ? asked.struck.filter((one) => one !== line)
                      : [...asked.struck, line],
                  })
                }
              />
              <bdi>{line}</bdi>
            </label>
          ))}
        </fieldset>
      )}
      {asked.questions.map((question) => (
        <label key={question.name}>
          {question.text}
          <textarea
            rows={2}
            maxLength={4000}
            value={question.answer}
            onInput={({ currentTarget }) =>
              change({
                ...asked,
                questions: asked.questions.map((one) =>
                  one.name === question.name ? { ...one, answer: currentTarget.value } : one,
                ),
              })
            }
          />
        </label>
      ))}
      <span class="actions">
        <button
          type="button"
          class="primary"
          onClick={() =>
            void act(async () => {
              clearTimeout(typing.current);
              await keep(asked);
              setAsked((await post(`${PATH}/facts`, {})) as Asked);
            })
          }
        >
          Next
        </button>
        <button type="button" onClick={() => void decline()}>
          Not now
        </button>
      </span>
    </section>
  );
}

interface ConfirmationProps {
  facts: string;
  problem: string | null;
  change: (facts: string) => void;
  back: () => void;
  decline: () => Promise<void>;
  confirm: () => Promise<void>;
}

function Confirmation({ facts, problem, change, back, decline, confirm }: ConfirmationProps) {
  return (
    <section class="onboarding" aria-labelledby="onboarding">
      <h2 id="onboarding">Shall this be remembered?</h2>
      {problem && <p role="alert">{problem}</p>}
      <label>
        Facts, one a line
        <textarea rows={8} value={facts} onInput={({ currentTarget }) => change(currentTarget.value)} />
      </label>
      <span class="actions">
        <button type="button" class="primary" disabled={!facts.trim()} onClick={() => void confirm()}>
          Remember this
        </button>
        <button type="button" onClick={back}>
          Back
        </button>
        <button type="button" onClick={() => void decline()}>
          Not now
        </button>
      </span>
    </section>
  );
}
