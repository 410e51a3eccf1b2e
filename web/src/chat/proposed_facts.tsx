/** What an answer proposes to remember, under it: the person keeps it, changes it, or does not want it. */
import { useState } from "preact/hooks";
import type { Decision, Proposal } from "./conversation.ts";

export type Decide = (proposalId: string, decision: "keep" | "edit" | "no", text?: string) => void;

const OUTCOMES: Record<Decision, string> = {
  keep: "Remembered",
  edit: "Remembered, in your words",
  no: "Not remembered",
  auto: "Remembered",
};

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
        {outcome === null && proposal.reason.startsWith("differs from: ") && (
          <small class="differs"> {proposal.reason}</small>
        )}
      </span>
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
