/** The access token of a user of a Supabase project; a server on one's own machine needs none. */
import { Store } from "../store.ts";

const KEY = "flamechat.token";
/** What the browser fetches by itself, such as pictures, carries the token as this cookie. */
const COOKIE = "flamechat_access";

export interface Access {
  token: string | null;
  /** Why the server did not take a token, in its own words. */
  refusal: string | null;
}

export interface Brought extends Access {
  /** With which the token is renewed. */
  refreshToken: string | null;
}

export const access = new Store<Access>({ token: null, refusal: null });

type Renewal = (refused: string | null) => Promise<boolean>;
let renewal: Renewal = () => Promise.resolve(false);

/** How a token that the server refused is replaced; the answer is whether there is another one now. */
export function renewBy(renew: Renewal): void {
  renewal = renew;
}

/** What a link brings in its fragment: a token, or why there is none; null for any other fragment. */
export function fromFragment(hash: string): Brought | null {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const token = parts.get("access_token");
  if (token) return { token, refreshToken: parts.get("refresh_token"), refusal: null };
  const refusal = parts.get("error_description") ?? (parts.has("error_code") ? parts.get("error") : null);
  return refusal ? { token: null, refreshToken: null, refusal } : null;
}

/** Take the token of the address, which is cleaned at once, or the one that this tab kept. What the address brought
 * comes back. */
export function startToken(): Brought | null {
  const brought = fromFragment(location.hash);
  if (brought) history.replaceState(null, "", location.pathname + withoutRefusal(location.search));
  if (brought?.token) {
    setToken(brought.refreshToken ? null : brought.token); // a session is kept for all tabs
    takeToken(brought.token);
  } else access.write({ token: kept(), refusal: brought?.refusal ?? null });
  return brought;
}

/** A provider's refusal stands in the query too. */
function withoutRefusal(search: string): string {
  const parts = new URLSearchParams(search);
  if (!parts.has("error_description")) return search;
  for (const name of ["error", "error_code", "error_description"]) parts.delete(name);
  return parts.size ? `?${parts}` : "";
}

/** Use a token in this tab, which keeps it. */
export function setToken(token: string | null): void {
  takeToken(token);
  try {
    if (token) sessionStorage.setItem(KEY, token);
    else sessionStorage.removeItem(KEY);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error; // a browser that keeps nothing asks again after a reload
  }
}

/** Use a token that is kept elsewhere, if at all. */
export function takeToken(token: string | null): void {
  access.write({ token, refusal: null });
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `${COOKIE}=${token ?? ""}; path=/; samesite=strict${secure}${token ? "" : "; max-age=0"}`;
}

/** The server does not take this token (any more). The answer is whether another one can be tried; where none can, the
 * refusal is shown. */
export async function refuse(token: string | null, refusal: string): Promise<boolean> {
  if (access.read().token !== token || (await renewal(token))) return true;
  const now = access.read();
  if (now.token === token && !now.refusal) access.write({ token, refusal });
  return false;
}

/** The token that was pasted into this tab. */
export function kept(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}
