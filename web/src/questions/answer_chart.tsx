/** The chart of an answer: each point is named on hover and by keyboard, and leads to its recording. */
import { useRef, useState } from "preact/hooks";
import { go } from "../route.ts";
import type { AnswerChart as Chart } from "./asked.ts";
import { chartPlaces, type Place, type Places } from "./chart_places.ts";

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const LABEL_CHARACTERS = 26;

/** One stop of the Tab key; arrows go from point to point, Enter opens the recording. */
export function AnswerChart({ chart, name }: { chart: Chart; name: string }) {
  const drawn = chartPlaces(chart);
  const [at, setAt] = useState(-1);
  const svg = useRef<SVGSVGElement>(null);
  if (!drawn) return null;
  const stop = Math.max(0, Math.min(at, drawn.places.length - 1));
  const move = (event: KeyboardEvent) => {
    const ends: Record<string, number> = { Home: 0, End: drawn.places.length - 1 };
    const next = ends[event.key] ?? (event.key in STEPS ? stop + STEPS[event.key]! : -1);
    if (next < 0 || next >= drawn.places.length) return;
    event.preventDefault();
    setAt(next);
    svg.current?.querySelectorAll<SVGElement>(".point")[next]?.focus();
  };
  return (
    <figure class="answer-chart" data-kind={drawn.kind}>
      <svg
        ref={svg}
        viewBox={`0 0 ${drawn.width} ${drawn.height}`}
        role="group"
        aria-label={`Chart: ${name}`}
        onKeyDown={move}
        onPointerLeave={() => setAt(-1)}
      >
        {drawn.kind === "line" && <polyline class="line" points={drawn.places.map((p) => `${p.x},${p.y}`).join(" ")} />}
        {drawn.places.map((place, index) => (
          <Point
            key={index}
            place={place}
            kind={drawn.kind}
            isStop={index === stop}
            shown={() => setAt(index)}
            isShown={index === at}
          />
        ))}
      </svg>
      <figcaption>
        <output>{drawn.places[at]?.text ?? ends(drawn)}</output>
        {drawn.hidden > 0 && <span> {drawn.hidden} more in the rows below.</span>}
      </figcaption>
    </figure>
  );
}

function Point({
  place,
  kind,
  isStop,
  isShown,
  shown,
}: {
  place: Place;
  kind: Places["kind"];
  isStop: boolean;
  isShown: boolean;
  shown: () => void;
}) {
  const common = {
    class: "point",
    tabindex: isStop ? 0 : -1,
    "aria-label": place.text,
    "data-shown": isShown || undefined,
    "data-there": kind === "grid" ? place.point.value > 0 : undefined,
    onFocus: shown,
    onPointerEnter: shown,
  };
  const mark =
    kind === "line" ? (
      <>
        <circle class="reach" cx={place.x} cy={place.y} r="10" />
        <circle cx={place.x} cy={place.y} r={isShown ? 5 : 3.5} />
      </>
    ) : (
      <>
        {kind !== "grid" && (
          <>
            <text x={place.x - 8} y={place.y + 15} text-anchor="end">
              {elided(place.point.label)}
            </text>
            <text x={place.x + place.width + 6} y={place.y + 15}>
              {place.text.slice(place.point.label.length + 2)}
            </text>
          </>
        )}
        <rect x={place.x} y={place.y} width={Math.max(1, place.width)} height={place.height} rx="2" />
      </>
    );
  if (!place.point.traceId) {
    return (
      <g role="img" {...common}>
        {mark}
      </g>
    );
  }
  const path = `/t/${encodeURIComponent(place.point.traceId)}`;
  return (
    <a
      href={path}
      {...common}
      onClick={(event: MouseEvent) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        go(path);
      }}
    >
      {mark}
    </a>
  );
}

function elided(label: string): string {
  return label.length > LABEL_CHARACTERS ? `${label.slice(0, LABEL_CHARACTERS - 1)}…` : label;
}

function ends({ places }: Places): string {
  const [first, last] = [places[0]!, places.at(-1)!];
  return first === last ? first.text : `${first.text} … ${last.text}`;
}
