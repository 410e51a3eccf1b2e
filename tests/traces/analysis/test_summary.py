"""What the summary says a recording can answer, and what it cannot: each question stands on one side."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from tests.traces.insights.recorded import MS, finished, sampled, timeline
from traces.analysis import summary as summary_module
from traces.analysis.summary import ProfileSummary, recorded, summarise
from traces.builder import TraceBuilder
from traces.formats.format import sums
from traces.model import Profile, Trace
from traces.stacks import StackTable
from traces.values import Counts, Facts, Unit, ValueType

SECONDS, MEMORY, ORDER = "how long things took", "how much memory", "what happened when"
SINGLE_CALLS, CALL_COUNTS, NO_CALLS = "how often and for how long", "how often each function", "exact call counts"
OTHERS, TOGETHER = "what other threads", "what happened at the same time"

TIMES = sampled({"main;work": 5, "main": 5})
BYTES = sampled({"main;work": 5, "main": 5}, unit=Unit.BYTES, value="space")
CALLS = timeline([("main", 0, 9), ("work", 1, 4)])


def several(*facts: Facts) -> Trace:
    """A trace of a profile for each of these, with a sample a profile."""
    builder = TraceBuilder("several", "example")
    for number, one in enumerate(facts):
        table = StackTable()
        leaves = table.leaves([[builder.frame("main")]])
        kinds = (ValueType("time", Unit.NANOSECONDS),)
        builder.add_sampled(f"p{number}", table, leaves, [np.array([MS])], values=kinds, facts=one)
    return finished(builder)


@pytest.mark.parametrize(
    ("trace", "can", "cannot"),
    [
        (TIMES, {SECONDS, ORDER}, {MEMORY, NO_CALLS, OTHERS}),
        (BYTES, {MEMORY}, {SECONDS, NO_CALLS, OTHERS}),
        (CALLS, {SECONDS, ORDER, SINGLE_CALLS}, {MEMORY, OTHERS}),
        (several(sums()), {SECONDS}, {ORDER, MEMORY, NO_CALLS, OTHERS}),
        (several(sums(counts=Counts.CALLS)), {SECONDS, CALL_COUNTS}, {ORDER, "durations of single calls"}),
        (several(sums(), sums()), {SECONDS}, {ORDER, MEMORY}),
    ],
    ids=["samples", "bytes", "calls", "sums", "counted calls", "two profiles"],
)
def test_a_question_can_be_answered_or_it_cannot(trace: Trace, can: set[str], cannot: set[str]) -> None:
    summary = summarise(trace)
    for question in can:
        assert any(said.startswith(question) for said in summary.can_answer), question
        assert not any(said.startswith(question) for said in summary.cannot_answer), question
    for question in cannot:
        assert any(said.startswith(question) for said in summary.cannot_answer), question
        assert not any(said.startswith(question) for said in summary.can_answer), question


def test_only_a_trace_of_one_profile_says_nothing_of_other_threads() -> None:
    assert not any(said.startswith(OTHERS) for said in summarise(several(sums(), sums())).cannot_answer)


def test_profiles_are_summed_up_when_they_are_asked_for_and_travel_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = several(sums(), sums(), sums())
    made: list[int] = []
    summed = summary_module._profile

    def noted(of: Trace, profile: Profile) -> ProfileSummary:
        made.append(profile.index)
        return summed(of, profile)

    monkeypatch.setattr(summary_module, "_profile", noted)
    summary = summarise(trace)
    assert made == [trace.default_profile]
    assert [row.handle for row in summary.profiles[1:]] == ["p1", "p2"]
    copy = pickle.loads(pickle.dumps(summary))
    assert copy == summary
    assert isinstance(copy.profiles, tuple)
    assert [row["handle"] for row in summary.as_json()["profiles"]] == ["p0", "p1", "p2"]
    assert sorted(made) == [0, 1, 2]
    assert summary.profiles == summarise(trace).profiles != summarise(several(sums())).profiles


@pytest.mark.parametrize(
    ("began", "length", "said"),
    [(10**18, 13_140_000_000, ", recorded 2001-09-09 01:46:40 UTC for 13.1 s"), (None, 10**9, ", recorded for 1.00 s"),
     (10**18, None, ", recorded 2001-09-09 01:46:40 UTC"), (None, None, "")],
)  # fmt: skip
def test_when_and_for_how_long_it_was_recorded_stands_in_the_summary(
    began: int | None, length: int | None, said: str
) -> None:
    assert recorded(summarise(replace(TIMES, recorded_at_ns=began, recorded_for_ns=length))) == said
