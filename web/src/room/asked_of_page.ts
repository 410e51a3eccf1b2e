/** What a turn asks of this page while it waits: to move the chart and say what it shows then. */
import { runningTurn } from "../chat/conversation.ts";
import type { ChatStore } from "../chat/chat_store.ts";
import type { MountedTool, NavigateArgs, NavigateResult } from "../protocol.ts";
import { act } from "../viewer/navigation.ts";
import { shownView } from "../viewer/shown_view.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";

const PLAIN = ["show_in_viewer", "set_filter"];
const ANSWERED = ["navigate", "ask_person", "pick_trace", "approve_call"];
const VERSION = 1;

/** The tools of the viewer that this page lets the model use, with what the chart shows now. */
export function mountedTools(viewer: ViewerStore): (string | MountedTool)[] {
  const shown = shownView(viewer);
  const answered = ANSWERED.map((name) => ({ name, version: VERSION }));
  const seeing = shown ? [{ name: "read_view", version: VERSION, context: { ...shown } }] : [];
  return [...PLAIN, ...answered, ...seeing];
}

/** Moves the chart whenever a turn waits for it, and answers with what it really shows. Ends with the returned function. */
export function answerNavigation(chat: ChatStore, viewer: ViewerStore): () => void {
  let answered = "";
  return chat.watch(() => {
    const asked = runningTurn(chat.read().conversation)?.asked;
    if (asked?.toolName !== "navigate" || asked.interruptId === answered) return;
    answered = asked.interruptId;
    void navigated(viewer, asked.args as unknown as NavigateArgs).then((result) =>
      chat.resume(asked.interruptId, { ...result }),
    );
  });
}

async function navigated(viewer: ViewerStore, args: NavigateArgs): Promise<NavigateResult> {
  const before = viewer.read().problem;
  let failure: string | null = null;
  try {
    const place = { type: "viewer_action", turnId: "", sessionId: "", seq: 0, filter: null } as const;
    await act(viewer, { ...place, ...args });
    await viewer.land();
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
    viewer.report(failure);
  }
  const now = viewer.read().problem;
  const problem = failure ?? (now === before ? null : now);
  const view = shownView(viewer);
  return { status: view && !problem ? "shown" : "not_shown", view, problem: problem?.slice(0, 200) ?? null };
}
