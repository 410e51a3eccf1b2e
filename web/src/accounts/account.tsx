/** What belongs to oneself: what is remembered, where anything is, who else is in the account, and keys for programs. */
import { useEffect } from "preact/hooks";
import { Keys } from "./keys.tsx";
import { Members } from "./members.tsx";
import { Remembered } from "./remembered.tsx";

export function Account({ remembers, hasTeams }: { remembers: boolean; hasTeams: boolean }) {
  useEffect(() => {
    if (!remembers) document.title = "Account · Flamechat";
  }, [remembers]);
  if (remembers)
    return (
      <Remembered>
        {hasTeams && <Members />}
        <Keys />
      </Remembered>
    );
  return (
    <main class="remembered">
      <h1>Account</h1>
      {hasTeams && <Members />}
      <Keys />
    </main>
  );
}
