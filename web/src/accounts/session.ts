/** A person's session with the project: kept for all tabs of this browser, renewed before it runs out. The client of
 * Supabase Auth is fetched when there is something to do. */
import { Store } from "../store.ts";
import { config } from "./client_config.ts";
import { pauseOf, readSession, renewalIn, sessionOf, whose, type Person, type Session } from "./kept_session.ts";
import type { ProjectAuth } from "./project_auth.ts";
import { access, kept, renewBy, setToken, takeToken } from "./token.ts";

/** Where the client of Supabase Auth keeps it. */
export const SESSION_KEY = "flamechat.session";

/** How soon a session that was refused is tried again. */
const AGAIN_MS = 60_000;
/** How long another tab may take to renew it. */
const OTHER_TAB_MS = 15_000;

/** Whose session it is; null where a token was pasted or nobody is in. */
export const person = new Store<Person | null>(null);

let timer: ReturnType<typeof setTimeout> | undefined;
let renewedAt = -Infinity;
let renewing: Promise<boolean> | null = null;
let client: Promise<ProjectAuth> | null = null;

/** Begin with the session that a link brought, or with the one that this browser keeps. */
export function startSession(refreshToken: string | null): void {
  if (config.read().identity !== "supabase") return;
  renewBy(renewed);
  addEventListener("storage", ({ key }) => (key === SESSION_KEY || key === null) && adopt());
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && tryAgain());
  addEventListener("online", tryAgain);
  const { token } = access.read();
  const brought = token && refreshToken && sessionOf(token, refreshToken);
  if (brought) keep(brought);
  adopt();
}

/** Do something with the project's sign-in, and go on with the session that comes of it. Raises an Error in words. */
export async function withAuth<T>(work: (auth: ProjectAuth) => Promise<T>): Promise<T> {
  client ??= import("./project_auth.ts").then(({ ProjectAuth }) => new ProjectAuth(config.read()));
  try {
    return await work(await client.catch(unfetched));
  } finally {
    adopt();
  }
}

/** The same, for what may sign somebody in: then a token that was pasted before counts no more. */
export async function signIn<T>(work: (auth: ProjectAuth) => Promise<T>): Promise<T> {
  const before = stored()?.access_token;
  const done = await withAuth(work);
  const now = stored()?.access_token;
  if (now && now !== before && kept()) {
    setToken(null);
    adopt();
  }
  return done;
}

function unfetched(): never {
  client = null;
  throw new Error("This part of the page could not be fetched. Reload the page.");
}

/** Leave in this browser, or in all. Raises an Error where the project does not answer and nobody was signed out. */
export async function signOut(everywhere: boolean): Promise<void> {
  if (stored()) await withAuth((auth) => auth.signOut(everywhere));
  clearTimeout(timer);
  setToken(null);
  person.write(null);
}

function stored(): Session | null {
  try {
    return readSession(localStorage.getItem(SESSION_KEY));
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

function keep(session: Session): void {
  try {
    localStorage.setItem(SESSION_KEY, JSON.stringify({ ...session, token_type: "bearer" }));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error; // a browser that keeps nothing asks again in an hour
  }
}

/** Go on with what the browser keeps now, whichever tab has put it there. A token that was pasted counts before it. */
function adopt(): void {
  if (kept()) return;
  clearTimeout(timer);
  const session = stored();
  const before = person.read();
  const { token, refusal } = access.read();
  if (!session) {
    if (!token || !before || refusal) return;
    person.write(null);
    takeToken(null); // another tab has signed out
    return;
  }
  const now = whose(session);
  if (before && now && before.id !== now.id) location.reload(); // nothing of the former person stays on the page
  if (now?.id !== before?.id || now?.email !== before?.email) person.write(now);
  if (session.access_token !== token) takeToken(session.access_token);
  timer = setTimeout(() => void renew(), renewalIn(session, Date.now(), Date.now() - renewedAt));
}

/** A session that was refused may be good by now: clocks meet, and services come back. */
function tryAgain(): void {
  const session = stored();
  if (session && !kept() && access.read().refusal) takeToken(session.access_token);
  adopt();
}

async function renewed(refusedToken: string | null): Promise<boolean> {
  const session = stored();
  if (!session || kept()) return false;
  if (session.access_token !== refusedToken) adopt();
  else if (renewing || Date.now() - renewedAt >= pauseOf(session)) return renew();
  else {
    timer = setTimeout(tryAgain, AGAIN_MS);
    return false; // a new one would be refused as well
  }
  return true;
}

/** One renewal at a time, over all tabs where the browser can: a refresh token is good for one. */
function renew(): Promise<boolean> {
  const known = access.read().token;
  renewing ??= alone(() => renewOnce(known)).finally(() => (renewing = null));
  return renewing;
}

async function alone(work: () => Promise<boolean>): Promise<boolean> {
  if (!navigator.locks) return work();
  try {
    return await navigator.locks.request(SESSION_KEY, { signal: AbortSignal.timeout(OTHER_TAB_MS) }, work);
  } catch (error) {
    if (error instanceof DOMException) return work();
    throw error;
  }
}

async function renewOnce(known: string | null): Promise<boolean> {
  const session = stored();
  if (!session) return false;
  if (session.access_token !== known) {
    adopt();
    return true; // another tab has done it
  }
  renewedAt = Date.now();
  try {
    await withAuth((auth) => auth.renew(session.refresh_token));
    return true;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (!stored() || session.expires_at * 1000 <= Date.now())
      access.write({ ...access.read(), refusal: error.message });
    return false;
  }
}
