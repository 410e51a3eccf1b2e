/** One row of the list of threads: a process, a thread, or those that are folded away. */
import { Icon } from "../icons.tsx";
import { activityPath, busyOf, spoken, TRACK_ROW, type TrackRow } from "./tracks.ts";
import { formatCount } from "./values.ts";

const DRAGGED = "application/x-flamechat-thread";

interface TrackLineProps {
  row: TrackRow;
  index: number;
  count: number;
  isActive: boolean;
  isShown: boolean;
  /** It has what the pointer is on in an answer. */
  isPointed: boolean;
  isMarked: boolean;
  /** Among the threads that are open one below the other. */
  isOpen: boolean;
  /** Open a thread below the others, or close it; null where threads have no common clock. */
  open: ((handle: string) => void) | null;
  pin: (handle: string) => void;
  /** Put one pinned thread where another one is. */
  place: (handle: string, at: string) => void;
  choose: () => void;
}

export function TrackLine({
  row,
  index,
  count,
  isActive,
  isShown,
  isPointed,
  isMarked,
  isOpen,
  open,
  pin,
  place,
  choose,
}: TrackLineProps) {
  const isThread = row.kind === "thread";
  return (
    <div
      id={idOf(row)}
      role="treeitem"
      class={`track track-${row.kind}`}
      style={{ top: `${index * TRACK_ROW}px` }}
      aria-level={isThread ? row.level : 1}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-selected={isShown}
      aria-expanded={isThread ? undefined : row.isOpen}
      aria-label={isThread ? spoken(row.track) : undefined}
      data-active={isActive || undefined}
      data-pointed={isPointed || undefined}
      data-marked={isMarked || undefined}
      data-pinned={(isThread && row.isPinned) || undefined}
      data-open={isOpen || undefined}
      data-handle={isThread ? row.track.handle : undefined}
      draggable={isThread && row.isPinned}
      onDragStart={(event) => {
        const isOnStrip = event.target instanceof Element && event.target.matches(".track-strip, .track-strip *");
        if (isOnStrip || !isThread) event.preventDefault();
        else event.dataTransfer?.setData(DRAGGED, row.track.handle);
      }}
      onDragOver={(event) =>
        isThread && row.isPinned && event.dataTransfer?.types.includes(DRAGGED) && event.preventDefault()
      }
      onDrop={(event) => {
        const handle = event.dataTransfer?.getData(DRAGGED);
        if (handle && isThread) place(handle, row.track.handle);
      }}
      onClick={choose}
    >
      {isThread ? (
        <>
          <span class="track-name" data-level={row.level + (row.track.viewOf ? 1 : 0)} title={row.track.name}>
            <bdi>{row.track.name}</bdi> {!row.track.viewOf && <small>{row.track.tid}</small>}
          </span>
          <span class="track-role">{row.track.role === "unknown" || row.track.viewOf ? "" : row.track.role}</span>
          {row.track.activity ? (
            <span class="track-strip">
              <svg viewBox={`0 0 ${row.track.activity.length} 15`} preserveAspectRatio="none" aria-hidden="true">
                <path d={activityPath(row.track.activity)} />
              </svg>
            </span>
          ) : (
            <span />
          )}
          <span class="track-share">{busyOf(row.track)}</span>
          {open && row.track.activity && (!isShown || isOpen) ? (
            <button
              type="button"
              class="track-pin"
              tabIndex={-1}
              aria-label={`${isOpen ? "Close" : "Open below"} ${row.track.name}`}
              aria-pressed={isOpen}
              title={isOpen ? "Close (O)" : "Open it below, on the same axis (O)"}
              onClick={(event) => {
                event.stopPropagation();
                open(row.track.handle);
              }}
            >
              <Icon name={isOpen ? "minus" : "plus"} />
            </button>
          ) : (
            <span />
          )}
          <button
            type="button"
            class="track-pin"
            tabIndex={-1}
            aria-label={`${row.isPinned ? "Unpin" : "Pin"} ${row.track.name}`}
            aria-pressed={row.isPinned}
            title={row.isPinned ? "Unpin (P); Alt with an arrow, or dragging, moves it" : "Pin to the top (P)"}
            onClick={(event) => {
              event.stopPropagation();
              pin(row.track.handle);
            }}
          >
            <Icon name="pin" />
          </button>
        </>
      ) : (
        <span class="track-name">
          <Icon name={row.isOpen ? "down" : "next"} />
          {row.kind === "process"
            ? row.label
            : `${formatCount(row.count)} ${row.count === 1 ? "row" : "rows"} below 0.1 %`}
        </span>
      )}
    </div>
  );
}

export function idOf(row: TrackRow): string {
  return `track-${row.key}`;
}
