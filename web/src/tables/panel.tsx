/** Under the chart: tables of what it shows, one at a time, each loaded when it is first opened. */
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { PANELS, type PanelName } from "./panels.ts";

type Table = ComponentType<{ store: ViewerStore }>;

export function TablePanel({ store }: { store: ViewerStore }) {
  const open = usePart(store, (state) => state.panel);
  const [isTall, setTall] = useState(false);
  const strip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target instanceof HTMLElement ? event.target : null;
      const isElsewhere = target && target !== document.body && !target.closest(".viewer");
      if (isElsewhere || target?.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey)
        return;
      const panel = PANELS.find(({ key }) => key === event.key);
      if (!panel) return;
      store.openPanel(panel.name);
      strip.current?.querySelector<HTMLElement>(`#tab-${panel.name}`)?.focus();
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [store]);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = PANELS.findIndex(({ name }) => name === open);
    const next = PANELS[(at + step + PANELS.length) % PANELS.length]!;
    store.openPanel(next.name);
    strip.current?.querySelector<HTMLElement>(`#tab-${next.name}`)?.focus();
    event.preventDefault();
  };
  return (
    <section class="tables" aria-label="Tables" data-open={open ?? undefined} data-tall={(open && isTall) || undefined}>
      <div class="tables-strip">
        <div class="tabs" role="tablist" aria-label="Table" onKeyDown={move} ref={strip}>
          {PANELS.map(({ name, title, key, hint }, index) => (
            <button
              key={name}
              id={`tab-${name}`}
              type="button"
              role="tab"
              aria-selected={open === name}
              aria-controls={open === name ? "table-panel" : undefined}
              tabIndex={open === name || (open === null && index === 0) ? 0 : -1}
              title={`${hint} (${key})`}
              onClick={() => store.openPanel(open === name ? null : name)}
            >
              {title}
            </button>
          ))}
        </div>
        {open && (
          <span class="button-group">
            <button
              type="button"
              class="icon-button"
              aria-label="The table in place of the chart"
              aria-pressed={isTall}
              title={isTall ? "Show the chart again" : "The table in place of the chart"}
              onClick={() => setTall(!isTall)}
            >
              <Icon name={isTall ? "down" : "up"} />
            </button>
            <button
              type="button"
              class="icon-button"
              aria-label="Close the table"
              title="Close the table"
              onClick={() => {
                store.openPanel(null);
                strip.current?.querySelector<HTMLElement>(`#tab-${open}`)?.focus();
              }}
            >
              <Icon name="close" />
            </button>
          </span>
        )}
      </div>
      {open && (
        <div class="table-panel" id="table-panel" role="tabpanel" aria-labelledby={`tab-${open}`}>
          <Loaded key={open} name={open} store={store} />
        </div>
      )}
    </section>
  );
}

function Loaded({ name, store }: { name: PanelName; store: ViewerStore }) {
  const [found, setFound] = useState<{ Table: Table } | { problem: string } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    import("./all_tables.ts").then(
      ({ TABLES }) => isCurrent && setFound({ Table: TABLES[name] }),
      () => isCurrent && setFound({ problem: "The table could not be loaded. Is the server still running?" }),
    );
    return () => {
      isCurrent = false;
    };
  }, [name]);
  if (found === null) return null;
  if ("problem" in found) return <p role="alert">{found.problem}</p>;
  return <found.Table store={store} />;
}
