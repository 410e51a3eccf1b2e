/** A trace may be dropped or pasted anywhere on the page, whatever it shows; where one is open, also to compare with it. */
import { useLayoutEffect, useState } from "preact/hooks";

interface DropTargetProps {
  dropped: (files: File[]) => void;
  /** Called for one that was before the open trace; null where none is open. */
  compared: ((file: File) => void) | null;
}

type Side = "open" | "compare";

export function DropTarget({ dropped, compared }: DropTargetProps) {
  const [over, setOver] = useState<Side | null>(null);
  // Before the page is painted: a file that is dropped where nothing handles it makes the browser leave the page.
  useLayoutEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    let depth = 0; // every element under the pointer enters and leaves
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const sideOf = (event: DragEvent): Side => (compared && event.clientX > innerWidth / 2 ? "compare" : "open");
    addEventListener("dragenter", (event) => holdsFiles(event) && ++depth && setOver(sideOf(event)), { signal });
    addEventListener("dragleave", (event) => holdsFiles(event) && --depth <= 0 && setOver(null), { signal });
    addEventListener(
      "dragover",
      (event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        setOver(sideOf(event));
      },
      { signal },
    );
    addEventListener(
      "drop",
      (event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        depth = 0;
        setOver(null);
        const files = [...(event.dataTransfer?.files ?? [])];
        if (sideOf(event) === "compare" && files.length === 1) compared!(files[0]!);
        else dropped(files);
      },
      { signal },
    );
    addEventListener(
      "paste",
      (event) => {
        const files = [...(event.clipboardData?.files ?? [])];
        if (files.length === 0 || (event.target as Element | null)?.closest?.("input, textarea")) return;
        event.preventDefault();
        dropped(files);
      },
      { signal },
    );
    return () => abort.abort();
  }, [dropped, compared]);
  return over ? (
    <div class="drop-cover" data-sides={compared ? 2 : undefined} aria-hidden="true">
      <p data-over={over === "open" || undefined}>Drop the trace to open it</p>
      {compared && <p data-over={over === "compare" || undefined}>Drop it here to compare: it was before</p>}
    </div>
  ) : null;
}
