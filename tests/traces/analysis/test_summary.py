"""What the summary says a recording can answer, and what it cannot: each question stands on one side."""

import numpy as np
import pytest

from tests.traces.insights.recorded import MS, finished, sampled, timeline
from traces.analysis.summary import summarise
from traces.builder import TraceBuilder
from traces.formats.format import sums
from traces.model import Trace
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
