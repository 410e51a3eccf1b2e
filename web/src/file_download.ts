/** Files that the browser is given: made on the page, or fetched with the person's token. */
import { callFor } from "./api.ts";

/** The bytes of an address of the API. Raises an ApiError. */
export async function fileOf(path: string): Promise<Blob> {
  return (await callFor(path)).blob();
}

export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // the browser may still be reading it
}

/** A text as the name of a file: letters, digits, dots and dashes, at most 60. */
export function fileName(text: string): string {
  const kept = text
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  return [...kept].slice(0, 60).join("") || "file";
}
