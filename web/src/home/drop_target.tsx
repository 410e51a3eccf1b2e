/** A trace may be dropped anywhere on the page, whatever it shows. */
import { useLayoutEffect, useState } from "preact/hooks";

export function DropTarget({ dropped }: { dropped: (files: File[]) => void }) {
  const [over, setOver] = useState(false);
  // Before the page is painted: a file that is dropped where nothing handles it makes the browser leave the page.
  useLayoutEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    let depth = 0; // every element under the pointer enters and leaves
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    addEventListener("dragenter", (event) => holdsFiles(event) && ++depth && setOver(true), { signal });
    addEventListener("dragleave", (event) => holdsFiles(event) && --depth <= 0 && setOver(false), { signal });
    addEventListener("dragover", (event) => holdsFiles(event) && event.preventDefault(), { signal });
    addEventListener(
      "drop",
      (event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        depth = 0;
        setOver(false);
        dropped([...(event.dataTransfer?.files ?? [])]);
      },
      { signal },
    );
    return () => abort.abort();
  }, [dropped]);
  return over ? (
    <div class="drop-cover" aria-hidden="true">
      <p>Drop the trace to open it</p>
    </div>
  ) : null;
}
