/** Which trace was before, how values are compared, and what the colours of a diff mean. */
import { useEffect, useState } from "preact/hooks";
import { listTraces, type TraceInfo } from "../api.ts";
import { usePart } from "../store.ts";
import { theme } from "../theme.ts";
import { changeFills } from "./palette.ts";
import { formatCount, formatValue } from "./values.ts";
import type { ViewerStore } from "./viewer_store.ts";

export function DiffBar({ store }: { store: ViewerStore }) {
  const diff = usePart(store, (state) => state.diff);
  const view = usePart(store, (state) => state.view);
  const shade = usePart(theme, (value) => value);
  const [traces, setTraces] = useState<TraceInfo[] | null>(null);
  useEffect(() => {
    listTraces().then(setTraces, (error: Error) => store.report(error.message));
  }, [store]);
  const others = traces?.filter((trace) => trace.traceId !== store.trace.traceId) ?? [];
  const facts = view?.diff;
  const colours = changeFills(shade);
  const steps = [0, 0.25, 0.5, 0.75, 1].map((share) => colours[Math.round(share * (colours.length - 1))]!);
  if (traces && others.length === 0)
    return (
      <p class="diff-bar note">There is no other trace here to compare with: upload one that was recorded before.</p>
    );
  return (
    <div class="diff-bar">
      <label>
        Before{" "}
        <select
          value={diff?.before ?? ""}
          onChange={(event) => {
            const before = event.currentTarget.value;
            void store.show({ diff: before ? { before, compare: diff?.compare ?? "values" } : null });
          }}
        >
          <option value="">Choose a trace</option>
          {others.map((trace) => (
            <option key={trace.traceId} value={trace.traceId}>
              {trace.name}
            </option>
          ))}
        </select>
      </label>
      {diff && (
        <label title="Scale what was before to the weight of this profile: for recordings of different length">
          <input
            type="checkbox"
            checked={diff.compare === "shares"}
            onChange={(event) =>
              void store.show({ diff: { ...diff, compare: event.currentTarget.checked ? "shares" : "values" } })
            }
          />{" "}
          As shares
        </label>
      )}
      {facts && view && (
        <>
          <span class="change-key" aria-label="Blue is less, red is more">
            less
            {steps.map((colour) => (
              <span key={colour} class="swatch" style={{ backgroundColor: colour }} />
            ))}
            more
          </span>
          {facts.vanishedCount > 0 && (
            <details>
              <summary>{formatCount(facts.vanishedCount)} gone</summary>
              <ul>
                {facts.vanished.map((one, index) => (
                  <li key={index}>
                    <span>{one.name}</span> <i>{formatValue(one.value, view.unit)}</i>
                  </li>
                ))}
                {facts.vanishedCount > facts.vanished.length && (
                  <li>and {formatCount(facts.vanishedCount - facts.vanished.length)} lighter ones</li>
                )}
              </ul>
            </details>
          )}
        </>
      )}
    </div>
  );
}
