/** The commands of a room, from what its trace, chart and conversation are. */
import { findSessions, topFunctions } from "../api.ts";
import type { ChatStore } from "../chat/chat_store.ts";
import { FILE_KINDS, KINDS, saveConversation } from "../chat/save_conversation.tsx";
import { newId } from "../identifiers.ts";
import { go, roomPath } from "../route.ts";
import { toggleTheme } from "../theme.ts";
import { colourBy, COLOURINGS, type Colouring } from "../viewer/colouring.ts";
import { modesOf } from "../viewer/modes.ts";
import { goTo } from "../viewer/navigation.ts";
import { questionHere } from "../viewer/questions.ts";
import { fetchTracks, processLabel } from "../viewer/tracks.ts";
import { formatPlace } from "../viewer/values.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import type { Command } from "./commands.ts";
import { TRACE_FILES, type TraceFile } from "./download_queries.ts";
import { downloadPicture, downloadTrace } from "./downloads.tsx";

const MOST_FUNCTIONS = 1000;
const MOST_CONVERSATIONS = 100;

export interface RoomParts {
  viewer: ViewerStore;
  chat: ChatStore;
  ask: (question: string) => void;
  link: () => Promise<string>;
}

/** What is known at once; `add` gets threads, functions and conversations when the server has answered. */
export function roomCommands({ viewer, chat, ask, link }: RoomParts, add: (more: Command[]) => void): Command[] {
  const problem = (error: Error) => viewer.report(error.message);
  fetchTracks(viewer.path).then(
    ({ tracks, processes }) =>
      add(
        tracks.map(({ handle, name, role, process, tid }) => ({
          key: handle,
          group: "Threads",
          name: name || tid || handle,
          hint: [role, processes[process] && processLabel(processes[process])].filter(Boolean).join(", "),
          run: async () => void (await goTo(viewer, handle)),
        })),
      ),
    problem,
  );
  topFunctions(viewer.path, viewer.read().profile, MOST_FUNCTIONS).then(
    ({ rows }) =>
      add(
        rows.map(({ handle, name, file, line }) => ({
          key: handle,
          group: "Functions",
          name,
          hint: formatPlace(file, line) ?? "",
          run: async () => void (await goTo(viewer, handle)),
        })),
      ),
    problem,
  );
  findSessions({ limit: MOST_CONVERSATIONS }).then(
    (sessions) =>
      add(
        sessions.map(({ sessionId, traceId, title, traceName }) => ({
          key: sessionId,
          group: "Conversations",
          name: (title ?? "Untitled conversation").replaceAll("`", ""),
          hint: traceName,
          run: () => go(roomPath(traceId, sessionId)),
        })),
      ),
    problem,
  );
  return [...actions(viewer, chat, link), ...questions(viewer, chat, ask)];
}

/** What can be done with a text that was typed. */
export function commandsWithText({ viewer, ask }: RoomParts, text: string): Command[] {
  return [
    { key: "search", group: "Actions", name: `Search the chart for ${text}`, run: () => viewer.search(text) },
    { key: "ask", group: "Questions", name: `Ask: ${text}`, run: () => ask(text) },
  ];
}

function actions(viewer: ViewerStore, chat: ChatStore, link: RoomParts["link"]): Command[] {
  const { trace } = viewer;
  const action = (name: string, run: Command["run"], hint = ""): Command => ({
    key: name.replaceAll(" ", "-"),
    group: "Actions",
    name,
    hint,
    run,
  });
  const about = { traceId: trace.traceId, traceName: trace.name, title: null };
  const hasTurns = chat.read().conversation.turns.length > 0;
  return [
    ...modesOf(viewer).map(({ mode, name, hint }) =>
      action(name, () => viewer.show({ mode }).then(() => undefined), hint),
    ),
    ...(Object.keys(COLOURINGS) as Colouring[]).map((one) =>
      action(`Colour by ${COLOURINGS[one]}`, () => colourBy(viewer, one)),
    ),
    action("Show everything", () => viewer.reset()),
    action("New conversation", () => go(roomPath(trace.traceId, newId()))),
    action("All conversations", () => go("/conversations")),
    action("All traces", () => go("/")),
    ...(navigator.clipboard
      ? [action("Copy link to this view", async () => navigator.clipboard.writeText(await link()))]
      : []),
    ...(hasTurns
      ? FILE_KINDS.map((kind) =>
          action(`Save conversation as ${KINDS[kind]}`, () => saveConversation(kind, chat, about)),
        )
      : []),
    ...(["png", "svg"] as const).map((kind) =>
      action(`Download picture as ${kind.toUpperCase()}`, () => downloadPicture(viewer, kind)),
    ),
    ...(Object.keys(TRACE_FILES) as TraceFile[]).map((format) =>
      action(`Download trace as ${TRACE_FILES[format].name}`, () => downloadTrace(viewer, format)),
    ),
    action("Switch between light and dark", toggleTheme),
  ];
}

function questions(viewer: ViewerStore, chat: ChatStore, ask: (question: string) => void): Command[] {
  const { opening, turns } = chat.read().conversation;
  const here = questionHere(viewer);
  const all = [...(here ? [here] : []), ...(turns.at(-1)?.suggestions ?? []), ...(opening?.suggestions ?? [])];
  return [...new Set(all)].map((question, index) => ({
    key: `question-${index}`,
    group: "Questions",
    name: question.replaceAll("`", ""),
    run: () => ask(question),
  }));
}
