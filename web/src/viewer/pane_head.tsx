/** The name of an open thread over its chart, and what can be done with it. */
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { FOLDED, rowsOf } from "./pane_place.ts";
import { chooseThread, closeThread } from "./thread_moves.ts";
import type { ViewerStore } from "./viewer_store.ts";

export function PaneHead({ store, handle }: { store: ViewerStore; handle: string }) {
  const isChosen = usePart(store, (state) => state.profile === handle);
  const isTall = usePart(store.open, ({ tall }) => tall === handle);
  const rows = usePart(store.open, ({ parts }) => rowsOf(parts.get(handle)));
  const name = store.profiles.find((entry) => entry.handle === handle)?.name ?? handle;
  return (
    <div class="pane-head" data-chosen={isChosen || undefined}>
      <button
        type="button"
        class="pane-name"
        aria-pressed={isChosen}
        title={isChosen ? name : `Choose ${name}: details, tables and keys are about it`}
        onClick={() => void chooseThread(store, handle)}
      >
        <bdi>{name}</bdi>
      </button>
      {!isTall && rows > FOLDED && (
        <button
          type="button"
          class="icon-button"
          aria-label={`Unfold ${name}`}
          title={`Show more of its ${rows} rows`}
          onClick={() => store.open.makeTall(handle)}
        >
          <Icon name="down" />
        </button>
      )}
      <button
        type="button"
        class="icon-button"
        aria-label={`Close ${name}`}
        title="Close"
        onClick={() => void closeThread(store, handle)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
