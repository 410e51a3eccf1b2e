"""A prompt is narrowed to the thread that it names by number or by a word of its name, and to no other."""

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.intent import Intent
from server.analyst.question import alone
from server.analyst.thread_scope import narrowed

NAMES = (("CrRendererMain", 10, 71), ("ServiceWorker thread", 10, 75), ("CrGpuMain", 12, 90))


def evidence() -> Evidence:
    """A summary with three threads."""
    profiles = [
        {"handle": f"p{at}", "name": f"{name} (tid {tid})", "pid": pid, "tid": tid, "unit": "nanoseconds"}
        | {"stands_for_thread": True, "busy": 5.0 - at, "total": 5.0}
        for at, (name, pid, tid) in enumerate(NAMES)
    ]
    summary = {"profiles": profiles, "default_profile": "p0", "unit": "nanoseconds"}
    return Evidence("", {}, (Result("get_trace_summary", {}, summary, "", failed=False),))


@pytest.mark.parametrize(
    ("prompt", "profile"),
    [
        ("hottest function on tid 75", "p1"),
        ("longest task of the service worker", "p1"),
        ("top functions of the gpu track", "p2"),
        ("hottest function", None),
        ("hottest function of the compositor", None),
    ],
)
def test_a_thread_is_named_by_its_number_or_its_words(prompt: str, profile: str | None) -> None:
    assert narrowed(alone(prompt, {}, None).about(Intent.TOP), evidence()).profile == profile


def test_a_time_of_a_thread_is_the_question_for_that_time_there() -> None:
    found = narrowed(alone("what happened on thread 75 between 1 and 2 s", {}, None).about(Intent.THREAD), evidence())
    assert (found.intent, found.time_ranges[0].profile) == (Intent.WINDOW, "p1")
