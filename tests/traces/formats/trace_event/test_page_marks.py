"""Chrome names the marks of all frames alike: a page's own are those of its outermost main frame."""

import json
from typing import Any

import pytest

from traces.insights.insight import State
from traces.insights.registry import insight
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace

MAIN, CHILD = "A" * 32, "B" * 32


def mark(name: str, ms: float, frame: str, **data: Any) -> dict[str, Any]:
    args = {"frame": frame, "data": data} if frame else {"data": data}
    return {"name": name, "ph": "R", "pid": 1, "tid": 2, "ts": ms * 1000, "cat": "blink.user_timing", "args": args}


def navigation(ms: float, frame: str, address: str, *, is_main: bool = True) -> dict[str, Any]:
    """Chrome flags the empty document of a new frame as a main frame's, too."""
    flags = {"isLoadingMainFrame": is_main, "navigationId": f"{frame}{ms}"}
    return mark("navigationStart", ms, frame, documentLoaderURL=address, **flags)


def page(*marks: dict[str, Any], starts: dict[str, Any] | None = None) -> Trace:
    tasks: list[dict[str, Any]] = [
        {"name": name, "ph": "X", "pid": 1, "tid": 2, "ts": ms * 1000, "dur": 9_000, "args": {}}
        for ms in range(0, 4000, 100)
        for name in ("RunTask", "FunctionCall")
    ]
    started = {"name": "TracingStartedInBrowser", "ph": "I", "pid": 3, "tid": 3, "ts": 1, "args": {"data": starts}}
    events = [*tasks, *marks, *([started] if starts else ())]
    trace = read_trace(json.dumps({"traceEvents": events}).encode(), name="page")
    check(trace)
    return trace


FRAMES = {"frames": [{"frame": MAIN, "url": "about:blank"}, {"frame": CHILD, "parent": MAIN, "url": ""}]}
LOADED = [
    navigation(3, MAIN, "https://example.org/"),
    navigation(2480, CHILD, ""),
    mark("firstContentfulPaint", 2500, CHILD),
    mark("firstContentfulPaint", 2687, MAIN),
    mark("largestContentfulPaint::Candidate", 2883, MAIN),
    mark("largestContentfulPaint::Candidate", 3500, CHILD),
    mark("LayoutShift", 2700, CHILD),
]


@pytest.mark.parametrize("starts", [FRAMES, None])
def test_paints_count_from_the_main_frames_navigation(starts: dict[str, Any] | None) -> None:
    trace = page(*LOADED, starts=starts)
    assert "2.68 s" in insight(trace, "first-paint").detail
    assert "2.88 s" in insight(trace, "largest-paint").detail
    assert insight(trace, "first-paint").state is State.FAIL
    assert insight(trace, "layout-shifts").state is State.PASS, "a shift inside another frame is not the page's"
    names = {trace.strings[name] for name in trace.instants.name.tolist()}
    assert {"navigationStart", "navigationStart (child frame)", "LayoutShift (child frame)"} <= names


def test_where_the_frame_is_unknown_nothing_is_called_good() -> None:
    trace = page(
        navigation(2480, CHILD, "https://ads.example/", is_main=False),
        mark("firstContentfulPaint", 2500, CHILD),
        mark("largestContentfulPaint::Candidate", 2600, MAIN),
    )
    for name in ("first-paint", "largest-paint"):
        found = insight(trace, name)
        assert found.state is State.NOT_APPLICABLE
        assert "cannot be told" in found.detail


def test_several_navigations_of_no_frame_stay_unknown() -> None:
    trace = page(
        mark("navigationStart", 1, ""), mark("navigationStart", 2400, ""), mark("firstContentfulPaint", 2500, "")
    )
    assert "cannot be told" in insight(trace, "first-paint").detail


def test_arguments_of_another_kind_are_no_error() -> None:
    marks = [mark("navigationStart", 1, ""), mark("firstContentfulPaint", 5, "")]
    marks[0]["args"] = {"frame": 7, "data": [1]}
    assert len(page(*marks).instants.time) == 2
