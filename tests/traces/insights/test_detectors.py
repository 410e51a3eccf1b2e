"""Every detector on a trace that has it, on one that nearly has it, and on one of another kind."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.traces.insights.cause_cases import CAUSES
from tests.traces.insights.recorded import SHOP, one_after_another, request, sampled, share, timeline, values
from traces.formats.format import RUNNING, sums
from traces.insights.insight import State
from traces.insights.registry import DETECTORS, insight
from traces.model import Trace
from traces.side_tables import Request
from traces.values import Unit

CPU = share("work", 50)
HEAP = values({"main;make": [1000.0], "main;keep": [900.0]}, [("allocated", Unit.BYTES)])
PAGE = timeline([("RunTask", 0, 10), ("FunctionCall", 1, 2), ("RunTask", 500, 510)], length=1000)
CALLS = timeline([("main", 0, 100), ("work", 10, 50)], name="MainThread")


@dataclass(frozen=True, slots=True)
class Case:
    """`other` is a trace of another kind: the detector does not apply there, or (`passes`) finds nothing."""

    id: str
    has: Callable[[], Trace]
    nearly: Callable[[], Trace]
    other: Trace
    passes: bool = False


def burst(many: int) -> Trace:
    """200 samples of 5 ms over 1 s that is mostly idle; so many of them in one stretch."""
    rows: list[tuple[str, float]] = []
    for k in range(100):
        rows += [("main;work", 1.0), ("", 9.0)]
        if k == 50:
            rows += [("main;work", 1.0)] * many
    return sampled(rows)


def gaps(count: int) -> Trace:
    return sampled([("main;a", 1.0)] * 200 + [("main;b", 20.0)] * count)


def uneven(slow: float) -> Trace:
    calls = [("main", 0.0, 1000.0)]
    calls += [("work", k * 5.0, k * 5.0 + (slow if k % 40 == 0 else 1.0)) for k in range(120)]
    return timeline(calls)


def small_calls(each: float) -> Trace:
    return timeline([("main", 0, 30), *one_after_another("tick", 1000, each, gap=0.001)])


def recursive(depth: int) -> Trace:
    return share(";".join(["walk"] * depth), 30)


def two_ways(second: float) -> Trace:
    return sampled({"main;a;shared;leaf": 20, "main;b;shared;leaf": second, "main;rest": 60})


def own_code(mine: float) -> Trace:
    library = "/x/site-packages/lib.py"
    return sampled({"main@app.py": mine, f"main@app.py;parse@{library}": 100 - mine})


def workers(busiest: float) -> Trace:
    threads = [[("job", 0, length), ("job", 200, 201)] for length in (busiest, 10, 10, 10)]
    return timeline(*threads, names=[f"worker {k}" for k in range(4)])


def two_threads(second: float) -> Trace:
    return timeline([("job", 0, 90), ("job", 95, 96)], [("job", 0, second)], names=["main", "helper"])


def frames_drawn(late: int) -> Trace:
    times, at = [], 0.0
    for k in range(60):
        at += 40.0 if k < late else 16.0
        times.append(("DrawFrame", at))
    return timeline([("RunTask", 0, 10), ("RunTask", 20, 30)], instants=times)


def waiting_for_network(busy: float) -> Trace:
    calls = [("RunTask", 0, busy), ("RunTask", 90, 100)]
    return timeline(calls, instants=[("ResourceSendRequest", 1), ("ResourceFinish", 80)])


def layouts(count: int, each: float) -> Trace:
    inside = one_after_another("Layout", count, each, gap=0.1, start=11)
    end = inside[-1][2] + 1
    return timeline([("RunTask", 0, 5), ("RunTask", 10, end + 1), ("FunctionCall", 10.5, end), *inside], length=1000)


def task_with(name: str, lasted: float) -> Trace:
    return timeline([("RunTask", 0, 200), (name, 1, 1 + lasted), ("RunTask", 300, 400)], length=1000)


def painted(name: str, after: float) -> Trace:
    calls = [("RunTask", 0, 10), ("RunTask", 5000, 5010)]
    return timeline(calls, instants=[("navigationStart", 5), (name, 5 + after)])


def interaction(lasted: float) -> Trace:
    return timeline([("RunTask", 0, 10), ("RunTask", 500, 510)], intervals=[("EventTiming", 5, 5 + lasted)])


def requests_sent(late: int) -> Trace:
    sent = [("ResourceSendRequest", 1.0)] * (10 - late) + [("ResourceSendRequest", 60.0)] * late
    calls = [("RunTask", 0, 10), ("RunTask", 90, 100)]
    return timeline(calls, instants=[*sent, ("firstContentfulPaint", 50)])


def loading(*asked: Request, server: float = 20, frames: bool = True) -> Trace:
    """A page that was navigated to at 5 ms, got its document from 10 to 50 ms, and painted at 1,000 ms."""
    page = request(SHOP, 10, 50, kind="Document", server=server, size=10_000, found_in="")
    inner = request("https://ads.example/", 60, 70, kind="Document", document="F2")
    calls = [("RunTask", 0, 10), ("RunTask", 1500, 1510)]
    marks = [("navigationStart", 5.0), ("firstContentfulPaint", 1000.0)]
    return timeline(calls, instants=marks, requests=[page, *([inner] if frames else []), *asked])


def blocking(lasted: float) -> Trace:
    """Two requests that overlap and hold up the paint so long together; others that do not."""
    return loading(
        request(f"{SHOP}a.css", 60, 60 + lasted - 10, blocking="blocking"),
        request(f"{SHOP}b.js", 70, 60 + lasted, blocking="in_body_parser_blocking"),
        request(f"{SHOP}c.js", 60, 900, blocking="non_blocking"),
        request(f"{SHOP}late.css", 60, 1100, blocking="blocking"),
        request("https://ads.example/ad.css", 60, 900, blocking="blocking", document="F2"),
    )


def found_late(start: float, through: str = f"{SHOP}app.js") -> Trace:
    return loading(
        request(f"{SHOP}app.js", 55, 90),
        request(f"{SHOP}api/first", start, start + 20, found_in=through),
        request(f"{SHOP}api/metrics", 600, 700, found_in=f"{SHOP}app.js", priority="Low"),
    )


def received(foreign: int) -> Trace:
    return loading(
        request("https://cdn.shop.example/app.js", 60, 90, size=290_000),
        request("https://tags.example.net/t.js", 60, 95, size=foreign),
    )


def hosts(foreign: float) -> Trace:
    return sampled({"a@https://shop.example/app.js": 100 - foreign, "b@https://ads.example/track.js": foreign})


def queries(name: str, count: int, each: float) -> Trace:
    return timeline([("handle", 0, 1000), *one_after_another(name, count, each, gap=1)], name="worker")


def different_calls(each: float) -> Trace:
    names = ("GET /user", "GET /cart", "SELECT prices")
    calls = [(name, 10 + k * (each + 1), 10 + k * (each + 1) + each) for k, name in enumerate(names)]
    return timeline([("handle", 0, 500), *calls], name="worker")


def allocations(mean: float) -> Trace:
    columns = [("alloc_objects", Unit.COUNT), ("alloc_space", Unit.BYTES)]
    return values({"main;make": [200_000, 200_000 * mean], "main;rest": [10, 1e7]}, columns)


def retained(part: float) -> Trace:
    columns = [("alloc_space", Unit.BYTES), ("inuse_space", Unit.BYTES)]
    return values({"main;keep": [1000, 1000 * part]}, columns)


def memory(levels: list[float]) -> Trace:
    readings = [("jsHeapSizeUsed", float(k), level) for k, level in enumerate(levels)]
    return timeline([("RunTask", 0, 5), ("RunTask", 6, 20)], counters=readings)


def kernels(count: int, each: float, gap: float) -> Trace:
    calls = one_after_another("gemm", count, each, gap=gap)
    host = [("aten::mm", 0, 1), ("aten::mm", 2, 3)]
    return timeline(host, calls, names=["python", "stream 7"], categories={"gemm": "kernel"})


def launches(slow: int) -> Trace:
    calls = one_after_another("cudaLaunchKernel", 100 - slow, 0.01, gap=0.1)
    calls += one_after_another("cudaLaunchKernel", slow, 0.06, gap=0.1, start=50)
    return timeline([("aten::mm", 0, 100), *calls], name="python")


def torch(name: str, percent: float) -> Trace:
    return timeline([("ProfilerStep#1", 0, 100), ("aten::mm", 0, 100 - percent), (name, 100 - percent, 100)], name="py")


def operators(count: int) -> Trace:
    return timeline([("step", 0, 100), *one_after_another("aten::add", count, 0.01, gap=0.01)], name="py")


def flat(each: int) -> Trace:
    return sampled({f"main;f{k}": (2.5 if k < each else 1) for k in range(100)})


def deepest(percent: float) -> Trace:
    cut = ";".join(f"f{k}" for k in range(31))
    return sampled({f"{cut};leaf{k}": percent / 3 for k in range(3)} | {"f0;f1;f2": 100 - percent})


CASES = (
    Case("few-samples", lambda: sampled([("main", 1)] * 99), lambda: sampled([("main", 1)] * 100), CALLS),
    Case("short-recording", lambda: sampled({"main": 999}), lambda: sampled({"main": 1000}), CALLS),
    Case("irregular-sampling", lambda: gaps(5), lambda: gaps(1), CALLS),
    Case("truncated-stacks", lambda: deepest(20), lambda: deepest(4), CALLS),
    Case("unsymbolised", lambda: share("0x7f12ab34", 11), lambda: share("0x7f12ab34", 9), HEAP, passes=True),
    Case("minified", lambda: share("t@https://a.b/app.min.js", 31), lambda: share("t@https://a.b/app.min.js", 29),
         HEAP, passes=True),
    Case("anonymous", lambda: share("(anonymous)", 21), lambda: share("(anonymous)", 19), HEAP, passes=True),
    Case("lost-events", lambda: sampled([("main", 1)] * 98, warnings={"unclosed": 2}),
         lambda: sampled([("main", 1)] * 1000, warnings={"unclosed": 2, "not_drawn": 500}), HEAP, passes=True),
    Case("mostly-idle", lambda: sampled([("main", 49), ("", 51)]), lambda: sampled([("main", 51), ("", 49)]), HEAP),
    Case("waiting-not-recorded", lambda: sampled({"main": 5}, facts=RUNNING), lambda: sampled({"main": 5}), HEAP),
    Case("no-order", lambda: sampled({"main": 5}, facts=sums()), lambda: sampled({"main": 5}), CALLS, passes=True),
    Case("profiler-cost", lambda: share("opentelemetry.start_span", 3), lambda: share("opentelemetry.start_span", 1),
         CALLS, passes=True),
    Case("hot-function", lambda: share("work", 6, rest="(program)"), lambda: share("work", 4, rest="(program)"),
         sampled({"(program)": 5})),
    Case("heaviest-path", lambda: sampled({"main;a;b": 60, "main;c": 40}), lambda: sampled({"main": 60, "a;c": 40}),
         sampled([("", 5)])),
    Case("flat-profile", lambda: flat(0), lambda: flat(10), CALLS),
    Case("own-code", lambda: own_code(19), lambda: own_code(21), CPU),
    Case("short-burst", lambda: burst(60), lambda: burst(10), HEAP),
    Case("many-small-calls", lambda: small_calls(0.009), lambda: small_calls(0.011), CPU),
    Case("uneven-calls", lambda: uneven(4.5), lambda: uneven(2.9), CPU),
    Case("recursion", lambda: recursive(3), lambda: recursive(2), CALLS, passes=True),
    Case("several-ways", lambda: two_ways(10), lambda: two_ways(4), sampled({"alone": 5})),
    Case("garbage-collection", lambda: share("(garbage collector)", 6), lambda: share("(garbage collector)", 4), HEAP),
    Case("collection-pause", lambda: task_with("MajorGC", 51), lambda: task_with("MajorGC", 49), CPU),
    Case("explicit-collection", lambda: share("gc.collect", 1), lambda: share("collect_rows", 9), HEAP, passes=True),
    Case("compilation", lambda: task_with("v8.compile", 101), lambda: task_with("v8.compile", 99), HEAP, passes=True),
    Case("native-code", lambda: share("(program)", 21), lambda: share("(program)", 19), CALLS),
    Case("allocator", lambda: share("malloc", 11), lambda: share("malloc", 9), CALLS, passes=True),
    Case("kernel-time", lambda: share("do_idle_[k]", 21), lambda: share("do_idle_[k]", 19), HEAP, passes=True),
    Case("locks", lambda: share("pthread_mutex_lock", 11), lambda: share("pthread_mutex_lock", 9), HEAP, passes=True),
    Case("sleeping", lambda: share("time.sleep", 11), lambda: share("time.sleep", 9), HEAP, passes=True),
    Case("waiting", lambda: share("epoll_wait", 31), lambda: share("epoll_wait", 29), HEAP, passes=True),
    Case("boxing", lambda: share("Integer.valueOf", 6), lambda: share("Integer.valueOf", 4), HEAP, passes=True),
    Case("long-tasks", lambda: timeline([("RunTask", 0, 51), ("RunTask", 90, 100)]),
         lambda: timeline([("RunTask", 0, 50), ("RunTask", 90, 100)]), CPU),
    Case("blocking-time", lambda: timeline([("RunTask", 0, 250), ("RunTask", 300, 310)]),
         lambda: timeline([("RunTask", 0, 249), ("RunTask", 300, 310)]), CPU),
    Case("uneven-workers", lambda: workers(40), lambda: workers(20), CPU),
    Case("one-thread", lambda: two_threads(9), lambda: two_threads(12), CPU),
    Case("frame-jank", lambda: frames_drawn(7), lambda: frames_drawn(5), CPU),
    Case("network-bound", lambda: waiting_for_network(40), lambda: waiting_for_network(60), CPU),
    Case("forced-reflow", lambda: layouts(2, 16), lambda: layouts(2, 14), CPU),
    Case("layout-thrashing", lambda: layouts(10, 0.1), lambda: layouts(9, 0.1), CPU),
    Case("large-layout", lambda: task_with("Layout", 41), lambda: task_with("Layout", 39), CPU),
    Case("rendering", lambda: task_with("Paint", 61), lambda: task_with("Paint", 59), CPU),
    Case("slow-handler", lambda: task_with("EventDispatch", 51), lambda: task_with("EventDispatch", 49), CPU),
    Case("script-start", lambda: task_with("EvaluateScript", 101), lambda: task_with("EvaluateScript", 99), CPU),
    Case("parsing", lambda: task_with("ParseHTML", 51), lambda: task_with("ParseHTML", 49), CPU),
    Case("timers", lambda: task_with("TimerFire", 61), lambda: task_with("TimerFire", 59), CPU),
    Case("largest-paint", lambda: painted("largestContentfulPaint::Candidate", 2501),
         lambda: painted("largestContentfulPaint::Candidate", 2499), CPU),
    Case("first-paint", lambda: painted("firstContentfulPaint", 1801),
         lambda: painted("firstContentfulPaint", 1799), CPU),
    Case("slow-interaction", lambda: interaction(201), lambda: interaction(199), CPU),
    Case("layout-shifts", lambda: painted("LayoutShift", 10), lambda: painted("Shift", 10), CPU),
    Case("late-requests", lambda: requests_sent(3), lambda: requests_sent(2), CPU),
    Case("render-blocking", lambda: blocking(51), lambda: blocking(49), PAGE),
    Case("request-chain", lambda: found_late(101), lambda: found_late(99), PAGE),
    Case("slow-document", lambda: loading(server=601), lambda: loading(server=599), PAGE),
    Case("other-sites", lambda: received(101_000), lambda: received(99_000), PAGE),
    Case("third-parties", lambda: hosts(21), lambda: hosts(19), CPU),
    Case("n-plus-one", lambda: queries("SELECT 1", 5, 11), lambda: queries("SELECT 1", 4, 20), CPU),
    Case("n-plus-one-calls", lambda: queries("GET /item", 5, 61), lambda: queries("GET /item", 5, 59), CPU),
    Case("sequential-calls", lambda: different_calls(51), lambda: different_calls(49), CPU),
    Case("slow-query", lambda: queries("SELECT 1", 1, 501), lambda: queries("SELECT 1", 1, 499), CPU),
    Case("main-thread-access", lambda: timeline([("RunTask", 0, 50), ("readFileSync", 1, 18)]),
         lambda: timeline([("RunTask", 0, 50), ("readFileSync", 1, 16)]), CPU),
    Case("top-allocator", lambda: values({"a": [21], **{f"f{k}": [7.9] for k in range(10)}}, [("bytes", Unit.BYTES)]),
         lambda: values({"a": [19], **{f"f{k}": [8.1] for k in range(10)}}, [("bytes", Unit.BYTES)]), CPU),
    Case("small-objects", lambda: allocations(63), lambda: allocations(65), CPU),
    Case("held-memory", lambda: retained(0.51), lambda: retained(0.49), CPU),
    Case("growing-memory", lambda: memory([10, 11, 12, 13, 14, 15, 16, 17, 18]),
         lambda: memory([10, 11, 12, 13, 10, 15, 11, 17, 18]), CPU),
    Case("kernel-gaps", lambda: kernels(10, 1, 0.5), lambda: kernels(10, 1, 0.4), CALLS),
    Case("small-kernels", lambda: kernels(100, 0.009, 0), lambda: kernels(100, 0.011, 0), CALLS),
    Case("slow-launches", lambda: launches(6), lambda: launches(4), CALLS),
    Case("device-copies", lambda: torch("aten::copy_", 11), lambda: torch("aten::copy_", 9), CALLS),
    Case("data-loading", lambda: torch("enumerate(DataLoader)", 11), lambda: torch("enumerate(DataLoader)", 9), CALLS),
    Case("device-synchronisation", lambda: torch("cudaDeviceSynchronize", 11),
         lambda: torch("cudaDeviceSynchronize", 9), CALLS),
    Case("small-operators", lambda: operators(1000), lambda: operators(999), CALLS),
    *(Case(*row) for row in CAUSES),
)  # fmt: skip
BY_ID = [pytest.param(case, id=case.id) for case in CASES]


@pytest.mark.parametrize("case", BY_ID)
def test_a_trace_that_has_it_is_found_with_evidence(case: Case) -> None:
    found = insight(case.has(), case.id)
    assert found.state is State.FAIL
    assert found.detail
    assert found.evidence or case.id == "flat-profile"
    assert "{" not in found.said(lambda evidence: evidence.handle)


@pytest.mark.parametrize("case", BY_ID)
def test_a_trace_that_nearly_has_it_passes_with_the_reason(case: Case) -> None:
    found = insight(case.nearly(), case.id)
    assert found.state is State.PASS
    assert found.detail


@pytest.mark.parametrize("case", BY_ID)
def test_a_trace_of_another_kind_says_that_it_cannot_answer(case: Case) -> None:
    assert insight(case.other, case.id).state is (State.PASS if case.passes else State.NOT_APPLICABLE)


@pytest.mark.parametrize("name", ["Thread {}", "tid {}", "app (pid 7), thread {}", "{}", "unknown thread {}"])
def test_threads_without_a_name_are_no_team(name: str) -> None:
    threads = [[("job", 0, length), ("job", 200, 201)] for length in (40, 10, 10, 10)]
    found = insight(timeline(*threads, names=[name.format(k) for k in range(4)]), "uneven-workers")
    assert found.state is State.NOT_APPLICABLE


def test_events_within_events_of_their_kind_are_one() -> None:
    nested = [
        ("RunTask", 0, 200),
        *(("EventDispatch", 1 + deep, 100 - deep) for deep in range(3)),
        ("RunTask", 300, 400),
    ]
    assert insight(timeline(nested, length=1000), "slow-handler").detail.startswith("Once an event handler")


def test_the_recursion_of_one_function_is_not_that_of_another() -> None:
    stacks = {"main;walk;walk;walk": 30, "main;visit;visit;visit": 25, "main": 45}
    found = insight(sampled(stacks), "recursion")
    assert "3 deep; 30.0% (30" in found.detail
    assert [one.name for one in found.evidence] == ["walk"]


@pytest.mark.parametrize("name", ["[unknown]", "??", "0x7f8a1c004210"])
def test_code_without_symbols_is_no_recursion(name: str) -> None:
    stacks = {f"main;{name};{name};{name}": 60, "main": 40}
    assert insight(sampled(stacks), "recursion").state is State.PASS


def test_every_detector_is_tested() -> None:
    elsewhere = {one.id for one in DETECTORS if one.kind in ("overhead", "comparison")}
    assert {case.id for case in CASES} | elsewhere == {one.id for one in DETECTORS}
