/** The server over HTTP, and a project's Realtime, whose client is fetched when it is first needed. */
import type { RealtimeClient } from "@supabase/realtime-js";
import { config } from "../accounts/client_config.ts";
import { acting } from "../accounts/acting.ts";
import { access } from "../accounts/token.ts";
import { ApiError, json, post, send } from "../api.ts";
import type { ConnectionAck, DecideMemory, MemoryChanged, MountedTool, ResumeTurn, TurnSnapshot } from "../protocol.ts";
import { RealtimeSocket, type SessionClient } from "./realtime_socket.ts";

/** A conversation that needs no socket of the server; it has the interface of a WebSocket. */
export function realtimeSocket(): WebSocket {
  return new RealtimeSocket(new ProjectClient()) as unknown as WebSocket;
}

/** What is said of one's own budget is said there; null where it cannot be asked. */
async function ownAccount(): Promise<string | null> {
  try {
    const { accounts } = await json<{ accounts: { accountId: string; isPersonal: boolean }[] }>("/accounts");
    return accounts.find(({ isPersonal }) => isPersonal)?.accountId ?? null;
  } catch (error) {
    if (error instanceof ApiError) return null; // turns are received all the same
    throw error;
  }
}

class ProjectClient implements SessionClient {
  #client: Promise<RealtimeClient> | null = null;

  join(sessionId: string, traceId: string, mountedTools: (string | MountedTool)[]) {
    const path = `/sessions/${encodeURIComponent(sessionId)}/join`;
    return post(path, { traceId, mountedTools }) as Promise<{ ack: ConnectionAck; snapshot: TurnSnapshot | null }>;
  }

  ask(sessionId: string, prompt: object) {
    const path = `/sessions/${encodeURIComponent(sessionId)}/prompts`;
    return post(path, prompt) as Promise<{ turnId: string; position: number | null }>;
  }

  async cancel(turnId: string): Promise<void> {
    await send(`/turns/${encodeURIComponent(turnId)}/cancel`);
  }

  async resume({ interruptId, result, context }: ResumeTurn, turnId: string | null): Promise<void> {
    if (turnId) await send(`/turns/${encodeURIComponent(turnId)}/resume`, "POST", { interruptId, result, context });
  }

  decide({ proposalId, decision, text }: DecideMemory): Promise<MemoryChanged> {
    return post("/memory/decisions", { proposalId, decision, text: text ?? null }) as Promise<MemoryChanged>;
  }

  listen(
    sessionId: string,
    received: (event: string, payload: unknown) => void,
    status: (isSubscribed: boolean) => void,
  ) {
    let isOver = false;
    let leave = () => {};
    this.#connect().then(
      async (client) => {
        await client.setAuth();
        if (isOver) return;
        const channel = client.channel(`chat:${sessionId}`, { config: { private: true } });
        const channels = [channel];
        leave = () => channels.forEach((one) => void client.removeChannel(one));
        for (const event of ["ai_response", "chat_error", "memory_proposed"])
          channel.on("broadcast", { event }, (message) => isOver || received(event, message.payload));
        channel.subscribe((state) => {
          if (!isOver) status(state === "SUBSCRIBED");
        });
        const own = await ownAccount();
        if (isOver) return;
        const ofAccounts = [own, acting.read()]
          .filter((accountId, index, all) => accountId && all.indexOf(accountId) === index)
          .map((accountId) => client.channel(`account:${accountId}`, { config: { private: true } }));
        channels.push(...ofAccounts);
        for (const one of ofAccounts) {
          for (const event of ["limits_changed", "memory_changed"])
            one.on("broadcast", { event }, (message) => isOver || received(event, message.payload));
          one.subscribe();
        }
      },
      () => isOver || status(false),
    );
    return () => {
      isOver = true;
      leave();
    };
  }

  authenticate(token: string): void {
    void this.#client?.then((client) => client.setAuth(token));
  }

  #connect(): Promise<RealtimeClient> {
    return (this.#client ??= import("@supabase/realtime-js").then(({ RealtimeClient }) => {
      const { supabaseUrl, supabasePublishableKey } = config.read();
      return new RealtimeClient(`${supabaseUrl!.replace(/^http/, "ws")}/realtime/v1`, {
        params: { apikey: supabasePublishableKey ?? "" },
        accessToken: () => Promise.resolve(access.read().token),
      });
    }));
  }
}
