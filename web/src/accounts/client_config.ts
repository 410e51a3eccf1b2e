/** What the server says of itself before anybody has signed in. */
import { json } from "../api.ts";
import { Store } from "../store.ts";

export interface ClientConfig {
  identity: "local" | "supabase";
  supabaseUrl: string | null;
  supabaseAnonKey: string | null;
  /** Whether turns are told on the project's Realtime too. */
  realtime: boolean;
}

export const config = new Store<ClientConfig>({
  identity: "local",
  supabaseUrl: null,
  supabaseAnonKey: null,
  realtime: false,
});

const STREAM = new URLSearchParams(location.search).get("stream");

/** Whether the page was opened to hear turns on Realtime alone: `?stream=realtime`. */
export function wantsRealtimeAlone(): boolean {
  return config.read().realtime && STREAM === "realtime";
}

/** Ask; a server that does not answer is told about by whatever is asked next. */
export async function startConfig(): Promise<void> {
  await json<ClientConfig>("/config").then(
    (told) => config.write(told),
    () => undefined,
  );
}
