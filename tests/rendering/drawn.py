"""Small pictures as SVG, each compared to the letter with the file of its name in `golden`: places, colours, texts,
notes and the description. `python -m tests.rendering.drawn` writes them anew; look at each before it is kept.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from rendering.diff import render_diff
from rendering.flamegraph import render_flamegraph
from rendering.minimap import render_minimap
from rendering.options import DiffOptions, FlamegraphOptions, SandwichOptions, SheetOptions
from rendering.picture import Picture
from rendering.sandwich import render_sandwich
from tests.rendering.test_pictures import MS, SERVER, trace_of
from tests.traces.insights.recorded import timeline
from traces.analysis.window import Window
from traces.model import Trace

GOLDEN = Path(__file__).parent / "golden"
MANY = [(f"main;group{k % 5};app.module.function_{k}", 1 + k * 7 % 13) for k in range(40)]
DEEP = ";".join(f"f{k}" for k in range(60))


def calls() -> Trace:
    main = [("main", 0, 100), ("load", 5, 40), ("parse", 10, 30), ("draw", 45, 46), ("draw", 60, 95), ("paint", 61, 70)]
    return timeline(main, [("job", 20, 90), ("work", 30, 31), ("work", 40, 80)], names=["main", "worker"], length=110)


def flame(trace: Trace, **asked: object) -> Picture:
    return render_flamegraph(trace, FlamegraphOptions(format="svg", **asked))  # type: ignore[arg-type]


def sandwich(trace: Trace, name: str, **asked: object) -> Picture:
    options = SandwichOptions(format="svg", **asked)  # type: ignore[arg-type]
    return render_sandwich(trace, trace.frame_names.index(name), options)


PICTURES: dict[str, Callable[[], Picture]] = {
    "left_heavy": lambda: flame(
        trace_of(SERVER), mode="left_heavy", legend=True, minimap=True, handles=True, palette="package", width=640
    ),
    "time_order": lambda: flame(
        calls(), window=Window(20 * MS, 100 * MS), minimap=True, highlight="draw", theme="dark", width=500, dpr=2
    ),
    "narrow": lambda: flame(
        trace_of(MANY), mode="left_heavy", legend=True, width=400, height=210, min_width=6, remarks=("A remark.",)
    ),
    "rows": lambda: flame(trace_of([(DEEP, 3), ("f0;other", 1)]), start_depth=7, depth=6, value_axis=False, width=300),
    "focus": lambda: flame(trace_of(SERVER), focus="f3", depth_axis=False, flatten_recursion=True, width=420),
    "sandwich": lambda: sandwich(trace_of(SERVER), "app.templates.render", legend=True, handles=True, width=640),
    "sandwich_cut": lambda: sandwich(trace_of([(DEEP, 2), ("f30;x", 1)]), "f30", theme="dark", width=300, height=250),
    "minimap": lambda: render_minimap(calls(), SheetOptions(format="svg", width=300), Window(20 * MS, 60 * MS)),
    "diff": lambda: render_diff(
        trace_of(SERVER),
        trace_of([*SERVER[1:], ("main;handle;app.cache.get", 40)]),
        DiffOptions(format="svg", width=500, legend=True, compare="shares"),
    ),
}


def assert_drawn(name: str) -> None:
    assert PICTURES[name]().data.decode() == (GOLDEN / f"{name}.svg").read_text(encoding="utf-8")


def main() -> int:
    for name, drawn in PICTURES.items():
        (GOLDEN / f"{name}.svg").write_bytes(drawn().data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
