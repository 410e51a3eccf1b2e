"""Small traces by name, one of each kind that the analyst answers of in another way."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.traces.insights.recorded import SHOP, one_after_another, request, sampled, threads, timeline, values
from traces.formats.format import RUNNING, sums
from traces.model import Trace
from traces.reader import read_trace
from traces.values import Unit

ROOT = Path(__file__).parents[3]
FORKS = {"main;load;parse": 30, "main;load;check": 25, "main;load": 20, "main;draw": 15, "main": 10}
WAITS = {
    "main;work": 20,
    "main;epoll_wait": 30,
    "main;pthread_mutex_lock": 15,
    "main;psycopg.execute": 12,
    "main;socket.recv": 8,
    "main;json.loads": 5,
    "main;re.compile": 4,
    "main;(garbage collector)": 6,
    "": 40,
}
PAGE = [
    ("RunTask", 0, 120),
    ("EvaluateScript", 2, 80),
    ("render@https://shop.example/app.js", 5, 70),
    ("Layout", 10, 30),
    ("Layout", 35, 60),
    ("RunTask", 150, 260),
    ("MajorGC", 152, 215),
    ("FunctionCall", 220, 255),
    ("RunTask", 400, 410),
]
SERVICE = [
    ("handle", 0, 400),
    *one_after_another("SELECT 1", 6, 20, gap=2, start=5),
    ("parse", 150, 190),
    ("parse", 200, 300),
    ("handle", 450, 700),
    ("GET /user", 460, 560),
    ("parse", 570, 690),
]
HEAP = (
    ("alloc_objects", Unit.COUNT),
    ("alloc_space", Unit.BYTES),
    ("inuse_objects", Unit.COUNT),
    ("inuse_space", Unit.BYTES),
)
LIBRARY = "/x/site-packages"


def page() -> Trace:
    return timeline(
        PAGE,
        [("job", 0, 90), ("Paint", 10, 60)],
        names=["CrRendererMain", "Compositor"],
        instants=[("navigationStart", 5), ("firstContentfulPaint", 200), ("largestContentfulPaint::Candidate", 300)],
        requests=[
            request(SHOP, 10, 50, kind="Document", server=20, size=10_000, found_in=""),
            request(f"{SHOP}app.js", 60, 130, size=290_000, blocking="blocking"),
            request("https://tags.example.net/t.js", 60, 95, size=101_000),
        ],
        counters=[("jsHeapSizeUsed", float(k * 40), 1e6 * (10 + k)) for k in range(10)],
        length=500,
    )


def device() -> Trace:
    host = [("step", 0, 100), ("aten::mm", 1, 40), ("cudaDeviceSynchronize", 41, 90)]
    kernels = one_after_another("gemm", 10, 5, gap=2)
    return timeline(host, kernels, names=["python", "stream 7"], categories={"gemm": "kernel"})


TRACES: dict[str, Callable[[], Trace]] = {
    "forks": lambda: sampled(FORKS),
    "equals": lambda: sampled({f"main;{name}": 10 if name == "f" else 30 for name in "abcdef"}),
    "recursive": lambda: sampled({"main;walk;walk;walk": 50, "main;walk;walk": 20, "main;draw": 30}),
    "own code": lambda: sampled(
        {
            f"main@app.py;load@app.py;parse@{LIBRARY}/json.py": 60,
            "main@app.py;load@app.py": 25,
            f"boot@{LIBRARY}/boot.py": 15,
        }
    ),
    "waits": lambda: sampled(WAITS),
    "page": page,
    "service": lambda: timeline(
        SERVICE, [("job", 0, 300), ("save", 50, 250)], [("job", 0, 60)], names=["main", "worker-1", "worker-2"]
    ),
    "growing": lambda: timeline(
        [("main", 0, 1000), *[("parse", 50.0 * at, 50.0 * at + (4 if at < 10 else 20)) for at in range(20)]]
    ),
    "heap": lambda: values(
        {"main;make": [300, 60e6, 100, 30e6], "main;read": [200, 20e6, 10, 1e6], "main;idle": [0, 0, 0, 0]}, HEAP
    ),
    "sums": lambda: sampled(
        {"main;load;parse": 300, "main;load": 100, "main;logging.info": 50, "main;sorted": 50}, facts=sums()
    ),
    "workers": lambda: threads(
        ["main;load", "main;load", "main;draw", ""],
        ["pool;parse", "pool;parse", "pool;parse", "pool;wait"],
        ["pool;lock", "", "", ""],
    ),
    "device": device,
    "nameless": lambda: sampled({"0x7f12ab34": 60, "main;[unknown]": 30, "main": 10}),
    "running": lambda: sampled({"main;work": 500, "main;memcpy": 300, "main": 200}, facts=RUNNING),
}


@cache
def trace_named(name: str) -> Trace:
    """The small one of that name, or the recording at that path of the repository."""
    if name in TRACES:
        return TRACES[name]()
    return read_trace((ROOT / name).read_bytes(), name=Path(name).name)
