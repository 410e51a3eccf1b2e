/** For which of one's accounts this tab acts; null: one's own. */
import { Store } from "../store.ts";

const KEY = "flamechat.account";

export const acting = new Store<string | null>(kept());

/** Act for an account in this tab, which keeps it. */
export function actFor(accountId: string | null): void {
  acting.write(accountId);
  try {
    if (accountId) sessionStorage.setItem(KEY, accountId);
    else sessionStorage.removeItem(KEY);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error; // a browser that keeps nothing acts for one's own after a reload
  }
}

/** The header of a request. */
export function actingHeader(): Record<string, string> {
  const accountId = acting.read();
  return accountId ? { "Flamechat-Account": accountId } : {};
}

function kept(): string | null {
  try {
    return typeof sessionStorage === "undefined" ? null : sessionStorage.getItem(KEY);
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}
