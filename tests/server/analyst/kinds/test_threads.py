"""Answers about threads: whether the main one is blocked."""

from typing import Any

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.kinds.threads import main_thread
from server.analyst.question import Intent, Question

ASKED = Question(intent=Intent.MAIN_THREAD, text="Is the main thread blocked?")


def a_thread(handle: str, **more: Any) -> dict[str, Any]:
    row = {"handle": handle, "name": handle, "pid": "1", "tid": handle, "kind": "sampled", "unit": "nanoseconds"}
    return {
        **row,
        "total": 60e6,
        "busy": 60e6,
        "waiting": None,
        "idle": 40e6,
        "unknown": None,
        "stands_for_thread": True,
        **more,
    }


def said(*threads: dict[str, Any]) -> str:
    results = (
        Result("get_trace_summary", {}, {"default_profile": "p0", "profiles": list(threads)}, "", failed=False),
        Result("list_profiles", {}, {"profiles": list(threads)}, "", failed=False),
    )
    return " ".join(main_thread(ASKED, Evidence(ASKED.text, {}, results)))


@pytest.mark.parametrize(
    ("idle", "verdict"),
    [
        (None, "**Yes, the main thread is busy.**"),
        (0.1, "**Yes, the main thread is busy.**"),
        (0.6, "**Not for long: the main thread is idle most of the time.**"),
        (0.95, "**No, the main thread is mostly idle.**"),
    ],
)
def test_how_idle_it_is_decides_the_answer(idle: float | None, verdict: str) -> None:
    assert said(a_thread("p0", idle_share=idle)).startswith(verdict)


def test_another_thread_that_is_busier_is_named() -> None:
    answer = said(a_thread("p0", idle_share=0.1), a_thread("p1", busy=90e6))
    assert "The busiest is [`p1`](#p1), with 90.0 ms." in answer
    assert "The busiest is" not in said(a_thread("p0", idle_share=0.1), a_thread("p1", busy=50e6))
