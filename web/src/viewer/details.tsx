/** What is known of the selected frame, in the status line and below the chart. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { topFunctions, type FunctionRow } from "../api.ts";
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { colourBy, COLOURINGS, type Colouring } from "./colouring.ts";
import { frameValues } from "./frame_values.ts";
import { fills, NEUTRAL_COLOUR } from "./palette.ts";
import { theme } from "../theme.ts";
import type { Mention } from "./mention.ts";
import { aboutFunction } from "./questions.ts";
import { formatPlaceOnAxis } from "./ruler_text.ts";
import { formatChange, formatCount, formatPlace, formatShare, formatValue } from "./values.ts";
import { SelectionDetails } from "./selection_details.tsx";
import { uprightText, type Transforms } from "./transforms.ts";
import type { View } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";

/** The server's function table of a profile: the same figures that the tools of the chat give. */
export interface FrameNumbers {
  rows: FunctionRow[];
  byHandle: Map<string, FunctionRow>;
  totalRows: number;
  /** What a share of 1 stands for, 0 when unknown. */
  profileTotal: number;
  problem: string | null;
}

const NONE: FrameNumbers = { rows: [], byHandle: new Map(), totalRows: 0, profileTotal: 0, problem: null };
const ROWS = 500;

export function useFrameNumbers(store: ViewerStore, profile: string, transforms: Transforms): FrameNumbers {
  const [numbers, setNumbers] = useState(NONE);
  const text = uprightText(transforms);
  useEffect(() => {
    let current = true;
    setNumbers(NONE);
    topFunctions(store.path, profile, ROWS, text)
      .then((table) => {
        const byHandle = new Map(table.rows.map((row) => [row.handle, row]));
        if (current)
          setNumbers({
            rows: table.rows,
            byHandle,
            totalRows: table.totalRows,
            profileTotal: table.profileTotal,
            problem: null,
          });
      })
      .catch((error: Error) => current && setNumbers({ ...NONE, problem: error.message }));
    return () => {
      current = false;
    };
  }, [store, profile, text]);
  return numbers;
}

interface FrameFacts {
  handle: string;
  name: string;
  file: string | null;
  line: number | null;
  self: number;
  total: number;
  count: number;
  selfShare: number;
  totalShare: number;
  /** Taken from a chart in which narrow boxes are merged. */
  approximate: boolean;
}

/** The frame's figures from the server's table; for a frame past its end, from the boxes of the chart. */
function factsOf(store: ViewerStore, overview: View | null, numbers: FrameNumbers): FrameFacts | null {
  const selected = store.selectedFrame();
  const { view } = store.read();
  if (!selected || !view) return null;
  const { frames } = view;
  const { local, handle } = selected;
  const named = {
    handle,
    name: frames.names[local]!,
    file: frames.files[local] ?? null,
    line: frames.lines[local] ?? null,
  };
  const row = numbers.byHandle.get(handle);
  if (row)
    return {
      ...named,
      self: row.selfValue,
      total: row.totalValue,
      count: row.count,
      selfShare: row.selfShare,
      totalShare: row.totalShare,
      approximate: false,
    };
  const source = view.mode === "sandwich" || !overview ? view : overview;
  const at = source.frames.ids.indexOf(frames.ids[local]!);
  if (at < 0) return null;
  const values = frameValues(source.boxes, source.frames.ids.length);
  const profileTotal = numbers.profileTotal || values.profileTotal;
  return {
    ...named,
    self: values.self[at]!,
    total: values.total[at]!,
    count: values.count[at]!,
    selfShare: values.self[at]! / profileTotal,
    totalShare: values.total[at]! / profileTotal,
    approximate: source.merged > 0 || view.mode === "sandwich",
  };
}

export function Details({
  store,
  numbers,
  ask,
  mentions,
}: {
  store: ViewerStore;
  numbers: FrameNumbers;
  ask: ((question: string) => void) | null;
  mentions: (handles: string[]) => Mention[];
}) {
  const selection = usePart(store, (state) => state.selection);
  const view = usePart(store, (state) => state.view);
  const mode = usePart(store, (state) => state.mode);
  const shade = usePart(theme, (value) => value);
  const facts = useMemo(() => factsOf(store, store.overview(), numbers), [selection, view, numbers]);
  const isSampled = store.profiles.find((profile) => profile.handle === view?.profile)?.kind === "sampled";
  const unit = view?.unit ?? "nanoseconds";
  const boxes = selection && view?.[selection.half];
  const width = boxes ? boxes.end[selection.index]! - boxes.start[selection.index]! : 0;
  const spoken = facts
    ? `${facts.name}, self ${formatValue(facts.self, unit)} (${formatShare(facts.selfShare)}), total ${formatValue(facts.total, unit)} (${formatShare(facts.totalShare)})`
    : "";
  return (
    <div class="details">
      <p id="chart-status" class="visually-hidden" role="status">
        {spoken}
      </p>
      {facts && view ? (
        <>
          <div class="details-name">
            {!view.diff && <Swatch view={view} handle={facts.handle} shade={shade} />}
            <strong title={facts.name}>{facts.name}</strong>
            <code class="handle">{facts.handle}</code>
            <span class="place" title={facts.file ?? ""}>
              {formatPlace(facts.file, facts.line) ?? "no source file recorded"}
            </span>
          </div>
          <dl class="facts">
            <Fact name="Self" value={formatValue(facts.self, unit)} share={facts.selfShare} />
            <Fact name="Total" value={formatValue(facts.total, unit)} share={facts.totalShare} />
            <div>
              <dt>{facts.approximate ? "Boxes" : isSampled ? "Own samples" : "Calls"}</dt>
              <dd>{formatCount(facts.count)}</dd>
            </div>
            <div>
              <dt>This box</dt>
              <dd>
                {formatValue(width, unit)}
                {boxes?.before && selection ? (
                  <i>
                    {" "}
                    was {formatValue(boxes.before[selection.index]!, unit)},{" "}
                    {formatChange(boxes.before[selection.index]!, width)}
                  </i>
                ) : null}
                {mode === "time_order" && boxes ? (
                  <i> at {formatPlaceOnAxis(boxes.start[selection.index]! - store.axis().start, width / 10, unit)}</i>
                ) : null}
              </dd>
            </div>
          </dl>
          <div class="details-actions">
            <button type="button" onClick={() => store.zoomToSelection()} title="Zoom to this box (Enter)">
              Zoom
            </button>
            <button type="button" onClick={() => void store.show({ mode: "sandwich", sandwichOf: facts.handle })}>
              Callers and callees
            </button>
            {ask && (
              <button
                type="button"
                title="Ask about it (Q)"
                onClick={() => ask(aboutFunction(facts.name, facts.handle))}
              >
                <Icon name="chat" /> Ask about it
              </button>
            )}
            {store.canCompare && (
              <button type="button" title="Write a note on it" onClick={() => store.openPanel("notes")}>
                <Icon name="edit" /> Note
              </button>
            )}
            <MentionLinks mentions={mentions([facts.handle, store.selectedHandle() ?? facts.handle])} />
          </div>
          {!view.diff && <SelectionDetails store={store} frame={facts.handle} call={callOf(store.selectedHandle())} />}
        </>
      ) : (
        <Legend store={store} view={view} shade={shade} />
      )}
    </div>
  );
}

/** The handle of one call; null for what is none. */
function callOf(handle: string | null): string | null {
  return handle?.startsWith("s") ? handle : null;
}

/** Which answers speak of the selected box. */
function MentionLinks({ mentions }: { mentions: Mention[] }) {
  if (mentions.length === 0) return null;
  return (
    <span class="mentions">
      Cited in
      {mentions.slice(-3).map((mention) => (
        <button key={mention.turnId} type="button" title={mention.question} onClick={mention.show}>
          {mention.question}
        </button>
      ))}
      {mentions.length > 3 && ` and ${mentions.length - 3} earlier`}
    </span>
  );
}

function Fact({ name, value, share }: { name: string; value: string; share: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value} <i>{formatShare(share)}</i>
        <meter min={0} max={1} value={Math.min(1, Math.max(0, share))} aria-hidden="true" />
      </dd>
    </div>
  );
}

function Swatch({ view, handle, shade }: { view: View; handle: string; shade: "light" | "dark" }) {
  const local = view.frames.ids.indexOf(Number(handle.slice(1)));
  const colour = fills(shade)[view.frames.colours[local] ?? NEUTRAL_COLOUR]!;
  return <span class="swatch" style={{ backgroundColor: colour }} aria-hidden="true" />;
}

/** Hues whose meaning is always in sight; the others open. */
const HUES_IN_SIGHT = 4;

function Key({ colour, text }: { colour: string; text: string }) {
  return (
    <span title={text}>
      <span class="swatch" style={{ backgroundColor: colour }} />
      <span class="key-text">{text}</span>
    </span>
  );
}

function Legend({ store, view, shade }: { store: ViewerStore; view: View | null; shade: "light" | "dark" }) {
  const profile = usePart(store, (state) => state.profile);
  const palette = fills(shade);
  const warnings = store.trace.summary.warnings ?? [];
  const shown = store.profiles.find(({ handle }) => handle === profile);
  return (
    <div class="legend">
      {shown?.order === "none" && shown.kind === "sampled" && (
        <span class="hint">
          {shown.name || shown.handle} is sums per stack: it has no times, so it is drawn left heavy.
        </span>
      )}
      <span class="hint">
        Click a box to select it, double-click or Enter to zoom, right-click or M for more; wheel zooms, drag moves,
        arrows walk{view?.mode === "time_order" ? "; drag along the ruler to mark a range of time" : ""}.
      </span>
      {view && !view.diff && (
        <label class="colour-choice">
          Colours by{" "}
          <select
            value={store.source.colouring}
            onChange={(event) => void colourBy(store, event.currentTarget.value as Colouring)}
          >
            {(Object.keys(COLOURINGS) as Colouring[]).map((one) => (
              <option key={one} value={one}>
                {COLOURINGS[one]}
              </option>
            ))}
          </select>
        </label>
      )}
      {view && !view.diff && view.legend.length > 0 && (
        <details class="colour-key">
          <summary>
            <span class="keys">
              {view.legend.slice(0, HUES_IN_SIGHT).map(([colour, text]) => (
                <Key key={text} colour={palette[colour]!} text={text} />
              ))}
              {view.legend.length > HUES_IN_SIGHT && `all ${view.legend.length} colours`}
            </span>
          </summary>
          <span class="keys">
            {view.legend.slice(HUES_IN_SIGHT).map(([colour, text]) => (
              <Key key={text} colour={palette[colour]!} text={text} />
            ))}
          </span>
        </details>
      )}
      {view && view.merged > 0 && (
        <span class="note">
          {formatCount(view.merged)} of {formatCount(view.total)} boxes are narrower than a pixel and drawn merged;
          zooming in shows them.
        </span>
      )}
      {warnings.length > 0 && (
        <details class="warnings">
          <summary>
            {warnings.length === 1 ? "1 note on reading this trace" : `${warnings.length} notes on reading this trace`}
          </summary>
          <ul>
            {warnings.map((warning) => (
              <li key={warning.code}>
                {warning.text}
                {warning.count > 1 ? ` (${formatCount(warning.count)} times)` : ""}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
