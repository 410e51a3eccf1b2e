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

export const access = new Store<Access>({ token: null, refusal: null });

/** What a link's fragment brings: a token, or why there is none; null for any other fragment. */
export function fromFragment(hash: string): Access | null {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const token = parts.get("access_token");
  if (token) return { token, refusal: null };
  const refusal = parts.get("error_description") ?? (parts.has("error_code") ? parts.get("error") : null);
  return refusal ? { token: null, refusal } : null;
}

/** Take the token of the address, which is cleaned at once, or the one that this tab kept. */
export function startToken(): void {
  const brought = fromFragment(location.hash);
  if (brought) history.replaceState(null, "", location.pathname + location.search);
  if (brought?.token) setToken(brought.token);
  else access.write({ token: kept(), refusal: brought?.refusal ?? null });
}

export function setToken(token: string | null): void {
  access.write({ token, refusal: null });
  try {
    if (token) sessionStorage.setItem(KEY, token);
    else sessionStorage.removeItem(KEY);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error; // a browser that keeps nothing asks again after a reload
  }
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `${COOKIE}=${token ?? ""}; path=/; samesite=strict${secure}${token ? "" : "; max-age=0"}`;
}

/** The server does not take this token (any more). */
export function refuse(token: string | null, refusal: string): void {
  if (access.read().token === token) access.write({ token, refusal });
}

function kept(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}
