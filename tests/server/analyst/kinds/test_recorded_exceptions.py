"""Exceptions of a profile of their own are counted, with their type and whose they are, and are not denied."""

import numpy as np
import pytest

from tests.server.analyst.test_analyst_chat import asked
from tests.traces.insights.recorded import finished, frame
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.stacks import StackTable
from traces.values import Unit, ValueType


def thrown() -> Trace:
    """Samples in `work`, and 44 exceptions that `Till:price` is thrown by what it calls."""
    builder, table = TraceBuilder("till", "example"), StackTable()
    made = ("Till:price", "java.lang.NumberFormatException:<init>", "java.lang.Throwable:<init>")
    for name, value, stack, number in (("cpu", "samples", ("work",), 90.0), ("Exceptions", "exceptions", made, 44.0)):
        leaves = table.leaves([[frame(builder, one) for one in stack]])
        values = (ValueType(value, Unit.COUNT),)
        builder.add_sampled(name, table, leaves, [np.array([number])], values=values, pid="", tid="")
    return finished(builder)


@pytest.mark.parametrize("prompt", ["are we throwing exceptions?", "how many exceptions are thrown", "who throws?"])
async def test_exceptions_that_were_recorded_are_counted(prompt: str) -> None:
    text = (await asked(prompt, thrown()))[0].text
    assert "**In all 44 exceptions were recorded" in text.split("\n")[0], text
    assert "By type: 44 `java.lang.NumberFormatException`" in text.split("\n")[0], text
