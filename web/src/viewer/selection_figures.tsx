/** More of the selected function: callers and callees as bars, its calls as a histogram, and the arguments of a call. */
import { useEffect, useState } from "preact/hooks";
import { json } from "../api.ts";
import { usePart } from "../store.ts";
import { goTo } from "./navigation.ts";
import { uprightText } from "./transforms.ts";
import { formatCount, formatShare, formatValue } from "./values.ts";
import type { Unit } from "./view_bytes.ts";
import type { ViewerStore } from "./viewer_store.ts";

interface Neighbour {
  /** Null for none: stacks begin or end there. */
  handle: string | null;
  name: string;
  value: number;
  share: number;
  /** Where the file has it. */
  calls?: number;
}

interface FunctionDetails {
  unit: Unit;
  basis?: "recorded" | "estimated" | "added up";
  callers: Neighbour[];
  moreCallers: number;
  callees: Neighbour[];
  moreCallees: number;
  /** `bars[i]` calls took from `edges[i]` to `edges[i + 1]`. */
  calls: { count: number; edges: number[]; bars: number[] } | null;
  slowest: { handle: string; start: number; duration: number }[];
}

interface CallDetails {
  recorded: boolean;
  arguments: { name: string; text: string }[];
}

/** Of the folder of sources that the server has, where one is set and a file of it fits. */
interface SourceLines {
  folder: boolean;
  file: string | null;
  line: number | null;
  lines: { number: number; text: string }[];
  others: string[];
}

/** Walking with the arrows asks once it rests. */
const REST_MS = 150;

export function SelectionFigures({ store, frame, call }: { store: ViewerStore; frame: string; call: string | null }) {
  const profile = usePart(store, (state) => state.profile);
  const transforms = uprightText(usePart(store, (state) => state.transforms));
  const changed = transforms ? `&transforms=${encodeURIComponent(transforms)}` : "";
  const found = useAnswer<FunctionDetails>(`${store.path}/function?frame=${frame}&profile=${profile}${changed}`);
  const source = useAnswer<SourceLines>(store.canCompare ? `${store.path}/source?frame=${frame}` : null);
  const args = useAnswer<CallDetails>(call && `${store.path}/call?call=${call}`);
  if (found === null) return <p class="note">Looking…</p>;
  if ("problem" in found) return <p role="alert">{found.problem}</p>;
  const show = (handle: string) =>
    void goTo(store, handle, { profile }).catch((error: Error) => store.report(error.message));
  return (
    <div class="selection-columns">
      <Bars title="Callers" rows={found.callers} more={found.moreCallers} unit={found.unit} show={show} />
      <Bars title="Callees" rows={found.callees} more={found.moreCallees} unit={found.unit} show={show} />
      {found.basis === "estimated" && <p class="note">Estimated: the file has no call paths.</p>}
      {found.calls && <Calls calls={found.calls} slowest={found.slowest} unit={found.unit} show={show} />}
      {args && "arguments" in args && <Arguments {...args} />}
      {source && "lines" in source && <Source {...source} />}
    </div>
  );
}

function useAnswer<T extends object>(path: string | null): T | { problem: string } | null {
  const [found, setFound] = useState<T | { problem: string } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setFound(null);
    const wait = setTimeout(() => {
      if (path)
        json<T>(path).then(
          (answer) => isCurrent && setFound(answer),
          (error: Error) => isCurrent && setFound({ problem: error.message }),
        );
    }, REST_MS);
    return () => {
      isCurrent = false;
      clearTimeout(wait);
    };
  }, [path]);
  return found;
}

interface BarsProps {
  title: string;
  rows: Neighbour[];
  more: number;
  unit: Unit;
  show: (handle: string) => void;
}

function Bars({ title, rows, more, unit, show }: BarsProps) {
  const most = rows[0]?.value || 1;
  return (
    <section aria-label={title}>
      <p class="column-title">{title}</p>
      {rows.length === 0 && <p class="note">None.</p>}
      <ol class="bars" aria-label={title}>
        {rows.map(({ handle, name, value, share, calls }) => (
          <li key={handle ?? name}>
            <button type="button" disabled={handle === null} title={name} onClick={() => handle && show(handle)}>
              <span class="bar" style={{ width: `${(value / most) * 100}%` }} aria-hidden="true" />
              <bdi>{name}</bdi>
              <span class="bar-value">
                {formatValue(value, unit)} <i>{formatShare(share)}</i>
                {calls !== undefined && <i title="calls"> ×{formatCount(calls)}</i>}
              </span>
            </button>
          </li>
        ))}
      </ol>
      {more > 0 && <p class="note">{formatCount(more)} more</p>}
    </section>
  );
}

interface CallsProps extends Pick<FunctionDetails, "slowest" | "unit"> {
  calls: NonNullable<FunctionDetails["calls"]>;
  show: (handle: string) => void;
}

function Calls({ calls: { count, edges, bars }, slowest, unit, show }: CallsProps) {
  const most = Math.max(...bars);
  const [least, longest] = [formatValue(edges[0]!, unit), formatValue(edges.at(-1)!, unit)];
  return (
    <section aria-label="Calls">
      <p class="column-title">{formatCount(count)} calls</p>
      <svg
        class="histogram"
        viewBox={`0 0 ${bars.length} 32`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`How long calls took, from ${least} to ${longest}`}
      >
        {bars.map((bar, at) => (
          <rect key={at} x={at + 0.08} width={0.84} y={32 - Math.max(bar && 1.5, (bar / most) * 32)} height={32}>
            <title>{`${formatCount(bar)} of ${formatValue(edges[at]!, unit)} to ${formatValue(edges[at + 1]!, unit)}`}</title>
          </rect>
        ))}
      </svg>
      <p class="histogram-ends" aria-hidden="true">
        <span>{least}</span>
        <span>{longest}</span>
      </p>
      <p class="slowest">
        Slowest{" "}
        {slowest.map(({ handle, duration }) => (
          <button key={handle} type="button" title={`Show ${handle}`} onClick={() => show(handle)}>
            {formatValue(duration, unit)}
          </button>
        ))}
      </p>
    </section>
  );
}

function Arguments({ recorded, arguments: rows }: CallDetails) {
  if (!recorded) return null;
  return (
    <section aria-label="Arguments">
      <p class="column-title">Arguments</p>
      <dl class="arguments">
        {rows.map(({ name, text }) => (
          <div key={name}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd>
              <bdi>{text}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Source({ folder, file, line, lines, others }: SourceLines) {
  if (!folder) return null;
  return (
    <section class="source" aria-label="Source">
      <p class="column-title" title={file ?? ""}>
        Source
      </p>
      {file === null ? (
        <p class="note">No file in the folder of sources fits it.</p>
      ) : (
        <>
          <p class="note">
            <bdi>{file}</bdi>
            {line === null && ": its beginning, since the trace names no line"}
            {others.length > 0 && ` (${others.join(", ")} ${others.length > 1 ? "fit" : "fits"} as well)`}
          </p>
          <pre tabIndex={0}>
            {lines.map(({ number, text }) => (
              <span key={number} data-named={number === line ? true : undefined}>
                <i>{number}</i> {text}
                {"\n"}
              </span>
            ))}
          </pre>
        </>
      )}
    </section>
  );
}
