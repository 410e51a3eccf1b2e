/** Where a search that finds nothing in the chart has something: one click leads to it. */
import { usePart } from "../store.ts";
import { formatCount } from "../viewer/values.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { pathOf, useAnswer } from "./answers.ts";
import { showInChart } from "./choosing.ts";

interface SearchAnswer {
  threads: { handle: string; functions: number }[];
  matches: { thread: number; frame: string }[];
}

/** As many as the table lists: the first of another thread may stand behind all of the chosen one. */
const LISTED = 1_000;

export function Elsewhere({ store }: { store: ViewerStore }) {
  const search = usePart(store, (state) => state.search);
  const profile = usePart(store, (state) => state.profile);
  const words = search.words.trim();
  const syntax = search.frames ? "regex" : "text";
  const answer = useAnswer<SearchAnswer>(
    words ? pathOf(store, "thread-search", { words, syntax, limit: LISTED }) : null,
  );
  const found = answer && "value" in answer ? answer.value : null;
  const first = found?.matches.find(({ thread }) => found.threads[thread]!.handle !== profile);
  if (!found || !first) return null;
  const others = found.threads.filter(({ handle }) => handle !== profile);
  const count = others.reduce((sum, { functions }) => sum + functions, 0);
  const show = () => {
    document.querySelector<HTMLElement>(".chart")?.focus(); // this goes once something is found
    store.openPanel("search");
    void showInChart(store, first.frame, found.threads[first.thread]!.handle).catch((error: Error) =>
      store.report(error.message),
    );
  };
  return (
    // The box keeps the focus, with which this goes.
    <p class="elsewhere" onPointerDown={(event) => event.preventDefault()}>
      <span role="status">
        None here, {formatCount(count)} in{" "}
        {others.length === 1 ? "1 other thread" : `${formatCount(others.length)} other threads`}
      </span>
      <button type="button" onClick={show}>
        Show
      </button>
    </p>
  );
}
