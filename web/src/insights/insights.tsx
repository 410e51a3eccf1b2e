/** What stands out in the trace, found by rule before any question: each finding opens in the chart or in the chat. */
import { useEffect, useState } from "preact/hooks";
import { json } from "../api.ts";
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { goTo, goToWindow } from "../viewer/navigation.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { countsOf, questionAbout, type Insight } from "./summary.ts";

interface Insights {
  insights: Insight[];
  passed: { id: string }[];
  notApplicable: { id: string }[];
}

/** Findings as they come: null while they are looked for, with the reason when they cannot be had. */
export interface Found {
  insights: Insights | null;
  problem: string | null;
}

export function useInsights(traceId: string): Found {
  const [found, setFound] = useState<Found>({ insights: null, problem: null });
  useEffect(() => {
    let current = true;
    json<Insights>(`/traces/${encodeURIComponent(traceId)}/insights`).then(
      (insights) => current && setFound({ insights, problem: null }),
      (error: Error) => current && setFound({ insights: null, problem: error.message }),
    );
    return () => {
      current = false;
    };
  }, [traceId]);
  return found;
}

interface FindingsProps {
  store: ViewerStore;
  found: Found;
  ask: (question: string) => void;
  /** Before the first question they are what there is to read; not before it is known that nothing was asked. */
  isOpen: boolean;
}

export function Findings({ store, found: { insights: found, problem }, ask, isOpen }: FindingsProps) {
  const shown = usePart(store.finding, (id) => id);
  return (
    <details
      class="findings"
      open={(isOpen || shown !== null) && found !== null && found.insights.length > 0}
      onToggle={(event) => !event.currentTarget.open && found && store.finding.write(null)}
    >
      <summary>
        Findings <span class="note">{problem ?? countsOf(found)}</span>
      </summary>
      <ul>
        {found?.insights.map((insight) => (
          <li key={insight.id} class={`finding-${insight.severity}`}>
            <button
              type="button"
              aria-current={insight.id === shown ? "true" : undefined}
              onClick={() => void show(store, insight)}
              title="Show in the chart"
            >
              <strong>{insight.title}</strong>{" "}
              <span class="note">{[insight.severity, insight.thread].filter(Boolean).join(" · ")}</span>
              <span class="finding-detail">{insight.detail}</span>
            </button>
            <button type="button" onClick={() => ask(questionAbout(insight))} aria-label={`Ask about ${insight.title}`}>
              <Icon name="chat" />
            </button>
          </li>
        ))}
      </ul>
      {found && (
        <p class="note">
          {found.passed.length} others were looked for and not found; {found.notApplicable.length} do not apply to this
          trace.
        </p>
      )}
    </details>
  );
}

async function show(store: ViewerStore, { id, evidence, profile, window }: Insight): Promise<void> {
  store.finding.write(id);
  const handle = evidence[0]?.handle;
  if (window && profile) await goToWindow(store, { handle: handle ?? profile, profile, window });
  else if (handle) await goTo(store, handle, { profile });
}
