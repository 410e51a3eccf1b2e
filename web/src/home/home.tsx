/** The library: bring a trace, or open one that is here. */
import { useEffect, useRef, useState } from "preact/hooks";
import { config } from "../accounts/client_config.ts";
import { deleteTrace, findTraces, type TraceInfo } from "../api.ts";
import { Icon } from "../icons.tsx";
import { newId } from "../identifiers.ts";
import { roomPath } from "../route.ts";
import { formatSize, formatValue } from "../viewer/values.ts";
import { usePart } from "../store.ts";
import { FROM_TRACES, InitOffer } from "./init_offer.tsx";
import type { LabelForm } from "./label_form.tsx";
import { labelsOf, searchIn } from "./labels.ts";
import { UploadList } from "./upload_list.tsx";

const FORMATS =
  "Recordings of Chrome, Firefox and Safari; of Node, Python, Java, Go, .NET, Ruby, PHP and Haskell; of perf, " +
  "Instruments, Callgrind, Perfetto, PyTorch and Nsight; pprof, OpenTelemetry, speedscope, collapsed stacks";

const PAGE = 50;
const TYPING_MS = 200;

interface Found {
  traces: TraceInfo[];
  next: string | null;
}

export function Home({ upload, version }: { upload: (files: File[]) => void; version: number }) {
  const [found, setFound] = useState<Found | null>(null);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const isFirst = useRef(true);
  const remembers = usePart(config, (state) => state.memory !== false);
  const failed = (error: unknown) => setProblem(error instanceof Error ? error.message : String(error));
  const traces = found?.traces ?? null;
  const look = (cursor: string | null) => {
    const asked = searchIn(text);
    return findTraces(asked.text, asked.labels, cursor, PAGE);
  };
  useEffect(() => {
    document.title = "Flamechat";
    let isCurrent = true;
    const timer = setTimeout(
      () =>
        void look(null).then(
          (page) => isCurrent && (setFound(page), setProblem(null)),
          (error: unknown) => isCurrent && failed(error),
        ),
      isFirst.current ? 0 : TYPING_MS,
    );
    isFirst.current = false;
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [version, text]);
  const change = (changed: (shown: TraceInfo[]) => TraceInfo[]) =>
    setFound((before) => before && { ...before, traces: changed(before.traces) });
  const remove = async (trace: TraceInfo) => {
    try {
      await deleteTrace(trace.traceId);
      change((shown) => shown.filter((other) => other.traceId !== trace.traceId));
    } catch (error) {
      failed(error);
    }
  };
  const more = async () => {
    try {
      const page = await look(found!.next);
      setFound((before) => ({ traces: [...(before?.traces ?? []), ...page.traces], next: page.next }));
    } catch (error) {
      failed(error);
    }
  };
  return (
    <main class="home">
      <div class="home-column">
        <h1>Where does the time go?</h1>
        <p class="lead">
          Drop a performance trace. See its flame chart, ask about it, and read answers whose numbers are checked
          against the trace.
        </p>
        <button type="button" class="drop-zone" onClick={() => input.current?.click()}>
          <Icon name="upload" />
          <strong>Drop a trace here, or choose a file</strong>
          <span>{FORMATS}. Plain, gzip, zstd or zip.</span>
        </button>
        <p class="note record-hint">
          No trace yet? <code>flamechat record -- python app.py</code> runs a program under the profiler that fits it
          and says why it is slow. So it does for <code>node app.js</code>, <code>java -jar app.jar</code>,{" "}
          <code>go test</code>, <code>php app.php</code>, <code>./program</code>, and a page:{" "}
          <code>flamechat record --url http://localhost:3000</code>.
        </p>
        <input
          ref={input}
          type="file"
          multiple
          class="visually-hidden"
          tabIndex={-1}
          aria-label="Trace files"
          onChange={(event) => {
            upload([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = "";
          }}
        />
        <UploadList />
        {problem && (
          <div class="banner" role="alert">
            <Icon name="warning" />
            <span>{problem}</span>
          </div>
        )}
        {remembers && (traces?.length ?? 0) >= FROM_TRACES && <InitOffer />}
        <h2>Traces</h2>
        {(text !== "" || (traces?.length ?? 0) > 0) && (
          <form role="search" class="trace-search" onSubmit={(event) => event.preventDefault()}>
            <Icon name="search" />
            <input
              type="search"
              value={text}
              maxLength={200}
              placeholder="Search names and labels: night, branch:main, program:engine"
              aria-label="Search traces"
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </form>
        )}
        {traces?.length === 0 && <p class="note">{text ? "No trace has this." : "None yet."}</p>}
        {traces === null && !problem && (
          <p class="note" role="status">
            Loading…
          </p>
        )}
        <ul class="traces">
          {traces?.map((trace) => (
            <TraceItem
              key={trace.traceId}
              trace={trace}
              remove={remove}
              relabelled={(now) =>
                change((shown) =>
                  shown.map((one) =>
                    one.traceId === now.traceId ? { ...one, labels: now.labels, program: now.program } : one,
                  ),
                )
              }
            />
          ))}
        </ul>
        {found?.next && (
          <button type="button" onClick={() => void more()}>
            Show more
          </button>
        )}
      </div>
    </main>
  );
}

interface ItemProps {
  trace: TraceInfo;
  remove: (trace: TraceInfo) => void;
  relabelled: (trace: TraceInfo) => void;
}

function TraceItem({ trace, remove, relabelled }: ItemProps) {
  const [asking, setAsking] = useState(false);
  const [labelling, setLabelling] = useState(false);
  const [form, setForm] = useState<{ LabelForm: typeof LabelForm } | null>(null);
  useEffect(() => {
    if (labelling) import("./label_form.tsx").then(setForm, () => setLabelling(false));
  }, [labelling]);
  const [fresh] = useState(newId);
  const facts = [
    trace.format,
    trace.durationNs !== null && formatValue(trace.durationNs, "nanoseconds"),
    formatSize(trace.sizeBytes),
  ].filter(Boolean);
  return (
    <li class="trace">
      <a href={roomPath(trace.traceId, fresh)}>
        <strong>{trace.name}</strong>
        <span>{facts.join(" · ")}</span>
        {labelsOf(trace).length > 0 && (
          <span class="labels" aria-label="Labels">
            {labelsOf(trace).map((label) => (
              <bdi key={label}>{label}</bdi>
            ))}
          </span>
        )}
        <time dateTime={trace.createdAt}>
          {new Date(trace.createdAt).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
        </time>
      </a>
      {!asking && (
        <button
          type="button"
          class="icon-button"
          aria-label={`Labels of ${trace.name}`}
          aria-expanded={labelling}
          title="Labels"
          onClick={() => setLabelling(!labelling)}
        >
          <Icon name="edit" />
        </button>
      )}
      {asking ? (
        <span class="confirm">
          <button type="button" class="danger" onClick={() => remove(trace)}>
            Delete with its conversations
          </button>
          <button type="button" onClick={() => setAsking(false)}>
            Keep
          </button>
        </span>
      ) : (
        <button
          type="button"
          class="icon-button"
          aria-label={`Delete ${trace.name}`}
          title="Delete"
          onClick={() => setAsking(true)}
        >
          <Icon name="trash" />
        </button>
      )}
      {labelling && form && (
        <form.LabelForm
          trace={trace}
          done={(now) => {
            if (now) relabelled(now);
            setLabelling(false);
          }}
        />
      )}
    </li>
  );
}
