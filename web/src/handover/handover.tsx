/**
 * `/open`: a recording from elsewhere, fetched by this browser (`?url=`) or handed over by the window that opened this
 * one. Its name and size are shown; it goes to the server after a click.
 */
import "../style/handover.css";
import { useEffect, useState } from "preact/hooks";
import { UploadList } from "../home/upload_list.tsx";
import { startUploads } from "../home/uploads.ts";
import { Icon } from "../icons.tsx";
import { newId } from "../identifiers.ts";
import { roomPath } from "../route.ts";
import { formatSize } from "../viewer/values.ts";
import { fetchedRecording, NotFetched } from "./fetched_recording.ts";
import { handedOver, READY, siteOf, TAKEN } from "./handed_over.ts";
import { recordingAddress } from "./recording_address.ts";

type Stage =
  | { is: "waiting" }
  | { is: "fetching"; bytes: number; of: number | null; stop: () => void }
  | { is: "offered"; file: File }
  | { is: "sending" }
  | { is: "refused"; why: string };

interface Shown {
  /** Where it comes from: an address, or another window's site. */
  from: string | null;
  stage: Stage;
}

export function Handover() {
  const [shown, setShown] = useState<Shown>({ from: null, stage: { is: "waiting" } });
  useEffect(() => {
    document.title = "Open a recording · Flamechat";
    const asked = new URLSearchParams(location.search).get("url");
    return asked === null ? listenToOpener(setShown) : startFetching(asked, setShown);
  }, []);
  const { from, stage } = shown;
  const upload = (file: File) => {
    setShown({ from, stage: { is: "sending" } });
    void startUploads([file], ([trace]) => location.replace(roomPath(trace!.traceId, newId()))).then(() =>
      setShown({ from, stage: { is: "offered", file } }),
    );
  };
  return (
    <main class="home handover">
      <div class="home-column">
        <h1>Open a recording</h1>
        {from !== null && (
          <p class="note">
            From <bdi class="place">{from}</bdi>
          </p>
        )}
        {stage.is === "waiting" && <p role="status">{waitingFor()}</p>}
        {stage.is === "fetching" && (
          <div class="handover-row">
            <p role="status">Your browser fetches it: {progress(stage.bytes, stage.of)}</p>
            <progress aria-label="Fetching the recording" {...shareOf(stage.bytes, stage.of)} />
            <button type="button" onClick={stage.stop}>
              Stop
            </button>
          </div>
        )}
        {stage.is === "offered" && (
          <div class="handover-row">
            <p>
              <strong>
                <bdi>{stage.file.name}</bdi>
              </strong>{" "}
              <span role="status">{formatSize(stage.file.size)}</span>
            </p>
            <button type="button" class="primary" onClick={() => upload(stage.file)}>
              Upload and open
            </button>
            <p class="note">Nothing has been sent to this server yet.</p>
          </div>
        )}
        {stage.is === "refused" && (
          <div class="banner" role="alert">
            <Icon name="warning" />
            <span>{stage.why}</span>
          </div>
        )}
        <UploadList />
      </div>
    </main>
  );
}

function waitingFor(): string {
  return window.opener
    ? "Waiting for the window that opened this page to hand a recording over."
    : "An address like /open?url=https://example.com/trace.json opens a recording from there.";
}

function progress(bytes: number, of: number | null): string {
  return of === null || bytes > of ? formatSize(bytes) : `${formatSize(bytes)} of ${formatSize(of)}`;
}

function shareOf(bytes: number, of: number | null): { max?: number; value?: number } {
  return of === null || bytes > of ? {} : { max: of, value: bytes };
}

function startFetching(asked: string, show: (shown: Shown) => void): () => void {
  const address = recordingAddress(asked, location.origin);
  if (typeof address === "string") {
    show({ from: asked, stage: { is: "refused", why: address } });
    return () => undefined;
  }
  const from = address.href;
  const abort = new AbortController();
  const stop = () => abort.abort();
  const arrived = (bytes: number, of: number | null) => show({ from, stage: { is: "fetching", bytes, of, stop } });
  arrived(0, null);
  fetchedRecording(address, abort.signal, arrived).then(
    (file) => show({ from, stage: { is: "offered", file } }),
    (error: unknown) => {
      if (abort.signal.aborted) return show({ from, stage: { is: "refused", why: "You stopped it." } });
      if (!(error instanceof NotFetched)) throw error;
      show({ from, stage: { is: "refused", why: error.message } });
    },
  );
  return stop;
}

/** Say to the window that opened this one that it may hand over, and take what it hands over. Others are not listened to. */
function listenToOpener(show: (next: (before: Shown) => Shown) => void): () => void {
  const opener = window.opener as Window | null;
  if (!opener) return () => undefined;
  const listen = (event: MessageEvent<unknown>) => {
    if (event.source !== opener) return;
    const taken = handedOver(event.data);
    if (taken === null) return;
    const stage: Stage = typeof taken === "string" ? { is: "refused", why: taken } : { is: "offered", file: taken };
    const shown = { from: siteOf(event.origin), stage };
    show((before) => (before.stage.is === "sending" ? before : shown));
    opener.postMessage(TAKEN, event.origin === "null" ? "*" : event.origin);
  };
  addEventListener("message", listen);
  opener.postMessage(READY, "*"); // which says nothing of anybody
  return () => removeEventListener("message", listen);
}
