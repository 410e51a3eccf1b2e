/** What leaves the page: the conversation as a file. */
import { useState } from "preact/hooks";
import { download, fileName, json, tracePath } from "../api.ts";
import type { HistoryMessage } from "../protocol.ts";
import { usePart } from "../store.ts";
import type { ChatStore } from "./chat_store.ts";
import type { Exported } from "./exported.ts";
import { noteAddress, type Note } from "../viewer/notes.ts";
import { turnsOf } from "./history.ts";
import { withUnstored } from "./unstored.ts";

export const KINDS = { md: "Markdown", html: "Page", json: "JSON" } as const;
const MEDIA_TYPES = { md: "text/markdown", html: "text/html", json: "application/json" } as const;
export type FileKind = keyof typeof KINDS;
export const FILE_KINDS = Object.keys(KINDS) as FileKind[];
const PAGE = 200;

interface SaveConversationProps {
  store: ChatStore;
  traceId: string;
  traceName: string;
  /** As the list of conversations has it; null while it has none. */
  title: string | null;
}

export function SaveConversation({ store, traceId, traceName, title }: SaveConversationProps) {
  const isEmpty = usePart(store, (state) => state.conversation.turns.length === 0);
  const [problem, setProblem] = useState<string | null>(null);
  if (isEmpty) return null;
  const save = async (kind: FileKind) => {
    setProblem(null);
    try {
      await saveConversation(kind, store, { traceId, traceName, title });
    } catch (error) {
      setProblem(`The file could not be made: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return (
    <div class="save-conversation" role="group" aria-label="Save this conversation">
      <span>Save as</span>
      {FILE_KINDS.map((kind) => (
        <button key={kind} type="button" onClick={() => void save(kind)}>
          {KINDS[kind]}
        </button>
      ))}
      {problem && <p role="alert">{problem}</p>}
    </div>
  );
}

/** Give the browser the conversation as a file: all of it, also what the page has not loaded, and what is being written now. */
export async function saveConversation(
  kind: FileKind,
  store: ChatStore,
  { traceId, traceName, title }: Omit<SaveConversationProps, "store">,
): Promise<void> {
  const { conversation } = store.read();
  const stored = turnsOf(await allMessages(conversation.sessionId));
  const { notes } = await json<{ notes: Note[] }>(`${tracePath(traceId)}/notes`);
  const room = location.origin + location.pathname;
  const exported: Exported = {
    title: (conversation.title ?? title ?? traceName).replaceAll("`", ""),
    traceName,
    address: room,
    notes: notes.map((note) => ({
      name: note.name || note.handle || "",
      text: note.text,
      address: room + noteAddress(note, ""),
    })),
    turns: withUnstored(stored, store.read().conversation.turns),
    chart: `/api/v1${tracePath(traceId)}/flamegraph.png?width=1600&height=700&legend=true`,
  };
  const content = new Blob([await contentOf(kind, exported)], { type: MEDIA_TYPES[kind] });
  download(content, `${fileName(exported.title)}.${kind}`);
}

/** The stored messages of a session from its first on. */
async function allMessages(sessionId: string): Promise<HistoryMessage[]> {
  let pages: HistoryMessage[] = [];
  for (;;) {
    const before = pages[0] ? `&before=${pages[0].position}` : "";
    const path = `/sessions/${encodeURIComponent(sessionId)}/messages?limit=${PAGE}${before}`;
    const { messages } = await json<{ messages: HistoryMessage[] }>(path);
    pages = [...messages, ...pages];
    if (messages.length < PAGE) return pages;
  }
}

async function contentOf(kind: FileKind, exported: Exported): Promise<string> {
  if (kind !== "html") {
    const { exportedJson, exportedMarkdown } = await import("./exported.ts"); // few people save, and nobody else loads it
    return kind === "md" ? exportedMarkdown(exported) : exportedJson(exported);
  }
  const { exportedPage } = await import("./exported_page.ts");
  return exportedPage(exported, pictureData);
}

/** The bytes of one of our pictures as a data URL. */
async function pictureData(url: string): Promise<string | null> {
  if (new URL(url, location.href).origin !== location.origin) return null;
  const blob = await fetch(url).then(
    (response) => (response.ok ? response.blob() : null),
    () => null, // no network: the file is made without it
  );
  if (!blob) return null;
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("the picture cannot be read"));
    reader.readAsDataURL(blob);
  });
}
