"""For each detector of a cause a small trace that has it, one that nearly has it, and one of another kind."""

from collections.abc import Callable

from tests.traces.insights.recorded import Call, one_after_another, sampled, share, threads, timeline, values
from traces.model import Trace
from traces.values import Facts, Order, Unit, Waits

CPU = share("work", 50)
HEAP = values({"main;make": [1000.0]}, [("allocated", Unit.BYTES)])
WAITED = Facts(Order.NONE, waits=Waits.WAITING)


def repeated(name: str, through: tuple[str, ...], count: int) -> Trace:
    """Calls of 1 ms below one call of `main`, each by way of some functions."""
    calls: list[Call] = [("main", 0.0, count * 2.0)]
    for k in range(count):
        calls += [(above, k * 2.0, k * 2.0 + 1) for above in (*through, name)]
    return timeline(calls)


def one_long(longest: float, inside: int = 0) -> Trace:
    """Twenty calls, of which the last lasts so long, with so many calls in it."""
    calls = [("main", 0.0, 40 + longest), *one_after_another("send", 19, 1.0, gap=1.0), ("send", 40.0, 40.0 + longest)]
    return timeline([*calls, *one_after_another("line", inside, longest / max(inside, 1), start=40.0)])


def lengthening(step: float) -> Trace:
    """Thirty calls, each longer than the one before by a step."""
    calls: list[Call] = []
    for k in range(30):
        start = calls[-1][2] if calls else 0.0
        calls.append(("add", start, start + 1 + k * step))
    return timeline([("main", 0.0, calls[-1][2]), *calls])


def fetched(count: int) -> Trace:
    calls = one_after_another("fetch_rate", count, 50, start=1)
    return timeline([("main", 0, 200), *calls])


def waited(milliseconds: float) -> Trace:
    return sampled({"main;post;Lock": milliseconds}, facts=WAITED, value="lock delay")


def missed(misses: float) -> Trace:
    columns = [("Ir", Unit.COUNT), ("Dr", Unit.COUNT), ("D1mr", Unit.COUNT)]
    return values({"main;walk": [9e6, 1e6, misses], "main;read": [9e6, 5e6, 1e5]}, columns)


def kept(amount: float) -> Trace:
    return values({"serve;remember_visit": [amount], "serve;parse": [3e6]}, [("Memory", Unit.BYTES)])


def handled(length: float) -> Trace:
    save = [("on_key@app.py", 0.0, 100.0), ("save@app.py", 0.0, 99.0), ("fsync@/usr/lib/python3/os.py", 0.0, length)]
    return timeline([("main@app.py", 0.0, 100.0), *save], name="MainThread")


def turns(number: int) -> Trace:
    """So many of Python's threads at work all the time."""
    return threads(*[["work@app.py"] * 10] * number)


def one_inside(waiting: int) -> Trace:
    """Four threads, of which one at a time fetches while so many of the others stand in `add`, by time."""
    within, stands, other = "work@a.py;add@a.py;fetch@a.py", "work@a.py;add@a.py", "work@a.py;other@a.py"
    rows = [[within if k % 4 == one else stands if (k - one) % 4 <= waiting else other for k in range(40)]
            for one in range(4)]  # fmt: skip
    return threads(*rows)


def paused(percent: float) -> Trace:
    """Pauses for collections in a profile of their own, in ten equal parts of the recording."""
    calls = [("GC Pause", k * 10.0, k * 10.0 + percent / 10) for k in range(10)]
    return timeline(calls, name="Pauses for collections", length=100)


def compiled(percent: float) -> Trace:
    """A function that compiles a rule for so much of the time, and has other work."""
    return sampled({"main;check;compile_rule": percent, "main;check;match": 100 - percent})


def there_and_back(percent: float) -> Trace:
    """A function that freezes and thaws what it keeps, half of so much of the time each."""
    each = percent / 2
    return sampled({"main;keep;freezeNote": each, "main;keep;thawNote": each, "main;other": 100 - percent})


def awaited(wait: float, step: str = "<dictcomp>@app.py;read_one@app.py") -> Trace:
    """An event loop that waits for so much of the time, and a task that awaits in a comprehension."""
    loop, asyncio = "main@app.py;_run_once@/usr/lib/python3.11/asyncio/base_events.py", "/usr/lib/python3.11/asyncio"
    return sampled(
        {
            f"{loop};select@/usr/lib/python3.11/selectors.py;epoll.poll@<built-in>": wait,
            f"{loop};_run@{asyncio}/events.py;refresh@app.py;{step};open_connection@{asyncio}/streams.py": 5,
            f"{loop};other@app.py": 95 - wait,
        }
    )


Row = tuple[str, Callable[[], Trace], Callable[[], Trace], Trace]
CAUSES: tuple[Row, ...] = (
    ("serial-waits", lambda: fetched(3), lambda: fetched(2), CPU),
    ("outlier-call", lambda: one_long(21), lambda: one_long(19), CPU),
    ("growing-calls", lambda: lengthening(0.2), lambda: lengthening(0.05), CPU),
    ("list-search", lambda: share("already_seen", 31), lambda: share("already_seen", 29), HEAP),
    ("collection-pressure", lambda: share("encode;runtime.mallocgc;runtime.gcAssistAlloc", 21),
     lambda: share("encode;runtime.mallocgc;runtime.gcAssistAlloc", 19), HEAP),
    ("blocked-event-loop", lambda: share("_run_once;Handle._run;answer;time.sleep", 21),
     lambda: share("_run_once;Handle._run;answer;time.sleep", 19), CPU),
    ("lock-contention", lambda: waited(101), lambda: waited(99), CPU),
    ("repeated-queries", lambda: repeated("execute", ("lines_of",), 20),
     lambda: repeated("execute", ("lines_of",), 19), CPU),
    ("repeated-work", lambda: repeated("load_rates", ("tax_of",), 20),
     lambda: repeated("load_rates", ("tax_of",), 19), CPU),
    ("cache-misses", lambda: missed(260_000), lambda: missed(240_000), CPU),
    ("kept-memory", lambda: kept(1_100_000), lambda: kept(900_000), HEAP),
    ("thread-turns", lambda: turns(8), lambda: turns(7), CPU),
    ("one-at-a-time", lambda: one_inside(2), lambda: one_inside(0), CPU),
    ("start-phase", lambda: share("startUp;prepare", 51), lambda: share("startUp;prepare", 49), HEAP),
    ("recorded-collections", lambda: paused(21), lambda: paused(19), CPU),
    ("round-trip", lambda: there_and_back(26), lambda: there_and_back(24), HEAP),
    ("awaits-in-turn", lambda: awaited(51), lambda: awaited(49), HEAP),
    ("handler-access", lambda: handled(21), lambda: handled(19), HEAP),
)  # fmt: skip
