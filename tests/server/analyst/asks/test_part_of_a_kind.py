"""How much of what was spoken of is a kind of work, by the names of the functions below it."""

import re

import pytest

from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import timeline


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        (
            "how much of that is trig functions",
            "**75.0% of `distance` is `trig functions` by the names below it: 30.0 ms of 40.0",
        ),
        (
            "wie viel davon ist json",
            "**12.5% of `distance` is `json` by the names below it: 5.00 ms of 40.0 ms**, most of it",
        ),
        ("and how much of it is `tidy`", "**12.5% of `distance` is `tidy`**"),
    ],
)
async def test_a_kind_of_work_is_a_part_of_what_was_spoken_of(prompt: str, begins: str) -> None:
    calls = [("main", 0, 100), ("distance", 0, 40), ("math.cos", 0, 20), ("math.sin", 20, 30), ("json_dump", 30, 35)]
    trace = timeline([*calls, ("tidy", 35, 40), ("math.cos", 50, 90)])
    answers = await talk(trace, "how much does `distance` take", prompt)
    answer = re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", answers[-1])
    answer = re.sub(r"\[([^\]]+)\]\(#[^)]+\)", r"\1", answer)
    assert answer.startswith(begins), answer
