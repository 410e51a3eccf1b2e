// A browser's way to a Flamechat server that has no public address: it takes a WebSocket, checks who asks, passes
// prompts on to `POST /api/v1/ai/process-turn`, and sends what came of it. The answer itself comes over Realtime.
//
// Secrets: FLAMECHAT_URL (where this function reaches the server), PROCESS_AI_TURN_SECRET (as the server has it);
// SUPABASE_URL and the project's keys are there by themselves. Deploy with --no-verify-jwt: a browser's WebSocket sends
// no header, so the token comes in the first message.
import { createClient } from "@supabase/supabase-js";
import { projectKey } from "./project_key.ts";
import { Conversation, type Forwarded, type Person } from "./conversation.ts";

function required(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new Error(`${name} is not set: supabase secrets set ${name}=...`);
  return value;
}

const projectUrl = required("SUPABASE_URL").replace(/\/$/, "");
const serverUrl = required("FLAMECHAT_URL").replace(/\/$/, "");
const secret = required("PROCESS_AI_TURN_SECRET");
const auth = createClient(projectUrl, projectKey(Deno.env.get.bind(Deno.env)), {
  auth: { persistSession: false, autoRefreshToken: false },
}).auth;

/** Who a token belongs to; null for a false one. The client checks signature and expiry, we the rest. */
async function personOf(token: string): Promise<Person | null> {
  const { data } = await auth.getClaims(token).catch(() => ({ data: null }));
  const claims = data?.claims;
  const audience = [claims?.aud ?? []].flat();
  if (!claims || claims.iss !== `${projectUrl}/auth/v1` || !audience.includes("authenticated")) return null;
  if (claims.role !== "authenticated") return null;
  return { userId: claims.sub, expiresAt: claims.exp };
}

async function forward(turn: Record<string, unknown>): Promise<Forwarded> {
  const answer = await fetch(`${serverUrl}/api/v1/ai/process-turn`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Internal-Auth-Token": secret },
    body: JSON.stringify(turn),
    signal: AbortSignal.timeout(20_000),
  });
  return { status: answer.status, body: await answer.json().catch(() => ({})) };
}

Deno.serve((request) => {
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
    return new Response("This is a WebSocket's address.", { status: 426 });
  }
  const { socket, response } = Deno.upgradeWebSocket(request);
  const conversation = new Conversation({
    personOf,
    forward,
    send: (message) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message)),
    close: (code, reason) => socket.readyState === WebSocket.OPEN && socket.close(code, reason),
  });
  socket.onopen = () => conversation.begin();
  socket.onmessage = ({ data }) => conversation.receive(data);
  socket.onclose = socket.onerror = () => conversation.end();
  return response;
});
