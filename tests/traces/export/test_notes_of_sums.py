"""A file that lays samples end to end says so of a recording that holds sums."""

from collections.abc import Sequence

import numpy as np
import pytest

from tests.traces.insights.recorded import finished, sampled, timeline
from traces.builder import TraceBuilder
from traces.export import chrome, speedscope
from traces.formats.format import sums
from traces.stacks import StackTable

STACKS = {"main;work": 3.0, "main": 1.0}
MEANS_NOTHING = "sums per stack: this format lays them end to end, but their order and times mean nothing"


@pytest.mark.parametrize("target", [chrome, speedscope])
def test_sums_are_said_to_have_neither_order_nor_times(target: object) -> None:
    trace = sampled(STACKS, facts=sums())
    notes: Sequence[str] = target.export(trace, trace.profiles).notes  # type: ignore[attr-defined]
    assert notes == (f"the profile is {MEANS_NOTHING}",)
    for timed in (sampled(STACKS), timeline([("work", 0, 10)])):
        assert target.export(timed, timed.profiles).notes == ()  # type: ignore[attr-defined]


def test_of_several_profiles_those_that_are_sums_are_counted() -> None:
    builder = TraceBuilder("mixed", "example")
    for name, facts in (("timed", None), ("summed", sums()), ("also summed", sums())):
        table = StackTable()
        leaves = table.leaves([[builder.frame("main")]])
        builder.add_sampled(name, table, leaves, [np.array([5.0])], facts=facts)
    trace = finished(builder)
    assert speedscope.export(trace, trace.profiles).notes == (f"2 are {MEANS_NOTHING}",)
    assert speedscope.export(trace, trace.profiles[1:]).notes == (f"all profiles are {MEANS_NOTHING}",)
