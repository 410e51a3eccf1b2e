/** Fetches a recording in this browser, from the server that has it. Nothing of the person goes along. */
import { formatSize } from "../viewer/values.ts";
import { MOST_BYTES, nameIn } from "./recording_address.ts";

export class NotFetched extends Error {}

/** The recording as a file; `arrived` gets the bytes so far. Throws NotFetched, with the reason in words. */
export async function fetchedRecording(
  address: URL,
  signal: AbortSignal,
  arrived: (bytes: number, of: number | null) => void,
  most = MOST_BYTES,
): Promise<File> {
  const options: RequestInit = { mode: "cors", credentials: "omit", referrerPolicy: "no-referrer", signal };
  try {
    const response = await fetch(address, options);
    if (!response.ok) throw new NotFetched(`${address.host} answered ${response.status}.`);
    // Of what was compressed on the way the length is another.
    const length = response.headers.get("Content-Encoding") ? null : Number(response.headers.get("Content-Length"));
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    const reader = response.body!.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      bytes += read.value.length;
      if (bytes > most) {
        await reader.cancel();
        throw new NotFetched(
          `This is more than ${formatSize(most)}: download it, and choose the file on the first page.`,
        );
      }
      parts.push(read.value);
      arrived(bytes, length || null);
    }
    if (bytes === 0) throw new NotFetched(`${address.host} answered with nothing.`);
    return new File(parts, nameIn(address));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new NotFetched(
      `${address.host} cannot be reached, or does not let pages of other sites read this address (CORS). ` +
        "Download the recording, and drop the file here.",
    );
  }
}
