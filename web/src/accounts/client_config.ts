/** What the server says of itself before anybody has signed in. */
import { json } from "../api.ts";
import { Store } from "../store.ts";

export interface ClientConfig {
  identity: "local" | "supabase";
  supabaseUrl: string | null;
  supabasePublishableKey: string | null;
  /** Whether turns are sent to the project's Realtime too. */
  realtime: boolean;
  /** Whether facts are remembered. */
  memory: boolean;
  /** Whether accounts have several members. */
  teams?: boolean;
}

export const config = new Store<ClientConfig>({
  identity: "local",
  supabaseUrl: null,
  supabasePublishableKey: null,
  realtime: false,
  memory: true,
});

const STREAM = new URLSearchParams(location.search).get("stream");

/** Whether the page was opened to receive turns from Realtime alone: `?stream=realtime`. */
export function wantsRealtimeAlone(): boolean {
  return config.read().realtime && STREAM === "realtime";
}

/** Fetch the configuration. That a server does not answer is reported by the next request. */
export async function startConfig(): Promise<void> {
  await json<ClientConfig>("/config").then(
    (received) => config.write(received),
    () => undefined,
  );
}
