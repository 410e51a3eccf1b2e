/** Files on their way to the server, one after the other, wherever on the page they were dropped. */
import { uploadTrace, type TraceInfo } from "../api.ts";
import { Store } from "../store.ts";

export interface UploadState {
  id: number;
  name: string;
  size: number;
  /** The share that has been sent; 1 while the server reads the trace. */
  share: number;
  problem: string | null;
  cancel: () => void;
}

export const uploads = new Store<UploadState[]>([]);

let lastId = 0;

function change(id: number, part: Partial<UploadState>): void {
  uploads.write(uploads.read().map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));
}

export function dismissUpload(id: number): void {
  uploads.write(uploads.read().filter((upload) => upload.id !== id));
}

/** Send files; `opened` hears the traces that were read. Earlier problems are cleared. */
export async function startUploads(files: File[], opened: (traces: TraceInfo[]) => void): Promise<void> {
  uploads.write(uploads.read().filter((upload) => upload.problem === null));
  const traces: TraceInfo[] = [];
  for (const file of files) {
    const id = ++lastId;
    const upload = uploadTrace(file, (share) => change(id, { share }));
    uploads.write([
      ...uploads.read(),
      { id, name: file.name, size: file.size, share: 0, problem: null, cancel: upload.cancel },
    ]);
    try {
      traces.push(await upload.done);
      dismissUpload(id);
    } catch (error) {
      change(id, { problem: error instanceof Error ? error.message : String(error) });
    }
  }
  if (traces.length) opened(traces);
}
