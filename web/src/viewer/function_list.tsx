/** The functions of a profile as a table: the way into a sandwich, and the chart's alternative in text. */
import { useState } from "preact/hooks";
import { usePart } from "../store.ts";
import type { FrameNumbers } from "./details.tsx";
import { formatCount, formatPlace, formatShare, formatValue } from "./values.ts";
import type { Unit } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";

const SHOWN = 200;

export function FunctionList({ store, numbers }: { store: ViewerStore; numbers: FrameNumbers }) {
  const [sortBy, setSortBy] = useState<"self" | "total">("self");
  const words = usePart(store, (state) => state.search.words)
    .trim()
    .toLowerCase();
  const chosen = usePart(store, (state) => state.sandwichOf);
  const profile = usePart(store, (state) => state.profile);
  const unit = (store.profiles.find((entry) => entry.handle === profile)?.unit ?? "nanoseconds") as Unit;
  const key = sortBy === "self" ? "selfValue" : "totalValue";
  const rows = numbers.rows
    .filter((row) => !words || row.name.toLowerCase().includes(words) || row.file?.toLowerCase().includes(words))
    .sort((a, b) => b[key] - a[key]);
  const header = (name: "self" | "total", text: string) => (
    <th scope="col" aria-sort={sortBy === name ? "descending" : "none"}>
      <button type="button" onClick={() => setSortBy(name)}>
        {text}
        {sortBy === name ? " ↓" : ""}
      </button>
    </th>
  );
  return (
    <div class="function-list" tabIndex={0} role="region" aria-label="Functions">
      {numbers.problem && <p role="alert">{numbers.problem}</p>}
      <table>
        <thead>
          <tr>
            {header("self", "Self")}
            {header("total", "Total")}
            <th scope="col">Function</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row) => (
            <tr key={row.handle} data-chosen={row.handle === chosen || undefined}>
              <td title={formatValue(row.selfValue, unit)}>{formatShare(row.selfShare)}</td>
              <td title={formatValue(row.totalValue, unit)}>{formatShare(row.totalShare)}</td>
              <td>
                <button
                  type="button"
                  aria-pressed={row.handle === chosen}
                  title={`${row.name}\n${row.file ?? ""}`}
                  onClick={() => void store.show({ mode: "sandwich", sandwichOf: row.handle })}
                >
                  <span>{row.name}</span>
                  <small>{formatPlace(row.file, row.line)}</small>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {(rows.length > SHOWN || numbers.totalRows > numbers.rows.length) && (
        <p class="note">
          Showing {formatCount(Math.min(SHOWN, rows.length))} of {formatCount(numbers.totalRows)} functions; search
          narrows the heaviest {formatCount(numbers.rows.length)}.
        </p>
      )}
    </div>
  );
}
