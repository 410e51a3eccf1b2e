/** What a browser keeps of a session with Supabase Auth, in the form of its client, and when it is due. */

/** How long before its end a session is renewed, and how soon again at the earliest. */
const MARGIN_MS = 90_000;
const PAUSE_MS = 60_000;
export interface Session {
  access_token: string;
  refresh_token: string;
  /** Seconds since 1970, by the project's clock. */
  expires_at: number;
  expires_in: number;
}

export interface Person {
  id: string;
  email: string | null;
}

/** The session that this browser keeps, if what is kept is one. */
export function readSession(text: string | null): Session | null {
  const found = parsed(text) as Partial<Session> | null;
  const isOne = typeof found?.access_token === "string" && typeof found.refresh_token === "string";
  return isOne && typeof found.expires_at === "number" ? ({ expires_in: 3600, ...found } as Session) : null;
}

/** The session that a link brings; null where its token is none. */
export function sessionOf(token: string, refreshToken: string): Session | null {
  const { exp, iat } = claims(token);
  if (typeof exp !== "number" || typeof iat !== "number") return null;
  return { access_token: token, refresh_token: refreshToken, expires_at: exp, expires_in: exp - iat };
}

/** In how many milliseconds a session is to be renewed, `sinceMs` after it was last. A short one is renewed at half its
 * time, and a clock that is far ahead does not make it be renewed all the time. */
export function renewalIn(session: Session, nowMs: number, sinceMs: number): number {
  const half = session.expires_in * 500;
  const due = session.expires_at * 1000 - Math.min(MARGIN_MS, half) - nowMs;
  return Math.max(due, pauseOf(session) - sinceMs, 0);
}

/** How soon after another a renewal comes at the earliest, in milliseconds. */
export function pauseOf(session: Session): number {
  return Math.min(PAUSE_MS, session.expires_in * 500);
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** What a token says of itself; the server alone checks whether it is true. */
function claims(token: string): Record<string, unknown> {
  const part = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  try {
    const bytes = Uint8Array.from(atob(part), (letter) => letter.charCodeAt(0));
    return (parsed(new TextDecoder().decode(bytes)) ?? {}) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof DOMException) return {};
    throw error;
  }
}

/** Whom its token names. */
export function whose(session: Session): Person | null {
  const { sub, email } = claims(session.access_token);
  return typeof sub === "string" ? { id: sub, email: typeof email === "string" && email ? email : null } : null;
}
