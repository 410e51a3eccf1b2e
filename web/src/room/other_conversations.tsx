/** Below the conversations about a trace: those about all traces, searched in titles and texts, once they are asked for. */
import { useState } from "preact/hooks";

type Loaded = typeof import("../conversations/all_conversations.tsx");

interface OtherConversationsProps {
  current: string;
  chosen: () => void;
  changed: (sessionId: string, isGone: boolean) => void;
}

export function OtherConversations({ current, chosen, changed }: OtherConversationsProps) {
  const [loaded, setLoaded] = useState<Loaded | "lost" | null>(null);
  const [isOpen, setOpen] = useState(false);
  const toggled = (open: boolean) => {
    setOpen(open);
    if (open && loaded === null)
      import("../conversations/all_conversations.tsx").then(setLoaded, () => setLoaded("lost"));
  };
  return (
    <details class="all-conversations" onToggle={(event) => toggled(event.currentTarget.open)}>
      <summary>About all traces</summary>
      {isOpen && loaded === "lost" && (
        <p role="alert" class="note">
          This part of the page could not be fetched. Reload the page.
        </p>
      )}
      {isOpen && loaded && loaded !== "lost" && <loaded.ConversationSearch {...{ current, chosen, changed }} />}
    </details>
  );
}
