"""JSON that is no trace, by the names of its members."""

from collections.abc import Callable

from traces.formats.foreign.file_kind import ORIGINAL, RECORD, Kind
from traces.formats.head import Head

SPANS = "It says which services waited for which; of one service, record a profile"
DEVTOOLS = "Record with the Performance panel and save the profile"
HEAP = "It says what is alive, not what runs: use Memory, allocation sampling, which saves a `.heapprofile`"

Sign = Callable[[Head, frozenset[str]], bool]


def _has(*keys: str, text: bytes = b"") -> Sign:
    """An object with all of these members, and with a text somewhere."""
    return lambda head, found: found >= set(keys) and text in head.data


def _any(*keys: str) -> Sign:
    return lambda head, found: not found.isdisjoint(keys)


KINDS: tuple[tuple[Sign, Kind], ...] = (
    (_has("snapshot", "nodes", "edges"), Kind("a heap snapshot of V8", HEAP)),
    (_has("snapshot", text=b'"node_fields"'), Kind("a heap snapshot of V8", HEAP)),
    (_has("log", text=b'"entries"'), Kind("a list of a page's requests (HAR)", DEVTOOLS)),
    (_has("log", text=b'"creator"'), Kind("a list of a page's requests (HAR)", DEVTOOLS)),
    (_any("resourceProfiles"), Kind("OpenTelemetry profiles as JSON", "Export them as protobuf (`format: proto`)")),
    (_any("resourceSpans", "scopeSpans", "batches"), Kind("spans of a distributed trace (OpenTelemetry)", SPANS)),
    (_any("resourceLogs", "resourceMetrics"), Kind("logs or metrics of OpenTelemetry", RECORD)),
    (_has("data", text=b'"traceID"'), Kind("spans of a distributed trace (Jaeger)", SPANS)),
    (_has("traceID", "spans"), Kind("spans of a distributed trace (Jaeger)", SPANS)),
    (_has("traceId", "spans"), Kind("spans of a distributed trace (Google Cloud Trace)", SPANS)),
    (_has("traceId", "id"), Kind("spans of a distributed trace (Zipkin)", SPANS)),
    (_has("trace_id", "span_id"), Kind("spans of a distributed trace", SPANS)),
    (_has("Segments", "Id"), Kind("spans of a distributed trace (X-Ray)", SPANS)),
    (_has("trace_id", "start_time", "end_time"), Kind("spans of a distributed trace (X-Ray)", SPANS)),
    (_has("method", "params"), Kind("a log of the DevTools protocol", DEVTOOLS)),
    (_any("lighthouseVersion"), Kind("a report of Lighthouse", "Choose the trace beside it (`--save-assets`)")),
    (_has("fetchTime", "Timing"), Kind("artifacts of Lighthouse", "Choose the trace beside it (`--save-assets`)")),
    (
        _any("dhatFileVersion"),
        Kind("a profile of a heap (DHAT)", "It says who allocated; record with callgrind or perf"),
    ),
    (_has("version", "dataForRoots"), Kind("a profile of React's DevTools", DEVTOOLS)),
    (
        _has("schema", "nodes", "start_ts"),
        Kind("an execution trace of PyTorch", "Write its profile with `export_chrome_trace`"),
    ),
    (_has("constants", "events"), Kind("a log of Chrome's network (NetLog)", DEVTOOLS)),
    (_has("version", "sources", "mappings"), Kind("a source map", "Choose the recording that it belongs to")),
    (_has("cells", "nbformat"), Kind("a notebook (Jupyter)", RECORD)),
    (
        _any("compilerOptions", "devDependencies", "dependencies", "lockfileVersion"),
        Kind("settings of a project", RECORD),
    ),
    (_any("openapi", "swagger"), Kind("a description of an interface (OpenAPI)", RECORD)),
    (_has("type", "features"), Kind("a map (GeoJSON)", RECORD)),
    (_has("inputs", "outputs", text=b'"bytesInOutput"'), Kind("a list of what a bundle holds (esbuild)", ORIGINAL)),
    (_has("assets", "chunks", "modules"), Kind("a list of what a bundle holds (webpack)", ORIGINAL)),
    (_has("event_id", "platform"), Kind("an event of Sentry", RECORD)),
    (_any("__REALTIME_TIMESTAMP"), Kind("a journal of systemd", RECORD)),
    (
        _any("flamebearer"),
        Kind("a flame graph of Pyroscope", "Ask it for the profile as pprof (`format=pprof`) and choose that"),
    ),
    (_has("elapsed_time_sec", "files"), Kind("a report of Scalene", "Record with `py-spy record --format speedscope`")),
    (_has("name", "value", "children"), Kind("the tree of a flame graph (d3)", ORIGINAL)),
    (
        lambda head, _: b'"traceEvents"' in head.data,
        Kind("JSON with a trace inside", "Save the part that holds `traceEvents`, with its braces, as a file"),
    ),
    (_any("level", "severity", "levelname"), Kind("a log, a line of JSON each", RECORD)),
    (_has("log", "stream", "time"), Kind("a log of a container", RECORD)),
)
OTHER = Kind("JSON, but not of a trace that is known here", RECORD)


def json_kind(head: Head) -> Kind:
    """What its members say; those of an array's first element where it is an array."""
    assert head.json is not None
    keys = head.json.keys if head.json.root == "object" else head.json.element_keys
    return next((kind for sign, kind in KINDS if sign(head, keys)), OTHER)
