"""Answers about one function: what it calls, whether it does its work itself, and where the work ends."""

from typing import Any

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.kinds.one_function import _below, unknown
from server.analyst.question import Intent, Question
from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import sampled

STACKS = {"main;load;parse": 60, "main;load;check": 20, "main;draw": 15, "main": 5}


async def test_what_a_function_calls_is_listed_with_what_it_keeps() -> None:
    answer, _ = await asked("What does `load` call?", sampled(STACKS))
    calls = "**[`load`](#f1) calls [`parse`](#f2) (60.0 ms) and [`check`](#f3) (20.0 ms)**."
    assert answer.text.startswith(f"{calls} Of its 80.0% (80.0 ms) it keeps 0.0% (0 ns) for itself.")
    answer, _ = await asked("What does `parse` call?", sampled(STACKS))
    assert answer.text.startswith("**[`parse`](#f2) calls nothing else that was recorded**, called from [`load`](#f1).")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("load", "it mostly passes through to what it calls, most of all [`parse`](#f2) (60.0 ms)"),
        ("parse", "it does most of its work itself, called from [`load`](#f1)."),
    ],
)
async def test_a_function_passes_its_work_on_or_does_it_itself(name: str, sentence: str) -> None:
    answer, _ = await asked(f"What about `{name}`?", sampled(STACKS))
    assert sentence in answer.text


def callees(handle: str, own: float, total: float) -> Result:
    frame = {"handle": handle, "self_value": own, "total_value": total}
    data: dict[str, Any] = {"frame": frame, "callers": [], "callees": []}
    return Result("get_callers_callees", {"frame": handle}, data, "", failed=False)


@pytest.mark.parametrize(
    ("own", "total", "is_followed"), [(1, 10, True), (5, 10, True), (6, 10, False), (10, 10, False), (0, 0, False)]
)
def test_the_tree_is_looked_at_below_what_passes_half_of_its_work_on(
    own: float, total: float, *, is_followed: bool
) -> None:
    evidence = Evidence("?", {}, (callees("f1", own, total), callees("f2", 1, 10), callees("f3", 10, 10)))
    expected = [("get_call_tree", {"root": "f1", "profile": "p1"})] if is_followed else []
    assert _below("f1", {"profile": "p1"}, evidence) == expected
    assert _below("f4", {}, evidence) == []


@pytest.mark.parametrize(
    ("stacks", "meant"),
    [
        ({"main;__strcmp_avx2": 9_000, "main;strcmp": 3, "main": 5}, "__strcmp_avx2"),
        ({"main;__strcmp_avx2": 90, "main;strcmp": 30, "main": 5}, "strcmp"),
        ({"main;my_strcmpare": 9_000, "main;strcmp": 3, "main": 5}, "strcmp"),
    ],
)
async def test_a_name_means_the_variant_that_weighs_where_its_own_does_not(stacks: dict[str, int], meant: str) -> None:
    answer, _ = await asked("What about `strcmp`?", sampled(stacks))
    assert answer.text.startswith(f"**[`{meant}`]")


async def test_a_name_that_is_not_there_is_answered_with_the_nearest_and_with_what_leads() -> None:
    trace = sampled({"main;load_orders": 60, "main;draw": 40})
    answer, _ = await asked("Who calls `load_ordrs`?", trace)
    assert answer.text.startswith("This trace has no function that matches `load_ordrs`.")
    assert "The nearest names are [`load_orders`](#f1)" in answer.text
    assert "What does take the most is [`load_orders`](#f1), with 60.0% (60.0 ms)" in answer.text
    answer, _ = await asked("Who calls `zzzzqqqq`?", trace)
    assert "no function that matches `zzzzqqqq`." in answer.text
    assert "The nearest names are" not in answer.text


def test_of_a_trace_without_symbols_it_is_said_why_there_is_no_such_name() -> None:
    question = Question(intent=Intent.CALLERS, text="who calls read?", names=("read",))
    rows = [
        {"name": "app+0x1f3a", "handle": "f1", "self_value": 6e6, "self_share": 0.6},
        {"name": "main", "handle": "f2", "self_value": 4e6, "self_share": 0.4},
    ]

    def answer(share: float) -> str:
        ranked = {"rows": [rows[0] | {"self_share": share}, rows[1]], "unit": "nanoseconds", "whole": 1e7}
        top = Result("get_top_functions", {}, ranked | {"profile": "p0"}, "", failed=False)
        return " ".join(unknown(question, Evidence(question.text, {}, (top,))))

    assert answer(0.6).startswith("This trace has no function that matches `read`: most of it was recorded without")
    assert answer(0.4).startswith("This trace has no function that matches `read`.")


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("one_function"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
