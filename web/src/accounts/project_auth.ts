/** Signing in with Supabase Auth, by its own client. Errors come out as sentences. */
import { GoTrueClient, isAuthApiError, type AuthError, type Provider } from "@supabase/auth-js";
import type { ClientConfig } from "./client_config.ts";
import { SESSION_KEY } from "./session.ts";

/** What the project lets people sign in with. */
export interface WaysIn {
  email: boolean;
  /** Whether people may make an account by themselves. */
  signUp: boolean;
  providers: string[];
}

const ANSWER_MS = 20_000;
const NOT_PROVIDERS = new Set(["email", "phone", "anonymous_users"]);

const WORDS: Record<string, string> = {
  invalid_credentials: "The e-mail address or the password is wrong.",
  email_not_confirmed: "Confirm your address first: open the link that was mailed to you.",
  email_address_invalid: "This is no e-mail address to which a mail can be sent.",
  otp_expired: "This code has expired, was used already or is wrong. Ask for another mail.",
  otp_disabled: "Only people who were invited can sign in here.",
  signup_disabled: "Only people who were invited can sign in here.",
  over_email_send_rate_limit: "Too many mails were asked for. Wait a minute.",
  over_request_rate_limit: "There were too many tries. Wait a few minutes.",
  user_already_exists: "There is an account with this address: sign in.",
  user_banned: "This account is blocked. Ask whoever runs the project.",
};

/** For those the session is over; with anything else it is tried again. */
const OVER = new Set([
  "refresh_token_not_found",
  "refresh_token_already_used",
  "session_not_found",
  "session_expired",
  "user_not_found",
  "user_banned",
  "validation_failed", // what is kept is no refresh token
]);

export class ProjectAuth {
  readonly #auth: GoTrueClient;
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor({ supabaseUrl, supabasePublishableKey }: ClientConfig) {
    this.#url = `${supabaseUrl}/auth/v1`;
    this.#headers = { apikey: supabasePublishableKey ?? "" };
    this.#auth = new GoTrueClient({
      url: this.#url,
      headers: this.#headers,
      storageKey: SESSION_KEY,
      autoRefreshToken: false, // session.ts does it, also before this client is fetched
      detectSessionInUrl: false,
      fetch: (address, options) => fetch(address, { ...options, signal: AbortSignal.timeout(ANSWER_MS) }),
    });
  }

  async waysIn(): Promise<WaysIn> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(`${this.#url}/settings`, { headers: this.#headers, signal }).catch(() => null);
    if (!answer?.ok) throw new Error("The project's sign-in service does not answer. Try again in a minute.");
    const { external, disable_signup } = (await answer.json()) as {
      external: Record<string, boolean>;
      disable_signup: boolean;
    };
    const providers = Object.keys(external).filter((name) => external[name] && !NOT_PROVIDERS.has(name));
    return { email: external["email"] ?? false, signUp: !disable_signup, providers };
  }

  async withPassword(email: string, password: string): Promise<void> {
    check((await this.#auth.signInWithPassword({ email, password })).error);
  }

  /** The answer is whether the person is in already: mostly they have to confirm their address first. */
  async signUp(email: string, password: string, back: string): Promise<boolean> {
    const { data, error } = await this.#auth.signUp({ email, password, options: { emailRedirectTo: back } });
    check(error);
    return data.session !== null;
  }

  /** Send a mail with a link, and a code where the project's mails have one. */
  async mailLink(email: string, back: string, signUp: boolean): Promise<void> {
    const options = { emailRedirectTo: back, shouldCreateUser: signUp };
    check((await this.#auth.signInWithOtp({ email, options })).error);
  }

  async withCode(email: string, code: string): Promise<void> {
    check((await this.#auth.verifyOtp({ email, token: code, type: "email" })).error);
  }

  /** Leave for a provider's page, which leads back. */
  async withProvider(provider: string, back: string): Promise<void> {
    const options = { redirectTo: back, skipBrowserRedirect: true };
    const { data, error } = await this.#auth.signInWithOAuth({ provider: provider as Provider, options });
    check(error);
    if (data.url) location.assign(data.url);
  }

  /** Raises an Error; the session is removed where it is over. */
  async renew(refreshToken: string): Promise<void> {
    const { error } = await this.#auth.refreshSession({ refresh_token: refreshToken });
    if (!error || error.name === "AuthRefreshDiscardedError") return; // another tab has written meanwhile
    if (!isAuthApiError(error) || !OVER.has(error.code ?? ""))
      throw new Error("The sign-in has run out, and the project's sign-in service does not answer. It is tried again.");
    localStorage.removeItem(SESSION_KEY);
    throw new Error(WORDS[error.code ?? ""] ?? "You were signed out. Sign in again.");
  }

  async signOut(everywhere: boolean): Promise<void> {
    const { error } = await this.#auth.signOut({ scope: everywhere ? "global" : "local" });
    if (!error) return;
    if (everywhere)
      throw new Error("The project's sign-in service does not answer: you are still signed in everywhere.");
    localStorage.removeItem(SESSION_KEY);
  }
}

function check(error: AuthError | null): void {
  if (!error) return;
  if (isAuthApiError(error)) throw new Error(WORDS[error.code ?? ""] ?? error.message);
  throw new Error("The project's sign-in service does not answer. Try again in a minute.");
}
