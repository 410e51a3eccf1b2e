/** Which profile, which view, and finding frames by name. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { modesOf } from "./modes.ts";
import { aboutRange } from "./questions.ts";
import { useRareParts } from "./rare_loading.ts";
import { formatCount } from "./values.ts";
import type { Unit } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";

interface ToolbarProps {
  store: ViewerStore;
  ask: ((question: string) => void) | null;
  link: () => Promise<string>;
  children: ComponentChildren;
}

export function Toolbar({ store, ask, link, children }: ToolbarProps) {
  const mode = usePart(store, (state) => state.mode);
  const profile = usePart(store, (state) => state.profile);
  usePart(store, (state) => state.transforms);
  const unit = (store.profiles.find((entry) => entry.handle === profile)?.unit ?? "nanoseconds") as Unit;
  const modes = modesOf(store);
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    const index = modes.findIndex((entry) => entry.mode === mode);
    const next = modes[(index + step + modes.length) % modes.length]!;
    void store.show({ mode: next.mode });
    document.getElementById(`tab-${next.mode}`)?.focus();
  };
  return (
    <div class="toolbar">
      <div class="tabs" role="tablist" aria-label="View" onKeyDown={move}>
        {modes.map((entry) => (
          <button
            key={entry.mode}
            id={`tab-${entry.mode}`}
            type="button"
            role="tab"
            aria-selected={mode === entry.mode}
            aria-controls="chart-panel"
            tabIndex={mode === entry.mode ? 0 : -1}
            title={`${entry.hint} (${entry.key})`}
            onClick={() => void store.show({ mode: entry.mode })}
          >
            {entry.name}
          </button>
        ))}
      </div>
      <SearchBox store={store} />
      <div class="button-group">
        {ask && mode === "time_order" && (
          <button
            type="button"
            class="icon-button"
            aria-label="Ask about what is seen"
            title="Ask about this range of time (Q); drag along the ruler to mark one"
            onClick={() => ask(aboutRange(store.askedWindow() ?? store.axis(), store.axis().start, unit))}
          >
            <Icon name="chat" />
          </button>
        )}
        <button
          type="button"
          class="icon-button"
          aria-label="Zoom out"
          title="Zoom out (−)"
          onClick={() => store.zoom(1.6, 0.5)}
        >
          <Icon name="minus" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Zoom in"
          title="Zoom in (+)"
          onClick={() => store.zoom(1 / 1.6, 0.5)}
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Show everything"
          title="Show everything (Escape)"
          onClick={() => store.reset()}
        >
          <Icon name="fit" />
        </button>
        {navigator.clipboard && <CopyLink link={link} />}
        {children}
      </div>
    </div>
  );
}

function CopyLink({ link }: { link: () => Promise<string> }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(await link());
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button
      type="button"
      class="icon-button"
      aria-label="Copy link to this view"
      title={copied ? "Copied" : "Copy link to this view"}
      onClick={() => void copy()}
    >
      <Icon name={copied ? "check" : "copy"} />
    </button>
  );
}

function SearchBox({ store }: { store: ViewerStore }) {
  const search = usePart(store, (state) => state.search);
  const [words, setWords] = useState(search.words);
  const wait = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (wait.current === undefined) setWords(search.words); // the agent and a box's menu search too
  }, [search.words]);
  useEffect(() => () => clearTimeout(wait.current), []);
  const type = (value: string) => {
    setWords(value);
    clearTimeout(wait.current);
    wait.current = setTimeout(() => {
      wait.current = undefined;
      store.search(value);
    }, 90);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      event.preventDefault();
      if (store.read().search.words !== words) store.search(words);
      store.searchStep(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      type("");
      document.querySelector<HTMLElement>(".chart")?.focus();
    }
  };
  const count = search.boxes.length;
  const isComparison = usePart(store, (state) => state.mode === "diff");
  const isNone = search.matches !== null && count === 0;
  const parts = useRareParts(store, isNone && !isComparison && store.profiles.length > 1);
  const found =
    count === 0
      ? "none"
      : search.at < 0
        ? formatCount(count)
        : `${formatCount(search.at + 1)} of ${formatCount(count)}`;
  return (
    <div class="search">
      <Icon name="search" />
      <input
        type="search"
        aria-label="Search functions and files"
        placeholder="Search functions"
        title="Search (/)"
        value={words}
        spellcheck={false}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={key}
      />
      <output class="search-count" aria-live="polite">
        {search.matches ? found : ""}
      </output>
      <button
        type="button"
        class="icon-button"
        aria-label="Previous match"
        disabled={count === 0}
        onClick={() => store.searchStep(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Next match"
        disabled={count === 0}
        onClick={() => store.searchStep(1)}
      >
        <Icon name="down" />
      </button>
      {parts && <parts.Elsewhere store={store} />}
    </div>
  );
}
