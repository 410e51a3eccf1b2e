/** What the chart shows as a picture, and the trace as another tool's file. */
import { useRef, useState } from "preact/hooks";
import type { Pictured } from "../chat/pictured.ts";
import { download, fileName, fileOf, tracePath } from "../api.ts";
import { Icon } from "../icons.tsx";
import { theme } from "../theme.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { drawingQuery, pictureQuery, TRACE_FILES, type TraceFile } from "./download_queries.ts";

export type PictureKind = "png" | "svg";

/** A picture of what the chart shows. Raises an ApiError, also where the server draws no picture of the view. */
export async function downloadPicture(store: ViewerStore, kind: PictureKind): Promise<void> {
  const query = pictureQuery(store.read(), store.axis(), theme.read(), store.source.colouring);
  if (!query)
    throw new Error("There are pictures of time order, and of left heavy without a range. Choose one of these views.");
  const parameters = new URLSearchParams(query);
  const file = await fileOf(`${tracePath(store.trace.traceId)}/flamegraph.${kind}?${parameters}`);
  download(file, `${fileName(store.trace.name)}.${kind}`);
}

/** A picture of an answer, drawn again as SVG. */
export async function downloadDrawing(store: ViewerStore, pictured: Pictured): Promise<void> {
  const parameters = new URLSearchParams(drawingQuery(pictured, store.source.colouring));
  const file = await fileOf(`${tracePath(store.trace.traceId)}/flamegraph.svg?${parameters}`);
  download(file, `${fileName(store.trace.name)}.svg`);
}

export async function downloadTrace(store: ViewerStore, format: TraceFile): Promise<void> {
  const file = await fileOf(`${tracePath(store.trace.traceId)}/export?format=${format}`);
  download(file, `${fileName(store.trace.name)}.${TRACE_FILES[format].ending}`);
}

export function Downloads({ store }: { store: ViewerStore }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [outcome, setOutcome] = useState<{ text: string; isProblem: boolean } | null>(null);
  const attempt = async (work: () => Promise<void>) => {
    setOutcome({ text: "The file is being made…", isProblem: false });
    try {
      await work();
      setOutcome({ text: "The file is made.", isProblem: false });
    } catch (error) {
      setOutcome({ text: error instanceof Error ? error.message : String(error), isProblem: true });
    }
  };
  const open = () => {
    setOutcome(null);
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" class="icon-button" aria-label="Download" title="Download picture or trace" onClick={open}>
        <Icon name="download" />
      </button>
      <dialog
        ref={dialog}
        class="share"
        aria-labelledby="downloads-title"
        onClick={(event) => event.target === dialog.current && dialog.current?.close()}
      >
        <form method="dialog">
          <h2 id="downloads-title">Download</h2>
          <button class="icon-button" aria-label="Close">
            <Icon name="close" />
          </button>
        </form>
        <p id="downloads-picture">What the chart shows, as a picture</p>
        <p class="share-actions" role="group" aria-labelledby="downloads-picture">
          {(["png", "svg"] as const).map((kind) => (
            <button key={kind} type="button" onClick={() => void attempt(() => downloadPicture(store, kind))}>
              {kind.toUpperCase()}
            </button>
          ))}
        </p>
        <p id="downloads-trace">The trace as a file (pprof and collapsed stacks add its threads up)</p>
        <p class="share-actions" role="group" aria-labelledby="downloads-trace">
          {(Object.keys(TRACE_FILES) as TraceFile[]).map((format) => (
            <button key={format} type="button" onClick={() => void attempt(() => downloadTrace(store, format))}>
              {TRACE_FILES[format].name}
            </button>
          ))}
        </p>
        {outcome && <p role={outcome.isProblem ? "alert" : "status"}>{outcome.text}</p>}
      </dialog>
    </>
  );
}
