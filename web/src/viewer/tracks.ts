/** Processes and threads as rows of a list: which are shown, in what order, and which of them are in sight. */
import { json } from "../api.ts";
import { formatShare, formatValue } from "./values.ts";
import type { Unit } from "./view_bytes.ts";

/** As the server answers: `activity` has a character of 0 to f for each part of the axis; null without moments. */
export interface Track {
  handle: string;
  /** An index into the processes. */
  process: number;
  tid: string;
  name: string;
  role: string;
  unit: Unit;
  busy: number;
  /** Of the recording; null where no time was measured. */
  share: number | null;
  isSmall: boolean;
  activity: string | null;
  /** The thread's first row, when this is another view of it. */
  viewOf: string | null;
}

export interface Tracks {
  processes: { pid: string; name: string | null }[];
  tracks: Track[];
  /** The axis of activities; null where each has its own. */
  start: number | null;
  end: number | null;
}

export type TrackRow =
  | { kind: "process"; key: string; process: number; label: string; isOpen: boolean }
  | { kind: "thread"; key: string; track: Track; level: 1 | 2; isPinned: boolean }
  | { kind: "rest"; key: string; count: number; isOpen: boolean };

export interface TrackChoice {
  words: string;
  /** Processes that are closed, by index. */
  closed: ReadonlySet<number>;
  /** Whether quiet threads are shown. */
  all: boolean;
  /** Handles of threads that stand first, in their order. */
  pinned?: readonly string[];
}

export const TRACK_ROW = 24;
/** Rows rendered above and below what is in sight. */
const MARGIN = 4;

export function fetchTracks(path: string): Promise<Tracks> {
  return json<Tracks>(`${path}/tracks`);
}

/** The rows in their order. Quiet threads and their processes are left out, unless they are asked for or found by name. */
export function rowsOf({ processes, tracks }: Tracks, { words, closed, all, pinned = [] }: TrackChoice): TrackRow[] {
  const isGrouped = processes.length > 1;
  const searched = words.trim().toLowerCase();
  const matches = (track: Track) =>
    `${track.name} ${track.tid} ${track.role} ${isGrouped ? processLabel(processes[track.process]!) : ""}`
      .toLowerCase()
      .includes(searched);
  const first = pinned.flatMap((handle) => tracks.find((track) => track.handle === handle) ?? []);
  const isFirst = new Set(first);
  const quiet = tracks.filter((track) => track.isSmall && !isFirst.has(track));
  const shown = tracks.filter((track) => !isFirst.has(track) && (searched ? matches(track) : all || !track.isSmall));
  const rows: TrackRow[] = first
    .filter((track) => !searched || matches(track))
    .map((track) => ({ kind: "thread", key: track.handle, track, level: 1, isPinned: true }));
  let last = -1;
  for (const track of shown) {
    if (isGrouped && track.process !== last) {
      last = track.process;
      const label = processLabel(processes[last]!);
      rows.push({ kind: "process", key: `process-${last}`, process: last, label, isOpen: !closed.has(last) });
    }
    if (!isGrouped || !closed.has(track.process))
      rows.push({ kind: "thread", key: track.handle, track, level: isGrouped ? 2 : 1, isPinned: false });
  }
  if (!searched && quiet.length > 0) rows.push({ kind: "rest", key: "rest", count: quiet.length, isOpen: all });
  return rows;
}

export function processLabel({ pid, name }: { pid: string; name: string | null }): string {
  if (name) return pid ? `${name} · process ${pid}` : name;
  return pid ? `Process ${pid}` : "Without a process";
}

/** The first and the last row to render, the last one excluded. */
export function inSight(count: number, top: number, height: number): [number, number] {
  const first = Math.max(0, Math.min(count, Math.floor(top / TRACK_ROW)) - MARGIN);
  return [first, Math.min(count, Math.ceil((top + height) / TRACK_ROW) + MARGIN)];
}

/** How busy a thread was, in words: of the recording where time was measured. */
export function busyOf(track: Track): string {
  if (track.viewOf) return "";
  return track.share === null ? formatValue(track.busy, track.unit) : formatShare(track.share);
}

/** The text of a row for a screen reader. */
export function spoken(track: Track): string {
  const parts = [
    track.name,
    track.tid && `number ${track.tid}`,
    track.role !== "unknown" && track.role,
    !track.viewOf && (track.share === null ? busyOf(track) : `busy ${busyOf(track)}`),
  ];
  return parts.filter(Boolean).join(", ");
}

/** An area over time as an SVG path, in a box of one unit a part and 15 units high. */
export function activityPath(activity: string): string {
  const levels = [...activity].map((level) => parseInt(level, 16) || 0);
  return `M0 15${levels.map((level, at) => `V${15 - level}H${at + 1}`).join("")}V15Z`;
}
