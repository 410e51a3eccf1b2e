"""Every question of `traces.analysis` on real traces repeated to a million spans and a million samples, and reopening.

Each is asked of the main profile, of a fifth of its axis, with a filter, and of all profiles as one: the copies then
stand side by side as profiles of their own instead of one after the other.
"""

import json
import mmap
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from bench.measure import ROUNDS, cpu_seconds, decompressed, mapped
from bench.own_process import Figures, figures_of
from bench.repeated import REPEATED, write_repeated
from server.adapters.workers.pages import keep_freed_pages
from traces import cache
from traces.analysis.calltree import call_tree
from traces.analysis.filters import FrameFilter
from traces.analysis.find import find_frames
from traces.analysis.functions import top_functions
from traces.analysis.hottest_windows import hottest_windows
from traces.analysis.longest import longest_spans
from traces.analysis.sandwich import callers_callees
from traces.analysis.summary import summarise
from traces.analysis.view_layout import left_heavy, sandwich_layout, time_order
from traces.analysis.window import Window
from traces.model import Trace
from traces.reader import read_trace

SAMPLED = "pyspy-pylint-1khz.speedscope.json.gz"
MILLION = {REPEATED: 2, SAMPLED: 4}
"""Copies with more than a million: of the one 600,000 spans, of the other 255,437 samples."""

QUESTION_TARGET_MS = 10.0
REOPENING_TARGET_MS = 5.0
WAYS = ("whole", "a fifth", "filtered", "all")
"""How a question is asked; `all` is of the second file, in which the copies are profiles of their own."""

AS_MANY_BOXES = {
    REPEATED: {("whole", "boxes, time order")},
    SAMPLED: {("whole", "boxes, time order"), ("whole", "longest calls"), ("all", "longest calls")},
}
"""What looks at every call, or at every run of equal samples, of the file: no target."""
Asked = dict[str, Callable[..., object]]


def write_samples(source: Path, out: Path, *, copies: int, side_by_side: bool) -> None:
    """A sampled profile of speedscope's format, its copies one after the other or each a profile of its own."""
    content: dict[str, Any] = json.loads(decompressed(source))
    (profile,) = content["profiles"]
    if side_by_side:
        content["profiles"] = [{**profile, "name": f"copy {number}"} for number in range(copies)]
    else:
        length = profile["endValue"] - profile["startValue"]
        profile["endValue"] = profile["startValue"] + copies * length
        profile["samples"] *= copies
        profile["weights"] *= copies
    out.write_bytes(msgspec.json.encode(content))


def questions(path: Path, ways: Iterable[str]) -> Figures:
    """CPU milliseconds of each question, `first` and the best of three, in the ways asked; reopening by wall clock:
    from the file's name to a Trace."""
    trace = read_trace(mapped(path), name=path.name)
    keep_freed_pages()  # as the workers do in which questions are asked
    with tempfile.TemporaryDirectory() as folder:
        columns = Path(folder) / "columns"
        with columns.open("wb") as out:
            out.writelines(cache.encode(trace))
        reopening = min(_wall_seconds(lambda: _reopened(columns)) for _ in range(ROUNDS))
        trace = _reopened(columns)
        figures = {"reopening": 1e3 * reopening}
        for way in ways:
            for name, question in _asked(trace, way).items():
                figures[f"{way}|{name}|first"] = 1e3 * cpu_seconds(question, rounds=1)
                figures[f"{way}|{name}|best"] = 1e3 * cpu_seconds(question)
    counted = [p.spans if p.spans is not None else p.samples for p in trace.profiles]
    figures["rows"] = float(sum(len(rows) for rows in counted if rows is not None))
    figures["nodes"] = float(sum(len(p.tree) for p in trace.profiles))
    figures["profiles"] = float(len(trace.profiles))
    return figures


def _reopened(columns: Path) -> Trace:
    with columns.open("rb") as file:
        return cache.decode(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _wall_seconds(step: Callable[[], object]) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def _asked(trace: Trace, way: str) -> dict[str, Callable[[], object]]:
    """The questions that can be asked in this way."""
    main = trace.profiles[trace.default_profile]
    length = main.axis_end - main.axis_start
    fifth = Window(main.axis_start + length * 4 // 10, main.axis_start + length * 6 // 10)
    top = top_functions(trace, limit=1).rows[0]
    frame = top.frame
    node = call_tree(trace, root=top.handle, max_nodes=1).nodes[0].handle
    tables: Asked = {
        "top functions": partial(top_functions, trace),
        "top functions, by total": partial(top_functions, trace, sort_by="total"),
        "top functions, durations of calls": partial(top_functions, trace, durations=True),
        "top functions, by name": partial(top_functions, trace, pattern="visit"),
        "call tree": partial(call_tree, trace),
        "call tree, of a function": partial(call_tree, trace, root=top.handle),
        "call tree, bottom up": partial(call_tree, trace, inverted=True),
        "call tree, bottom up of a function": partial(call_tree, trace, root=top.handle, inverted=True),
        "callers and callees": partial(callers_callees, trace, frame),
    }
    left: Asked = {"boxes, left heavy": partial(left_heavy, trace)}
    sandwich: Asked = {"boxes, sandwich": partial(sandwich_layout, trace, frame)}
    longest: Asked = {"longest calls": partial(longest_spans, trace)}
    find: Asked = {"find": partial(find_frames, trace, "visit")}
    hottest: Asked = {
        "hottest windows": partial(hottest_windows, trace),
        "hottest windows, of a function": partial(hottest_windows, trace, frame=frame),
    }
    order: Asked = {"boxes, time order": partial(time_order, trace)}
    subtree: Asked = {"call tree, of a node": partial(call_tree, trace, root=node)}
    if way == "whole":
        summary: Asked = {"summary": partial(summarise, trace)}
        return {**summary, **tables, **subtree, **find, **hottest, **longest, **left, **sandwich, **order}
    if way == "a fifth":
        inside = {**tables, **subtree, **longest, **left, **order}
        return {name: partial(question, window=fifth) for name, question in inside.items()}
    if way == "filtered":
        mine = FrameFilter(hide=top.name)
        return {name: partial(q, frame_filter=mine) for name, q in {**tables, **left, **sandwich}.items()}
    of_all = {**tables, **find, **hottest, **longest, **left, **sandwich}
    return {name: partial(question, profile="all") for name, question in of_all.items()}


def print_questions(folder: Path) -> None:
    """The tables: spans and samples."""
    with tempfile.TemporaryDirectory() as scratch:
        for source, copies in MILLION.items():
            if not (folder / source).exists():
                print(f"\nquestions: {source} is not in {folder}")
                continue
            one, several = Path(scratch) / "one.json", Path(scratch) / "several.json"
            if source == REPEATED:
                write_repeated(folder / source, one, copies=copies)
                write_repeated(folder / source, several, copies=copies, side_by_side=True)
            else:
                write_samples(folder / source, one, copies=copies, side_by_side=False)
                write_samples(folder / source, several, copies=copies, side_by_side=True)
            _print_table(source, copies, one, several)


def _print_table(source: str, copies: int, one: Path, several: Path) -> None:
    found = figures_of("bench.questions", str(one), *WAYS[:3])
    of_all = figures_of("bench.questions", str(several), WAYS[3])
    if isinstance(found, str) or isinstance(of_all, str):
        print(f"\nquestions on {source}: {found if isinstance(found, str) else of_all}")
        return
    what = "spans" if source == REPEATED else "samples"
    print(
        f"\nquestions on {source} x {copies}: {found['rows']:,.0f} {what}, {found['nodes']:,.0f} nodes; ",
        end="",
    )
    print(f"all: {of_all['profiles']:.0f} profiles, {of_all['nodes']:,.0f} nodes")
    print(f"CPU ms, best of three (first time where that is over {QUESTION_TARGET_MS:.0f})\n")
    print(f"{'question':36}" + "".join(f"{way:>16}" for way in WAYS) + f"{'met':>5}")
    names = dict.fromkeys(name.split("|")[1] for name in (*found, *of_all) if "|" in name)
    for name in names:
        cells, met = "", True
        for way in WAYS:
            figures = of_all if way == "all" else found
            best, first = (figures.get(f"{way}|{name}|{which}") for which in ("best", "first"))
            if best is None or first is None:
                cells += f"{'-':>16}"
                continue
            no_target = (way, name) in AS_MANY_BOXES[source]
            met &= no_target or best <= QUESTION_TARGET_MS
            note = "*" if no_target else f"({first:.1f})" if first > QUESTION_TARGET_MS else ""
            cells += f"{best:8.2f} {note:7}"
        print(f"{name:36}{cells}{'yes' if met else 'NO':>5}", flush=True)
    print("* no target: as many boxes as there are calls, or stretches of samples")
    for label, figures in (("reopening", found), ("reopening, several profiles", of_all)):
        met = figures["reopening"] <= REOPENING_TARGET_MS
        print(f"{label:36}{figures['reopening']:8.2f} of {REOPENING_TARGET_MS:.0f}{'yes' if met else 'NO':>5}")


if __name__ == "__main__":
    print(json.dumps(questions(Path(sys.argv[2]), sys.argv[3:])))
