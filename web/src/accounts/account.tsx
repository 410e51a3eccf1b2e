/** What belongs to oneself: what is remembered, where anything is, and keys for programs. */
import { useEffect } from "preact/hooks";
import { Keys } from "./keys.tsx";
import { Remembered } from "./remembered.tsx";

export function Account({ remembers }: { remembers: boolean }) {
  useEffect(() => {
    if (!remembers) document.title = "Account · Flamechat";
  }, [remembers]);
  if (remembers)
    return (
      <Remembered>
        <Keys />
      </Remembered>
    );
  return (
    <main class="remembered">
      <h1>Account</h1>
      <Keys />
    </main>
  );
}
