"""The overview names what leads in other busy profiles, too."""

from typing import Any

import numpy as np
import pytest

from server.analyst.kinds.overview import OTHER_PROFILES, other_profiles
from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import MS, finished, sampled
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.stacks import StackTable
from traces.values import Unit, ValueType


def two_threads() -> Trace:
    """The main one computes for 10 ms, another one for 8."""
    builder = TraceBuilder("two threads", "example")
    for name, function, milliseconds in (("main", "parse_orders", 10), ("worker", "compress_pages", 8)):
        table = StackTable()
        leaves = table.leaves([[builder.frame("run"), builder.frame(function)]] * 20)
        weights = np.full(20, milliseconds * MS // 20)
        kinds = (ValueType("time", Unit.NANOSECONDS),)
        builder.add_sampled(name, table, leaves, [weights], values=kinds, pid="1", tid=name)
    return finished(builder)


async def test_what_leads_in_another_busy_profile_is_named() -> None:
    answer, _ = await asked("Why is this slow?", two_threads())
    assert "parse_orders" in answer.text
    _, _, elsewhere = answer.text.partition("The hottest function elsewhere")
    assert "worker" in elsewhere
    assert "compress_pages" in elsewhere


def a_profile(handle: str, total: int, *, kind: str = "sampled", unit: str = "nanoseconds") -> dict[str, Any]:
    return {"handle": handle, "total": total, "kind": kind, "unit": unit}


def test_other_profiles_are_the_busiest_alike_and_at_least_a_tenth_as_busy() -> None:
    profiles = [
        a_profile("p0", 100),
        a_profile("p1", 10),
        a_profile("p2", 11),
        a_profile("p3", 90),
        a_profile("p4", 80, kind="evented"),
        a_profile("p5", 80, unit="bytes"),
    ]
    assert other_profiles({"default_profile": "p0", "profiles": profiles}) == ["p3", "p2"]
    many = [a_profile(f"p{number}", 100 - number) for number in range(9)]
    others = other_profiles({"default_profile": "p0", "profiles": many})
    assert others == [f"p{number}" for number in range(1, 1 + OTHER_PROFILES)]


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("overview"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)


async def test_what_to_do_about_the_kind_of_work_that_a_function_mostly_is_stands_with_it() -> None:
    built = "main.main;main.log;runtime.concatstrings"
    answer, _ = await asked("how do i fix it", sampled({f"{built};runtime.memmove": 60, built: 5, "main.main": 35}))
    assert "Collect parts and join once" in answer.text.partition("\n")[0]
