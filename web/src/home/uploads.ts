/** Files on their way to the server, one after the other, wherever on the page they were dropped. */
import { uploadStage, uploadTrace, type TraceInfo, type UploadStage } from "../api.ts";
import { newId } from "../identifiers.ts";
import { Store } from "../store.ts";

export interface UploadState {
  id: number;
  name: string;
  size: number;
  /** The share that has been sent; 1 while the server reads the trace. */
  share: number;
  /** What the server does with it then, null until that is known. */
  stage: UploadStage | null;
  problem: string | null;
  cancel: () => void;
}

const ASK_EVERY_MS = 400;

export const uploads = new Store<UploadState[]>([]);

let lastId = 0;

function change(id: number, part: Partial<UploadState>): void {
  uploads.write(uploads.read().map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));
}

export function dismissUpload(id: number): void {
  uploads.write(uploads.read().filter((upload) => upload.id !== id));
}

/** Ask what the server does with an upload that has left this machine. */
async function look(id: number, uploadId: string): Promise<void> {
  if (uploads.read().find((upload) => upload.id === id)?.share !== 1) return;
  const stage = await uploadStage(uploadId);
  if (stage) change(id, { stage });
}

/** Send files; `opened` gets the traces that were read. Earlier problems are cleared. */
export async function startUploads(files: File[], opened: (traces: TraceInfo[]) => void): Promise<void> {
  uploads.write(uploads.read().filter((upload) => upload.problem === null));
  const traces: TraceInfo[] = [];
  for (const file of files) {
    const id = ++lastId;
    const uploadId = newId();
    const upload = uploadTrace(file, uploadId, (share) => change(id, { share }));
    uploads.write([
      ...uploads.read(),
      { id, name: file.name, size: file.size, share: 0, stage: null, problem: null, cancel: upload.cancel },
    ]);
    const asking = setInterval(() => void look(id, uploadId), ASK_EVERY_MS);
    try {
      traces.push(await upload.done);
      dismissUpload(id);
    } catch (error) {
      change(id, { problem: error instanceof Error ? error.message : String(error) });
    } finally {
      clearInterval(asking);
    }
  }
  if (traces.length) opened(traces);
}
