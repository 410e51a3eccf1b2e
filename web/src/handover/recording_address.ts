/** The address of a recording in `/open?url=`: what may be fetched, and what the file is called. */

/** More is fetched by hand: all of it has to be in this browser before it can be sent on. */
export const MOST_BYTES = 2e9;

const OF_THIS_MACHINE = new Set(["localhost", "127.0.0.1"]);

/** The address, or in words why it is not fetched. */
export function recordingAddress(text: string, ours: string): URL | string {
  let address: URL;
  try {
    address = new URL(text);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return "This is no address. It begins with https://.";
  }
  if (address.username || address.password) return "The address has a password in it, which is not sent. Leave it out.";
  if (address.origin === ours) return "This is an address of this server. Its traces are on the first page.";
  if (address.protocol === "https:") return address;
  if (address.protocol === "http:" && OF_THIS_MACHINE.has(address.hostname)) return address;
  return "Only addresses with https:// are fetched, and those with http:// of this machine.";
}

/** The last part of the address's path that is not empty. */
export function nameIn(address: URL): string {
  const last = address.pathname.split("/").findLast((part) => part !== "") ?? "recording";
  try {
    return decodeURIComponent(last);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return last;
  }
}
