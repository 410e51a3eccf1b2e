/** The uses of tools between two texts, as one line that opens to their cards. */
import { useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { stepsSentence } from "./steps_of_turn.ts";
import { ToolCard } from "./tool_card.tsx";
import type { ToolPart } from "./turn.ts";

/** The newest picture of the turn is left out: it stands below the answer. */
export function Steps({
  tools,
  seconds,
  newest,
}: {
  tools: ToolPart[];
  seconds: number | null;
  newest: ToolPart | null;
}) {
  const [wasOpened, setWasOpened] = useState(false); // a long conversation has hundreds of cards that nobody looks at
  const failed = tools.some((tool) => tool.status === "error");
  return (
    <details class="steps" onToggle={(event) => event.currentTarget.open && setWasOpened(true)}>
      <summary data-failed={failed || undefined}>
        <Icon name="tool" />
        {stepsSentence(tools, seconds)}
      </summary>
      {wasOpened && tools.map((tool) => <ToolCard key={tool.toolCallId} part={tool} pictured={tool !== newest} />)}
    </details>
  );
}
