/** A question of an answer that waits for it: to the person, or for one of their traces. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { ApproveCallArgs, AskedOfPage, AskPersonArgs, PickTraceArgs } from "../protocol.ts";

type Resume = (result: Record<string, unknown>) => void;

export function AskedCard({ asked, resume }: { asked: AskedOfPage; resume: Resume }) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current?.scrollIntoView({ block: "nearest" }), []);
  const [sent, setSent] = useState(false);
  const answer: Resume = (result) => {
    setSent(true);
    resume(result);
  };
  const args = asked.args as unknown as AskPersonArgs | PickTraceArgs | ApproveCallArgs;
  return (
    <section class="asked" aria-label="A question to you" role="group" ref={card}>
      <p role="alert">
        <b>The answer waits for you:</b>{" "}
        <bdi>{"question" in args ? args.question : `May ${args.tool} of ${args.server} be called, outside?`}</bdi>
      </p>
      <fieldset disabled={sent}>
        {"choices" in args ? (
          <Choices args={args} answer={answer} />
        ) : "traces" in args ? (
          <Traces args={args} answer={answer} />
        ) : (
          <Call args={args} answer={answer} />
        )}
        <button type="button" class="asked-decline" onClick={() => answer({ status: "declined" })}>
          Go on without it
        </button>
      </fieldset>
    </section>
  );
}

function Choices({ args, answer }: { args: AskPersonArgs; answer: Resume }) {
  const [text, setText] = useState("");
  return (
    <>
      {args.choices.map((choice) => (
        <button key={choice} type="button" onClick={() => answer({ status: "answered", answer: choice })}>
          <bdi>{choice}</bdi>
        </button>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim()) answer({ status: "answered", answer: text.trim() });
        }}
      >
        <input
          aria-label="Another answer"
          placeholder="Another answer"
          maxLength={500}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" disabled={!text.trim()}>
          Answer
        </button>
      </form>
    </>
  );
}

/** All that would leave is in sight. */
function Call({ args, answer }: { args: ApproveCallArgs; answer: Resume }) {
  return (
    <>
      <pre tabIndex={0} role="region" aria-label="What would be sent">
        {JSON.stringify(args.arguments, null, 2)}
      </pre>
      <button type="button" onClick={() => answer({ status: "allowed" })}>
        Allow this call
      </button>
    </>
  );
}

function Traces({ args, answer }: { args: PickTraceArgs; answer: Resume }) {
  return (
    <>
      {args.traces.map(({ traceId, name, created }) => (
        <button key={traceId} type="button" onClick={() => answer({ status: "picked", traceId })}>
          <bdi>{name}</bdi> <small>{created}</small>
        </button>
      ))}
    </>
  );
}
