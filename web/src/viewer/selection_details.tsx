/** More of the selected function, folded away until somebody opens it. */
import { useState } from "preact/hooks";
import { useRareParts } from "./rare_loading.ts";
import type { ViewerStore } from "./viewer_store.ts";

export function SelectionDetails({ store, frame, call }: { store: ViewerStore; frame: string; call: string | null }) {
  const [isOpen, setOpen] = useState(false);
  const parts = useRareParts(store, isOpen);
  return (
    <details class="selection-details" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Callers, callees, calls{call ? ", arguments" : ""}</summary>
      {parts && <parts.SelectionFigures {...{ store, frame, call }} />}
    </details>
  );
}
