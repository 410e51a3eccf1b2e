"""One function set against another: which has more of what is asked, by how much, and of what it is a part."""

from typing import Any

import pytest

from server.analyst.kinds.two_functions import set_against
from server.analyst.measured import Measured
from server.analyst.question import Intent, Question
from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import sampled, timeline

STACKS = {"main;load;parse": 60, "main;draw": 30, "main": 10}


def around(name: str, handle: str, total: float, own: float, count: int | None = 1, **more: Any) -> dict[str, Any]:
    frame = {"name": name, "handle": handle, "total_value": total, "self_value": own, "count": count}
    shares = {"total_share": total / 100e6, "self_share": own / 100e6}
    given = {"frame": frame | shares, "unit": "nanoseconds", "counted": "calls", "profile": "p0", "callers": []}
    return given | more


def compared(measure: str, first: dict[str, Any], second: dict[str, Any], text: str = "which is slower") -> str:
    question = Question(intent=Intent.TWO_FUNCTIONS, text=text)
    return " ".join(set_against(question, Measured((measure,), ("read", "draw")), [first, second]))


READ, DRAW = around("read", "f1", 60e6, 10e6, 3), around("draw", "f2", 20e6, 20e6, 6)


@pytest.mark.parametrize(
    ("measure", "begins", "by"),
    [
        ("total", "**[`read`](#f1) takes more**: ", "That is 40.0 ms more, 3.00 times as much."),
        ("self", "**[`draw`](#f2) takes more**: ", "That is 10.0 ms more, 2.00 times as much."),
        ("calls", "**[`draw`](#f2) has more calls**: 6, and [`read`](#f1) 3. ", "That is 3 more, 2.00 times as much."),
    ],
)
def test_more_is_said_of_what_is_asked_with_difference_and_ratio(measure: str, begins: str, by: str) -> None:
    answer = compared(measure, READ, DRAW)
    assert answer.startswith(begins)
    assert by in answer


def test_nothing_is_so_many_times_nothing() -> None:
    answer = compared("self", READ, around("draw", "f2", 20e6, 0.0))
    assert "That is 10.0 ms more." in answer
    assert "times as much" not in answer


def test_two_that_are_alike_are_said_to_be() -> None:
    same = around("draw", "f2", 60e6, 20e6, 3)
    assert compared("total", READ, same).startswith("**[`read`](#f1) and [`draw`](#f2) take the same**: ")
    assert compared("calls", READ, same).startswith("**[`read`](#f1) and [`draw`](#f2) are called as often**: 3.")


def test_calls_that_were_not_counted_are_not_compared() -> None:
    sampled_ = READ | {"counted": "samples"}
    assert compared("calls", sampled_, DRAW) == "**Which has more calls cannot be said**: calls were not counted."
    assert compared("mean", sampled_, DRAW).startswith("**Which call takes more on average cannot be said**")


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("is read slower than draw?", "**Yes: [`read`]"),
        ("is read faster than draw?", "**No: [`read`]"),
        ("read or draw", "**[`read`]"),
    ],
)
def test_whether_the_first_is_slower_is_answered_first(text: str, begins: str) -> None:
    assert compared("total", READ, DRAW, text).startswith(begins)


def test_what_one_calls_the_other_for_is_part_of_it() -> None:
    inside = DRAW | {"callers": [{"handle": "f1"}]}
    said = "[`draw`](#f2) is called by [`read`](#f1), so its part is in it."
    assert said in compared("total", READ, inside)
    assert said not in compared("self", READ, inside)
    assert said not in compared("total", READ, DRAW)


async def test_two_functions_of_a_trace_are_compared_by_what_they_take() -> None:
    answer, _ = await asked("Compare `load` and `draw`", sampled(STACKS))
    assert answer.text.startswith("**[`load`](#f1) takes more**: 60.0 ms, and [`draw`](#f3) 30.0 ms")
    answer, _ = await asked("Compare `parse` and `load`", sampled(STACKS))
    assert answer.text.startswith("**[`parse`](#f2) and [`load`](#f1) take the same**: 60.0 ms.")


async def test_what_two_take_together_is_their_own_time_added_up() -> None:
    answer, _ = await asked("how much do `parse` and `draw` take together?", sampled(STACKS))
    assert answer.text.startswith("**Together [`parse`](#f2) and [`draw`](#f3) take 90.0 ms")


async def test_over_several_threads_both_are_counted_in_all() -> None:
    trace = timeline([("read", 0, 30), ("draw", 40, 60)], [("draw", 0, 90)], names=("a", "b"))
    answer, _ = await asked("Compare `read` and `draw`", trace)
    assert answer.text.startswith("**[`draw`](#f1) takes more**: ")
    assert "of all threads together" in answer.text.partition("\n")[0]


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("two_functions"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
