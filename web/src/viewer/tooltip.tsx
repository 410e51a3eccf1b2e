/** What is said of the box under the pointer. */
import { useEffect, useRef } from "preact/hooks";
import { rowOf } from "./boxes.ts";
import type { Hover } from "./chart.ts";
import { selfOf } from "./frame_values.ts";
import { handlesOf } from "./handles.ts";
import { notesOn, type Note } from "./notes.ts";
import { formatChange, formatPlace, formatShare, formatValue } from "./values.ts";
import type { View } from "./view_bytes.ts";

interface TooltipProps {
  hover: Hover;
  view: View;
  /** What shares are of; 0 for the axis. */
  total: number;
  /** Those of the thread. */
  notes: Note[];
  room: HTMLElement;
}

export function Tooltip({ hover, view, total: all, notes, room }: TooltipProps) {
  const box = useRef<HTMLDivElement>(null);
  const boxes = view[hover.address.half];
  const { index } = hover.address;
  const local = boxes?.frame[index] ?? -1;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const flipX = hover.x + element.offsetWidth + 24 > room.clientWidth;
    const flipY = hover.y + element.offsetHeight + 24 > room.clientHeight;
    element.style.left = `${Math.max(4, flipX ? hover.x - element.offsetWidth - 12 : hover.x + 14)}px`;
    element.style.top = `${Math.max(4, flipY ? hover.y - element.offsetHeight - 10 : hover.y + 16)}px`;
  });
  if (!boxes || index >= boxes.start.length) return null;
  const total = boxes.end[index]! - boxes.start[index]!;
  const place = local < 0 ? null : formatPlace(view.frames.files[local] ?? null, view.frames.lines[local] ?? null);
  const profileTotal = all || view.axisEnd - view.axisStart || 1;
  return (
    <div class="tooltip" ref={box} aria-hidden="true">
      <strong>{local < 0 ? "Merged calls" : view.frames.names[local]}</strong>
      {place && <span class="place">{place}</span>}
      <span class="figures">
        {formatValue(total, view.unit)} <i>{formatShare(total / profileTotal)}</i>
        {boxes.before && (
          <>
            {" "}
            · was {formatValue(boxes.before[index]!, view.unit)} <i>{formatChange(boxes.before[index]!, total)}</i>
          </>
        )}
        {hover.address.half === "boxes" && !boxes.before && !(view.transforms && view.mode === "time_order") && (
          <> · self {formatValue(Math.max(0, selfOf(boxes, index, rowOf(boxes, index))), view.unit)}</>
        )}
      </span>
      {notesOn(notes, handlesOf(view, hover.address)).map((note) => (
        <span key={note.noteId} class="tooltip-note" dir="auto">
          {note.text.slice(0, 200)}
        </span>
      ))}
    </div>
  );
}
