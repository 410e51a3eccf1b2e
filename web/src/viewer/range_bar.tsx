/** A marked range of time, and what can be done with it. */
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { aboutRange, spokenRange } from "./questions.ts";
import { formatValue } from "./values.ts";
import type { ViewerStore } from "./viewer_store.ts";
import { span } from "./window.ts";

export function RangeBar({ store, ask }: { store: ViewerStore; ask: ((question: string) => void) | null }) {
  const range = usePart(store, (state) => state.range);
  const view = usePart(store, (state) => state.view);
  if (!range || !view || span(range) <= 0) return null;
  const origin = store.bounds().start;
  return (
    <div class="range-bar" role="group" aria-label="Marked stretch of time">
      <span role="status">
        {spokenRange(range, origin, view.unit)} <i>{formatValue(span(range), view.unit)}</i>
      </span>
      <button
        type="button"
        onClick={() => {
          store.moveTo(range);
          store.mark(null);
        }}
      >
        Zoom
      </button>
      {ask && (
        <button type="button" onClick={() => ask(aboutRange(range, origin, view.unit))}>
          <Icon name="chat" /> Ask about it
        </button>
      )}
      <button type="button" class="icon-button" aria-label="Unmark" title="Unmark" onClick={() => store.mark(null)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
