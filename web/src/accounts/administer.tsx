/** What an owner does with an account: its name, who decides on its memory, its end. */
import { useState } from "preact/hooks";
import type { TeamAccount } from "./teams.ts";

interface AdministerProps {
  account: TeamAccount;
  change: (changes: { name?: string; memoryDecidedBy?: "members" | "owners" }) => Promise<boolean>;
  /** Remove the account, its recordings too where that is asked for. */
  close: (withTraces: boolean) => Promise<boolean>;
}

export function Administer({ account, change, close }: AdministerProps) {
  const [name, setName] = useState(account.name);
  const [ending, setEnding] = useState<"asked" | "held" | null>(null);
  return (
    <>
      <form
        aria-label="This account"
        onSubmit={(event) => {
          event.preventDefault();
          void change({ name });
        }}
      >
        <label>
          Name of this account
          <input required maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <button type="submit" disabled={name.trim() === account.name}>
          Rename
        </button>
      </form>
      <label class="deciders">
        Who decides what is remembered
        <select
          value={account.memoryDecidedBy}
          onChange={({ currentTarget }) =>
            void change({ memoryDecidedBy: currentTarget.value === "owners" ? "owners" : "members" })
          }
        >
          <option value="members">members, on what they said themselves</option>
          <option value="owners">owners alone</option>
        </select>
      </label>
      {ending === null ? (
        <p>
          <button type="button" onClick={() => setEnding("asked")}>
            Remove this account
          </button>
        </p>
      ) : (
        <p class="actions" role="group" aria-label="Remove this account?">
          {ending === "held" && "It holds recordings, which would go too. "}
          <button
            type="button"
            onClick={async () => {
              if (!(await close(ending === "held"))) setEnding("held");
            }}
          >
            {ending === "held" ? "Yes, remove it with its recordings" : "Yes, remove it"}
          </button>
          <button type="button" onClick={() => setEnding(null)}>
            Cancel
          </button>
        </p>
      )}
    </>
  );
}
