/** What was done to the call tree, as steps that can each be undone, and how much they leave. */
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { INVERT, SWITCHES, without, withOne } from "./transforms.ts";
import { formatShare, formatValue } from "./values.ts";
import type { ViewerStore } from "./viewer_store.ts";

export function TransformBar({ store }: { store: ViewerStore }) {
  const transforms = usePart(store, (state) => state.transforms);
  const mode = usePart(store, (state) => state.mode);
  const view = usePart(store, (state) => state.view);
  const hasTable = usePart(store, (state) => state.panel !== null);
  if (transforms.length === 0) return null;
  if (mode === "diff")
    return <p class="transform-bar note">A comparison is of the recordings as they are: no transforms are done.</p>;
  const facts = view?.transforms;
  const words = (text: string) => facts?.items.find((item) => item.text === text)?.words ?? text;
  return (
    <div class="transform-bar" role="group" aria-label="Transforms of the call tree">
      <ol aria-label="Transforms, in order">
        <li>
          <button type="button" title="Undo all of them" onClick={() => void store.show({ transforms: [] })}>
            All
          </button>
        </li>
        {transforms.map((text, at) => (
          <li key={`${at} ${text}`} data-transform={text}>
            <span aria-hidden="true">›</span>
            <button
              type="button"
              aria-label={`Undo: ${words(text)}`}
              title={`Undo: ${words(text)}`}
              onClick={() => void store.show({ transforms: without(transforms, at) })}
            >
              <bdi>{words(text)}</bdi>
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ol>
      <span class="transform-switches">
        {SWITCHES.filter(({ text }) => !transforms.includes(text) && !(mode === "sandwich" && text === INVERT)).map(
          (one) => (
            <button
              key={one.text}
              type="button"
              title={one.title}
              onClick={() => void store.show({ transforms: withOne(transforms, one.text) })}
            >
              + {one.words}
            </button>
          ),
        )}
      </span>
      {facts && view && (
        <output aria-live="polite">
          {facts.left > 0
            ? `${formatValue(facts.left, view.unit)} of ${formatValue(facts.of, view.unit)} left (${formatShare(facts.left / facts.of)})`
            : "Nothing is left"}
          {hasTable && "; the table is of the recording as it is"}
        </output>
      )}
    </div>
  );
}

/** In place of a chart of which nothing is left: one click leads back. */
export function NothingLeft({ store }: { store: ViewerStore }) {
  const transforms = usePart(store, (state) => state.transforms);
  return (
    <div class="chart-message" role="status">
      <p>These transforms leave nothing of this thread.</p>
      <button type="button" onClick={() => void store.show({ transforms: without(transforms, transforms.length - 1) })}>
        Undo the last one
      </button>
    </div>
  );
}
