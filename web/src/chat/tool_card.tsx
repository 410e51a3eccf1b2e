/** One use of a tool: what was asked, what came back, and its picture. */
import { useEffect, useRef, useState } from "preact/hooks";
import { sharedPath, tracePath } from "../api.ts";
import { Icon } from "../icons.tsx";
import type { Table } from "../protocol.ts";
import { route, type Route } from "../route.ts";
import { usePart } from "../store.ts";
import { theme } from "../theme.ts";
import { handlesIn, parseHandle } from "../viewer/handles.ts";
import { scaleOf } from "../page_scale.ts";
import { pictureAddress, type PictureAddress, type Room } from "./picture_address.ts";
import { picturedView, pictureSize, type Pictured } from "./pictured.ts";
import type { ToolPart } from "./turn.ts";

const STATES: Record<ToolPart["status"], string> = {
  running: "running",
  success: "done",
  success_with_warning: "done, with a warning",
  error: "failed",
  stopped: "stopped",
};

const MAX_DPR = 2;

/** `get_top_functions` as people say it. */
export function spoken(toolName: string): string {
  const words = toolName.replace(/^(get|generate)_/, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `pictured` leaves the picture out where it stands elsewhere. */
export function ToolCard({ part, pictured = true }: { part: ToolPart; pictured?: boolean }) {
  const view = picturedView(part);
  const [wasOpened, setWasOpened] = useState(false); // a long conversation has thousands of rows in closed cards
  return (
    <div class="tool" data-status={part.status}>
      <details onToggle={(event) => event.currentTarget.open && setWasOpened(true)}>
        <summary>
          <Icon name="tool" />
          <span class="tool-name">{spoken(part.toolName)}</span>
          <span class="tool-message">{part.message}</span>
          <span class="tool-state">{STATES[part.status]}</span>
        </summary>
        {wasOpened && <ToolBody part={part} view={view} />}
      </details>
      {part.status === "error" && <p class="tool-problem">{part.text}</p>}
      {part.imageUrl && pictured && <Picture part={part} view={view} />}
    </div>
  );
}

function ToolBody({ part, view }: { part: ToolPart; view: Pictured | null }) {
  const given = Object.entries(part.args).filter(([, value]) => value !== null && value !== undefined);
  return (
    <div class="tool-body">
      {given.length > 0 && (
        <dl class="tool-args">
          {given.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {part.table && <ResultTable table={part.table} />}
      {view && !part.imageUrl && part.status !== "error" && (
        <button type="button" class="link" data-pictured={JSON.stringify(view)}>
          Show in chart
        </button>
      )}
      {part.text ? (
        <pre tabIndex={0} role="region" aria-label="What the tool answered">
          <WithHandles text={part.text} />
        </pre>
      ) : (
        <p class="note">{part.status === "running" ? "No answer yet." : "No text."}</p>
      )}
      {part.truncated && <p class="note">The result was longer; this is the part that the model saw.</p>}
    </div>
  );
}

function ResultTable({ table }: { table: Table }) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at} class={typeof cell === "number" ? "align-right" : undefined}>
                  <Cell value={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A handle as a link, a share as a bar. */
function Cell({ value }: { value: Table["rows"][number][number] }) {
  if (typeof value !== "string") return <>{value}</>;
  if (parseHandle(value)) return <Handle handle={value} />;
  const share = /^(\d+(?:\.\d+)?)%$/.exec(value);
  return (
    <>
      {share && <meter max={100} value={Number(share[1])} aria-hidden="true" />}
      {value}
    </>
  );
}

/** A tool's text, the handles in it as links into the chart. */
function WithHandles({ text }: { text: string }) {
  let from = 0;
  const parts = handlesIn(text).flatMap(({ at, handle }) => {
    const before = text.slice(from, at);
    from = at + handle.length;
    return [before, <Handle key={at} handle={handle} />];
  });
  return (
    <>
      {parts}
      {text.slice(from)}
    </>
  );
}

function Handle({ handle }: { handle: string }) {
  return (
    <a class="citation" href={`#${handle}`} title={`Show ${handle} in the chart`}>
      {handle}
    </a>
  );
}

/** What a picture has, once it is in sight for the first time: a picture is not fetched anew while a window is drawn wider. */
function useRoom(image: { current: HTMLElement | null }): Room | null {
  const [room, setRoom] = useState<Room | null>(null);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      const element = image.current;
      if (!element?.clientWidth) return;
      observer.disconnect();
      const scale = scaleOf(element) * devicePixelRatio;
      setRoom({ width: element.clientWidth, dpr: Math.max(1, Math.min(MAX_DPR, Math.round(scale))) });
    });
    if (image.current) observer.observe(image.current);
    return () => observer.disconnect();
  }, []);
  return room;
}

/** Where the trace of a room is in the API, also behind a link. */
function traceOf(here: Route): string | null {
  if (here.page === "room") return `/api/v1${tracePath(here.traceId)}`;
  return here.page === "shared" ? `/api/v1${sharedPath(here.token)}` : null;
}

/** The space of a picture is there before it is: nothing below it jumps. */
export function Picture({ part, view }: { part: ToolPart; view: Pictured | null }) {
  const trace = usePart(route, traceOf);
  const shade = usePart(theme, (value) => value);
  const image = useRef<HTMLImageElement>(null);
  const room = useRoom(image);
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set());
  const stored: PictureAddress = { url: part.imageUrl!, isTurned: true, fittedWidth: null };
  // What cannot be drawn again, as its trace is gone, is still there as it was stored.
  const had = (address: PictureAddress) => (refused.has(address.url) ? null : address);
  const enlarged = had(pictureAddress(part, view, shade, trace)) ?? stored;
  const shown = had(pictureAddress(part, view, shade, trace, room)) ?? enlarged;
  const { url } = enlarged;
  const name = spoken(part.toolName);
  const dialog = useRef<HTMLDialogElement>(null);
  const [size, setSize] = useState(() => pictureSize(part));
  const [missing, setMissing] = useState(false);
  const isOurs = new URL(stored.url, location.href).origin === location.origin;
  if (!isOurs || missing) return <p class="tool-problem">The picture cannot be loaded.</p>;
  const dimensions = size ? `${size.width} × ${size.height}` : "";
  return (
    <figure class="picture" data-turned={enlarged.isTurned || undefined}>
      <button type="button" onClick={() => dialog.current?.showModal()} aria-label={`Enlarge the picture: ${name}`}>
        <img
          ref={image}
          src={room ? shown.url : undefined}
          alt={shown.url === stored.url ? `${name}, as the model saw it` : name}
          width={shown.fittedWidth ?? size?.width}
          height={size?.height}
          decoding="async"
          loading="lazy"
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
            shown.fittedWidth === null && setSize({ width, height })
          }
          onError={() => (shown.url === stored.url ? setMissing(true) : setRefused(new Set([...refused, shown.url])))}
        />
      </button>
      <figcaption>
        {name}
        {dimensions && <span> {dimensions}</span>}
        {view && (
          <button type="button" class="link" data-pictured={JSON.stringify(view)}>
            Show in chart
          </button>
        )}
        <a class="link" href={url} download={`${name}.png`}>
          PNG
        </a>
        {view && view.mode !== "sandwich" && view.mode !== "diff" && (
          <button type="button" class="link" data-drawn={JSON.stringify(view)}>
            SVG
          </button>
        )}
      </figcaption>
      <dialog
        ref={dialog}
        class="lightbox"
        aria-label={name}
        onClick={(event) => event.target === dialog.current && dialog.current?.close()}
      >
        <form method="dialog">
          <span>
            {name} {dimensions}
          </span>
          <button class="icon-button" aria-label="Close">
            <Icon name="close" />
          </button>
        </form>
        <div class="lightbox-scroll" tabIndex={0} role="region" aria-label="Picture">
          <img src={url} alt={`${name}, enlarged`} loading="lazy" />
        </div>
      </dialog>
    </figure>
  );
}
