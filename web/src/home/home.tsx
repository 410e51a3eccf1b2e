/** The library: bring a trace, or open one that is here. */
import { useEffect, useRef, useState } from "preact/hooks";
import { deleteTrace, listTraces, type TraceInfo } from "../api.ts";
import { Icon } from "../icons.tsx";
import { newId } from "../identifiers.ts";
import { roomPath } from "../route.ts";
import { formatCount, formatSize, formatValue } from "../viewer/values.ts";
import { UploadList } from "./upload_list.tsx";

const FORMATS =
  "Recordings of Chrome, Firefox and Safari; of Node, Python, Java, Go, .NET, Ruby, PHP and Haskell; of perf, " +
  "Instruments, Callgrind, Perfetto, PyTorch and Nsight; pprof, OpenTelemetry, speedscope, collapsed stacks";

export function Home({ upload, version }: { upload: (files: File[]) => void; version: number }) {
  const [traces, setTraces] = useState<TraceInfo[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = "Flamechat";
    listTraces().then(setTraces, (error: Error) => setProblem(error.message));
  }, [version]);
  const remove = async (trace: TraceInfo) => {
    try {
      await deleteTrace(trace.traceId);
      setTraces((shown) => shown?.filter((other) => other.traceId !== trace.traceId) ?? null);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
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
        <h2>Traces</h2>
        {traces?.length === 0 && <p class="note">None yet.</p>}
        {traces === null && !problem && (
          <p class="note" role="status">
            Loading…
          </p>
        )}
        <ul class="traces">
          {traces?.map((trace) => (
            <TraceItem key={trace.traceId} trace={trace} remove={remove} />
          ))}
        </ul>
      </div>
    </main>
  );
}

function TraceItem({ trace, remove }: { trace: TraceInfo; remove: (trace: TraceInfo) => void }) {
  const [asking, setAsking] = useState(false);
  const [fresh] = useState(newId);
  const facts = [
    trace.format,
    trace.durationNs !== null && formatValue(trace.durationNs, "nanoseconds"),
    formatSize(trace.sizeBytes),
    trace.summary?.frame_count && `${formatCount(trace.summary.frame_count)} functions`,
  ].filter(Boolean);
  return (
    <li class="trace">
      <a href={roomPath(trace.traceId, fresh)}>
        <strong>{trace.name}</strong>
        <span>{facts.join(" · ")}</span>
        <time dateTime={trace.createdAt}>
          {new Date(trace.createdAt).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
        </time>
      </a>
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
    </li>
  );
}
