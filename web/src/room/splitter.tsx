/** The line between chart and chat: dragged with a pointer or moved with arrow keys. */
import { useEffect, useRef, useState } from "preact/hooks";
import { remember, remembered } from "../theme.ts";

const KEY = "flamechat.split";
const LEAST = 30;
const MOST = 80;
const USUAL = 62;

/** Sets `--split`, the chart's share of the width in percent, on the room. */
export function Splitter({ room }: { room: { current: HTMLElement | null } }) {
  const [share, setShare] = useState(() => bounded(Number(remembered(KEY) ?? USUAL)));
  const dragging = useRef(false);
  const set = (value: number) => setShare(bounded(value));
  useEffect(() => {
    room.current?.style.setProperty("--split", `${share}%`);
    remember(KEY, share === USUAL ? null : String(share));
  }, [share]);
  const key = (event: KeyboardEvent) => {
    const next = { ArrowLeft: share - 2, ArrowRight: share + 2, Home: LEAST, End: MOST, Enter: USUAL }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    set(next);
  };
  return (
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the chart"
      aria-valuenow={Math.round(share)}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      onKeyDown={key}
      onDblClick={() => set(USUAL)}
      onPointerDown={(event) => {
        dragging.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const box = room.current?.getBoundingClientRect();
        if (dragging.current && box) set(((event.clientX - box.left) / box.width) * 100);
      }}
      onPointerUp={() => (dragging.current = false)}
      onPointerCancel={() => (dragging.current = false)}
    />
  );
}

function bounded(share: number): number {
  return Number.isFinite(share) ? Math.min(MOST, Math.max(LEAST, share)) : USUAL;
}
