/** A trace and a conversation about it: the chart on the left, the chat on the right, each able to move the other. */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { getTrace, type TraceInfo } from "../api.ts";
import { config, wantsRealtimeAlone } from "../accounts/client_config.ts";
import { access, refuse } from "../accounts/token.ts";
import { chatAddress, ChatStore } from "../chat/chat_store.ts";
import { Chat } from "../chat/chat.tsx";
import { realtimeSocket } from "../chat/realtime_client.ts";
import { newId } from "../identifiers.ts";
import { Findings, useInsights } from "../insights/insights.tsx";
import { go, roomPath } from "../route.ts";
import { usePart } from "../store.ts";
import { act, goTo, goToCited } from "../viewer/navigation.ts";
import { ViewerStore } from "../viewer/viewer_store.ts";
import { Viewer } from "../viewer/viewer.tsx";
import { Conversations } from "./conversations.tsx";
import { citing, showCitation } from "./mentions.ts";
import { Opening, useFirstView, useTrace } from "./opening.tsx";
import { Share } from "./share.tsx";
import { Splitter } from "./splitter.tsx";

/** The tools of the viewer that this page lets the model use. */
const MOUNTED_TOOLS = ["show_in_viewer", "navigate"];
const GONE = "This trace is not here: it was deleted, or belongs to someone else.";
const LOOK_AFTER_MS = 400;
/** Attempts after which a page that can listen to Realtime does without a socket. */
const SOCKET_ATTEMPTS = 3;

function connect(failures: number): WebSocket {
  const isWithout = config.read().realtime && failures >= SOCKET_ATTEMPTS;
  return isWithout || wantsRealtimeAlone() ? realtimeSocket() : new WebSocket(chatAddress());
}

export interface RoomProps {
  traceId: string;
  sessionId: string | null;
  trace: TraceInfo | null;
  setTrace: (trace: TraceInfo | null) => void;
}

export function Room({ traceId, sessionId, trace, setTrace }: RoomProps) {
  useEffect(() => {
    if (!sessionId) go(roomPath(traceId, newId()), true);
  }, [traceId, sessionId]);
  const problem = useTrace(traceId, getTrace, GONE, setTrace);
  if (problem || !trace || !sessionId || trace.traceId !== traceId) return <Opening problem={problem} />;
  return <OpenRoom key={traceId} trace={trace} sessionId={sessionId} />;
}

function OpenRoom({ trace, sessionId }: { trace: TraceInfo; sessionId: string }) {
  const room = useRef<HTMLElement>(null);
  const viewer = useMemo(() => new ViewerStore(trace), [trace]);
  const chat = useMemo(
    () =>
      new ChatStore({
        traceId: trace.traceId,
        sessionId,
        mountedTools: MOUNTED_TOOLS,
        token: () => access.read().token,
        unknown: (reason) => refuse(access.read().token, reason.replace(/^[a-z_]+: /, "")),
        connect,
        seen: () => (viewer.read().view ? viewer.context() : null),
      }),
    [trace, sessionId, viewer],
  );
  const [proposal, setProposal] = useState<{ text: string } | null>(null);
  const cite = useCallback(
    (handle: string, turnId: string | null) => {
      const turn = chat.read().conversation.turns.find((one) => one.turnId === turnId);
      const citation = turn?.citations?.find((one) => one.handle === handle);
      void (citation ? goToCited(viewer, citation) : goTo(viewer, handle));
    },
    [chat, viewer],
  );

  useFirstView(viewer, trace);

  useEffect(() => {
    chat.open();
    let done = chat.read().conversation.viewerActions.length;
    let acting = Promise.resolve();
    const unwatch = chat.watch(() => {
      const actions = chat.read().conversation.viewerActions;
      for (const action of actions.slice(done))
        // several may come at once: one after the other
        acting = acting.then(() => act(viewer, action)).catch((error: Error) => viewer.report(error.message));
      done = actions.length;
    });
    return () => {
      unwatch();
      chat.close();
    };
  }, [chat, viewer]);

  useEffect(
    () =>
      access.watch(() => {
        const { token, refusal } = access.read();
        if (token && !refusal) chat.authenticate(token);
      }),
    [chat],
  );

  useEffect(() => {
    let sent = "";
    let wait: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(wait);
      wait = setTimeout(() => {
        const context = viewer.context();
        const key = JSON.stringify(context);
        if (key !== sent && viewer.read().view) chat.look(context);
        sent = key;
      }, LOOK_AFTER_MS);
    };
    const unwatch = viewer.watch(look);
    look();
    return () => {
      unwatch();
      clearTimeout(wait);
    };
  }, [chat, viewer]);

  const title = usePart(chat, (state) => state.conversation.title);
  const ended = usePart(chat, (state) => state.conversation.turns.map((turn) => turn.status).join());
  const found = useInsights(trace.traceId);
  const ask = useCallback((text: string) => setProposal({ text }), []);
  const turns = usePart(chat, (state) => state.conversation.turns);
  const mentions = useCallback(
    (handles: string[]) => citing(turns, handles).map((one) => ({ ...one, show: () => showCitation(one) })),
    [turns],
  );
  return (
    <main class="room" ref={room}>
      <h1 class="visually-hidden">{trace.name}</h1>
      <Viewer store={viewer} ask={ask} mentions={mentions}>
        <Share traceId={trace.traceId} />
      </Viewer>
      <Splitter room={room} />
      <div class="chat-pane">
        <Conversations traceId={trace.traceId} sessionId={sessionId} version={ended + title} title={title} />
        <Findings store={viewer} found={found} ask={ask} isOpen={turns.length === 0} />
        <Chat
          key={sessionId}
          store={chat}
          sessionId={sessionId}
          proposal={proposal}
          cite={cite}
          showsFindings={found.problem !== null}
        />
      </div>
    </main>
  );
}
