/** A trace and a conversation about it: the chart on the left, the chat on the right, each able to move the other. */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { getTrace, type TraceInfo } from "../api.ts";
import { config, wantsRealtimeAlone } from "../accounts/client_config.ts";
import { access, refuse } from "../accounts/token.ts";
import { chatAddress, ChatStore } from "../chat/chat_store.ts";
import { Chat } from "../chat/chat.tsx";
import type { Clicked } from "../chat/clicks.ts";
import type { Pictured } from "../chat/pictured.ts";
import { SaveConversation } from "../chat/save_conversation.tsx";
import { realtimeSocket } from "../chat/realtime_client.ts";
import { hasEnded, type Turn } from "../chat/turn.ts";
import { useUsage } from "../chat/use_usage.ts";
import { newId } from "../identifiers.ts";
import { Findings, useInsights } from "../insights/insights.tsx";
import { go, roomPath } from "../route.ts";
import { useSettled } from "../settling.ts";
import { usePart } from "../store.ts";
import { act } from "../viewer/navigation.ts";
import { OfferBar } from "../viewer/offer_bar.tsx";
import { shownView } from "../viewer/shown_view.ts";
import { ViewerStore } from "../viewer/viewer_store.ts";
import { Viewer } from "../viewer/viewer.tsx";
import { AnswerPlaces } from "./answer_places.ts";
import { answerNavigation, mountedTools } from "./asked_of_page.ts";
import { useCiting } from "./citing.ts";
import { Conversations } from "./conversations.tsx";
import { downloadDrawing, Downloads } from "./downloads.tsx";
import { citing, showCitation } from "./mentions.ts";
import { Opening, useTrace, useViewAddress } from "./opening.tsx";
import { markBothWays } from "./pointing.ts";
import { PaletteButton } from "./palette_button.tsx";
import { PartSwitch, type RoomPart } from "./part_switch.tsx";
import { Splitter } from "./splitter.tsx";

const GONE = "This trace is not here: it was deleted, or belongs to someone else.";
/** Findings that come within it are there before the conversation below them is shown: it does not jump. */
const SETTLING_MS = 1_000;
const LOOK_AFTER_MS = 400;
/** Attempts after which a page that can listen to Realtime does without a socket. */
const SOCKET_ATTEMPTS = 3;

function connect(failures: number): WebSocket {
  const isWithout = config.read().realtime && failures >= SOCKET_ATTEMPTS;
  return isWithout || wantsRealtimeAlone() ? realtimeSocket() : new WebSocket(chatAddress());
}

/** What became of turns since the page was opened: those that had ended before are in its list of conversations already. */
function livedThrough(turns: Turn[]): string {
  return turns.flatMap((turn) => (turn.seq > 0 || !hasEnded(turn) ? [turn.status] : [])).join();
}

export interface RoomProps {
  traceId: string;
  sessionId: string | null;
  trace: TraceInfo | null;
  setTrace: (trace: TraceInfo | null) => void;
}

export function Room({ traceId, sessionId, trace, setTrace }: RoomProps) {
  useEffect(() => {
    if (!sessionId) go(roomPath(traceId, newId()) + location.search + location.hash, true);
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
        mountedTools: () => mountedTools(viewer),
        token: () => access.read().token,
        unknown: (reason) => void refuse(access.read().token, reason.replace(/^[a-z_]+: /, "")),
        connect,
        seen: () => (viewer.read().view ? viewer.context() : null),
      }),
    [trace, sessionId, viewer],
  );
  const [proposal, setProposal] = useState<{ text: string } | null>(null);
  const { cite, show } = useCiting(viewer, chat, () => chat.read().conversation.turns);
  const [part, setPart] = useState<RoomPart>("chart");
  const citeInChart = useCallback<Clicked["cite"]>((...cited) => (setPart("chart"), cite(...cited)), [cite]);
  const showInChart = useCallback<Clicked["show"]>((pictured) => (setPart("chart"), show(pictured)), [show]);
  const draw = useCallback(
    (pictured: Pictured) =>
      void downloadDrawing(viewer, pictured).catch((error: Error) => viewer.report(error.message)),
    [viewer],
  );

  const note = useCallback<Clicked["note"]>(
    (turnId) => {
      const turn = chat.read().conversation.turns.find((one) => one.turnId === turnId);
      const write = async () => {
        const written = turn ? await (await import("./answer_notes.ts")).noteAnswer(viewer, turn) : 0;
        viewer.openPanel("notes");
        if (written === 0) viewer.report("These notes are there already, or the answer names no function or call.");
      };
      void write().catch((error: Error) => viewer.report(error.message));
    },
    [chat, viewer],
  );
  const link = useViewAddress(viewer, trace);
  const answerPlaces = useMemo(
    () =>
      new AnswerPlaces(chat, viewer, (turn, { handle, profile }) => cite(handle, turn.turnId, profile ?? null, null)),
    [chat, viewer, cite],
  );
  const offer = usePart(answerPlaces, (value) => value);
  useEffect(() => {
    const touch = () => answerPlaces.touch();
    const events = ["pointerdown", "wheel", "keydown"] as const;
    const chart = room.current!.querySelector<HTMLElement>(".viewer")!;
    events.forEach((name) => chart.addEventListener(name, touch, { capture: true, passive: true }));
    return () => {
      events.forEach((name) => chart.removeEventListener(name, touch, { capture: true }));
      answerPlaces.close();
    };
  }, [answerPlaces]);
  useEffect(() => markBothWays(room.current!, () => chat.read().conversation.turns, viewer), [chat, viewer]);

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
    const unanswer = answerNavigation(chat, viewer);
    return () => {
      unwatch();
      unanswer();
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
        const key = JSON.stringify([context, shownView(viewer)]);
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

  const mine = useUsage(chat, sessionId);
  const mayShare = mine?.usage.plan.allowPublicSharing ?? false;
  const [sharing, setSharing] = useState<typeof import("./share.tsx") | null>(null);
  useEffect(() => {
    if (mayShare) void import("./share.tsx").then(setSharing, (error: Error) => viewer.report(error.message));
  }, [mayShare]);
  const title = usePart(chat, (state) => state.conversation.title);
  const lived = usePart(chat, (state) => livedThrough(state.conversation.turns));
  const found = useInsights(trace.traceId);
  const ask = useCallback((text: string) => setProposal({ text }), []);
  const parts = useMemo(() => ({ viewer, chat, ask, link }), [viewer, chat, ask, link]);
  const turns = usePart(chat, (state) => state.conversation.turns);
  const asked = turns.at(-1)?.status === "sending";
  useEffect(() => {
    if (asked) setPart("chat");
  }, [asked]);
  const isNew = usePart(chat, (state) => state.conversation.opening !== null && state.conversation.turns.length === 0);
  const isOpening = usePart(chat, (state) => state.conversation.opening === null);
  const isFound = found.insights !== null || found.problem !== null;
  const isSettled = useSettled(!isOpening && (!isNew || isFound), SETTLING_MS);
  const [sought, setSought] = useState<string | null>(null);
  const mentions = useCallback(
    (handles: string[]) =>
      citing(turns, handles).map((one) => ({
        ...one,
        show: () => {
          setPart("chat");
          setSought(one.turnId);
          requestAnimationFrame(() => showCitation(one)); // once it is in sight
        },
      })),
    [turns],
  );
  return (
    <main class="room" ref={room} data-shown={part}>
      <h1 class="visually-hidden">{trace.name}</h1>
      <PartSwitch shown={part} show={setPart} />
      <Viewer
        store={viewer}
        ask={ask}
        mentions={mentions}
        link={link}
        notice={
          offer && <OfferBar {...offer} show={() => answerPlaces.accept()} dismiss={() => answerPlaces.dismiss()} />
        }
      >
        <Downloads store={viewer} />
        <PaletteButton parts={parts} />
        {mayShare && sharing && <sharing.ShareTrace traceId={trace.traceId} />}
      </Viewer>
      <Splitter room={room} />
      <div class="chat-pane" data-settling={!isSettled || undefined}>
        <Conversations traceId={trace.traceId} sessionId={sessionId} version={lived + title} title={title}>
          {(title) => (
            <>
              <SaveConversation store={chat} traceId={trace.traceId} traceName={trace.name} title={title} />
              {mayShare && sharing && turns.length > 0 && (
                <sharing.ShareConversation key={sessionId} sessionId={sessionId} />
              )}
            </>
          )}
        </Conversations>
        <Findings store={viewer} found={found} ask={ask} isOpen={isNew} />
        <Chat
          key={sessionId}
          store={chat}
          sessionId={sessionId}
          mine={mine}
          proposal={proposal}
          cite={citeInChart}
          show={showInChart}
          draw={draw}
          note={note}
          showsFindings={found.problem !== null}
          traceName={trace.name}
          sought={sought}
        />
      </div>
    </main>
  );
}
