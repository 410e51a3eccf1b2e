/** What another window says when it hands a recording over: `{ type: "flamechat:recording", name, recording }`. */

export const READY = { type: "flamechat:ready" };
export const TAKEN = { type: "flamechat:taken" };

const LONGEST_NAME = 255;

/** The recording as a file, in words what is wrong with it, or null for a message about something else. */
export function handedOver(message: unknown): File | string | null {
  if (typeof message !== "object" || message === null) return null;
  const { type, name, recording } = message as Record<string, unknown>;
  if (type !== "flamechat:recording") return null;
  const isBytes = recording instanceof ArrayBuffer || ArrayBuffer.isView(recording) || recording instanceof Blob;
  if (!isBytes && typeof recording !== "string") return "It handed over no recording: no text, bytes or file.";
  const own = recording instanceof File ? recording.name : "recording";
  const called = typeof name === "string" && name.trim() ? name.trim().slice(0, LONGEST_NAME) : own;
  const file = new File([recording as BlobPart], called);
  return file.size ? file : "It handed over an empty recording.";
}

/** The other window's site, in words. */
export function siteOf(origin: string): string {
  return origin === "null" ? "a page without a site" : origin;
}
