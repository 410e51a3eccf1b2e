/** Addresses of the page: `/`, `/open`, `/admin`, `/account`, `/conversations`, `/questions`, `/gates`, `/t/<traceId>/<sessionId>` and `/s/<token>`; the hash names a handle in the chart. */
import { Store } from "./store.ts";

export type Route =
  | { page: "home" }
  | { page: "open" }
  | { page: "admin" }
  | { page: "account" }
  | { page: "conversations" }
  | { page: "questions" }
  | { page: "gates" }
  | { page: "shared"; token: string }
  | { page: "room"; traceId: string; sessionId: string | null };

export function parseRoute(path: string): Route {
  if (/^\/open$/.test(path)) return { page: "open" };
  if (/^\/admin\/?$/.test(path)) return { page: "admin" };
  if (/^\/account\/?$/.test(path)) return { page: "account" };
  if (/^\/conversations\/?$/.test(path)) return { page: "conversations" };
  if (/^\/questions\/?$/.test(path)) return { page: "questions" };
  if (/^\/gates\/?$/.test(path)) return { page: "gates" };
  const link = /^\/s\/([A-Za-z0-9_-]+)\/?$/.exec(path);
  if (link) return { page: "shared", token: link[1]! };
  const match = /^\/t\/([A-Za-z0-9_-]+)(?:\/([A-Za-z0-9_-]+))?\/?$/.exec(path);
  return match ? { page: "room", traceId: match[1]!, sessionId: match[2] ?? null } : { page: "home" };
}

export const route = new Store<Route>(parseRoute(location.pathname));

export function go(path: string, replace = false): void {
  if (route.read().page === "open") return location.assign(path); // its policy is its own
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  route.write(parseRoute(location.pathname));
}

/** Go to another view of the same page, which its chart follows. */
export function showView(address: string): void {
  history.pushState(null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
}

export function roomPath(traceId: string, sessionId: string): string {
  return `/t/${traceId}/${sessionId}`;
}

export function startRouting(): void {
  addEventListener("popstate", () => {
    const next = parseRoute(location.pathname);
    if (JSON.stringify(next) !== JSON.stringify(route.read())) route.write(next); // a new hash is no new page
  });
  addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.origin !== location.origin || link.target || link.pathname === location.pathname) return;
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    if (link.pathname.startsWith("/api/")) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}
