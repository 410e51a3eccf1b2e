/** Light and dark: the system's choice until the person makes another. */
import { Store } from "./store.ts";

export type Theme = "light" | "dark";

const KEY = "flamechat.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

export const theme = new Store<Theme>(effective());

/** What this browser lets us keep; a browser that refuses storage keeps nothing. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

function effective(): Theme {
  const chosen = remembered(KEY);
  return chosen === "light" || chosen === "dark" ? chosen : system.matches ? "dark" : "light";
}

function apply(): void {
  const chosen = effective();
  document.documentElement.dataset.theme = chosen;
  theme.write(chosen);
}

export function toggleTheme(): void {
  const next = theme.read() === "dark" ? "light" : "dark";
  remember(KEY, next === (system.matches ? "dark" : "light") ? null : next);
  apply();
}

export function startTheme(): void {
  system.addEventListener("change", apply);
  apply();
}
