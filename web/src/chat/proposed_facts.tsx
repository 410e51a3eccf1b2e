/** What an answer proposes to remember, under it: the person keeps it, changes it, or does not want it. */
import { useState } from "preact/hooks";
import { struck } from "../accounts/core_memory.ts";
import type { Decision, Proposal } from "./conversation.ts";

export type Decide = (proposalId: string, decision: "keep" | "edit" | "no", text?: string) => void;

const OUTCOMES: Record<Decision, string> = {
  keep: "Remembered",
  edit: "Remembered, in your words",
  no: "Not remembered",
  auto: "Remembered",
};

/** Begins the reason of what differs from something remembered. */
const DIFFERS = "differs from: ";

export function ProposedFacts({ proposals, decide }: { proposals: Proposal[]; decide: Decide }) {
  return (
    <ul class="proposed-facts" aria-label="To remember">
      {proposals.map((proposal) => (
        <li key={proposal.proposalId}>
          <ProposedFact proposal={proposal} decide={decide} />
        </li>
      ))}
    </ul>
  );
}

function ProposedFact({ proposal, decide }: { proposal: Proposal; decide: Decide }) {
  const [text, setText] = useState<string | null>(null);
  const [edited, setEdited] = useState<string | null>(null);
  const { proposalId, action, old, outcome } = proposal;
  const forgets = action === "forget";
  const settled = outcome !== null && outcome !== "auto";
  if (text !== null && !settled)
    return (
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim()) {
            decide(proposalId, "edit", text.trim());
            setEdited(text.trim());
          }
          setText(null);
        }}
      >
        <label>
          Remember
          <input value={text} maxLength={500} onInput={(event) => setText(event.currentTarget.value)} autofocus />
        </label>
        <button type="submit">Keep</button>
        <button type="button" onClick={() => setText(null)}>
          Cancel
        </button>
      </form>
    );
  const head = settled
    ? forgets && outcome === "keep"
      ? "Forgotten"
      : forgets
        ? "Still remembered"
        : OUTCOMES[outcome]
    : outcome === "auto"
      ? forgets
        ? "Forgotten"
        : "Remembered"
      : forgets
        ? "Forget"
        : "Remember";
  return (
    <p class="proposed-fact" data-outcome={outcome ?? undefined}>
      <span>
        <b>{head}:</b> <bdi>{(outcome === "edit" && edited) || (proposal.text ?? old)}</bdi>
        {old !== null && !forgets && (
          <>
            {" "}
            (was: <bdi>{old}</bdi>)
          </>
        )}
        {outcome === null && proposal.reason.startsWith(DIFFERS) && <small class="differs"> {proposal.reason}</small>}
      </span>
      {(outcome === "keep" || outcome === "edit") && !forgets && proposal.reason.startsWith(DIFFERS) && (
        <Superseded older={proposal.reason.slice(DIFFERS.length)} />
      )}
      {outcome === null && (
        <span class="proposed-actions">
          <button type="button" onClick={() => decide(proposalId, "keep")}>
            {forgets ? "Forget" : "Keep"}
          </button>
          {!forgets && (
            <button type="button" onClick={() => setText(proposal.text ?? "")}>
              Edit
            </button>
          )}
          <button type="button" onClick={() => decide(proposalId, "no")}>
            No
          </button>
        </span>
      )}
      {outcome === "auto" && (
        <span class="proposed-actions">
          <button type="button" onClick={() => decide(proposalId, "no")}>
            Undo
          </button>
        </span>
      )}
    </p>
  );
}

/** What was kept differs from an older fact, which one click strikes. */
function Superseded({ older }: { older: string }) {
  const [state, setState] = useState<"asking" | "struck" | "left">("asking");
  const [problem, setProblem] = useState<string | null>(null);
  const strike = async () => {
    try {
      await struck(older);
      setState("struck");
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  if (state === "left") return null;
  if (state === "struck") return <small role="status">No longer remembered: {older}</small>;
  return (
    <span class="proposed-actions" role="group" aria-label="Two facts that do not go together">
      <small>
        Was <q>{older}</q>: is it over?
      </small>
      <button type="button" onClick={() => void strike()}>
        Strike the older
      </button>
      <button type="button" onClick={() => setState("left")}>
        Keep both
      </button>
      {problem && <small role="alert">{problem}</small>}
    </span>
  );
}
