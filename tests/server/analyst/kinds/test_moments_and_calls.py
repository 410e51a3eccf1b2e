"""Answers about moments: the busiest time, and what fills the longest call."""

from typing import Any

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.kinds.moments_and_calls import busiest
from server.analyst.kinds.tasks_of_threads import long_tasks, then_long
from server.analyst.question import Intent, Question
from tests.server.analyst.written_answers import assert_answered, prompts_of

ASKED = Question(intent=Intent.OVERVIEW, text="?")
FUNCTION = {"name": "work", "handle": "f1", "self_value": 4e6}


def given(tool: str, data: dict[str, Any], **arguments: Any) -> Evidence:
    return Evidence("?", {}, (Result(tool, arguments, data, "", failed=False),))


def window(start: float, value: float) -> dict[str, Any]:
    return {"start": start * 1e6, "end": (start + 10) * 1e6, "value": value * 1e6, "functions": [FUNCTION]}


def test_the_busiest_time_has_its_work_and_its_function_and_others_follow() -> None:
    found = {"unit": "nanoseconds", "length": 10e6, "average": 2e6, "rows": [window(20, 9), window(40, 8)]}
    first, others, average, *_ = busiest(ASKED, given("get_hottest_windows", found))
    assert first.startswith(
        "**The busiest 10.0 ms is from 20.0 ms to 30.0 ms**: 9.00 ms of work, most of it in [`work`]"
    )
    assert others == "- 40.0 ms to 50.0 ms: 8.00 ms, most of it in [`work`](#f1) (4.00 ms)"
    assert average == "On average such a time has 2.00 ms."


def test_a_profile_in_which_nothing_ran_has_no_busiest_time() -> None:
    found = {"unit": "nanoseconds", "length": 10e6, "average": 0, "rows": []}
    assert busiest(ASKED, given("get_hottest_windows", found))[0] == "**Nothing ran at any time in the main profile.**"


def test_what_fills_the_longest_call_is_asked_of_its_time_in_its_profile() -> None:
    rows = [{"start": 5e6, "end": 7.5e6, "profile": "p2"}, {"start": 1e6, "end": 2e6, "profile": "p0"}]
    found = {"unit": "nanoseconds", "rows": rows}
    ((tool, arguments),) = then_long(ASKED, given("get_longest_calls", found, outermost=True))
    assert tool == "get_top_functions"
    where = {"start_time_ms": 5.0, "end_time_ms": 7.5, "profile": "p2"}
    assert arguments == {"sort_by": "self", "limit": 5, **where}
    assert then_long(ASKED, given("get_longest_calls", found | {"rows": []}, outermost=True)) == []
    assert then_long(ASKED, given("get_longest_calls", found | {"unit": "bytes"}, outermost=True)) == []


def test_without_single_calls_the_hottest_function_is_named_after_saying_so() -> None:
    row = FUNCTION | {"self_share": 0.4, "total_value": 4e6, "total_share": 0.4}
    top = {"unit": "nanoseconds", "whole": 1e7, "profile": "p0", "rows": [row]}
    none, hottest, _ = long_tasks(ASKED, given("get_top_functions", top, sort_by="self"))
    assert none == "**Single calls are not in this trace**: it cannot say which one took long."
    assert hottest.startswith("Over all of it the hottest function is [`work`](#f1)")


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("moments_and_calls"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
