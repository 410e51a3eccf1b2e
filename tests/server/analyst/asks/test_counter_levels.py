"""Levels of counters and all of the memory, through turns."""

import re

import pytest

from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import sampled, timeline
from traces.model import Trace
from traces.values import Unit


def filled() -> Trace:
    """A tank that is filled and runs low at 40 ms."""
    counters = [
        ("water tank", 5, 2400),
        ("water tank", 40, 601),
        ("water tank", 80, 2200),
        ("queue", 5, 3),
        ("queue", 9, 7),
    ]
    return timeline([("main", 0, 100), ("pump", 10, 20)], counters=counters)


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (["water tank low point?"], "**The counter `water tank` is lowest with 601, at 40.0 ms**; highest with 2,400"),
        (["niedrigster stand des water tank"], "**The counter `water tank` is lowest with 601, at 40.0 ms**"),
        (
            ["how low did the tank get", "and the max?"],
            "**The counter `water tank` is highest with 2,400, at 5.00 ms**",
        ),
        (["max queue length"], "**The counter `queue` is highest with 7, at 9.00 ms**; lowest with 3"),
        (["queueの最大は?"], "**The counter `queue` is highest with 7"),
        (["max pump?"], "**The slowest call of `pump` took 10.0 ms**"),
    ],
)
async def test_a_level_is_that_of_the_counter(prompts: list[str], begins: str) -> None:
    answers = await talk(filled(), *prompts)
    answer = re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", answers[-1])
    assert answer.startswith(begins), answer


@pytest.mark.parametrize(
    "prompt",
    [
        "peak memory?",
        "memoria total en el pico",
        "内存峰值是多少?",
        "memory high water mark",
        "how high is the peak?",
        "quel est le pic de mémoire ?",
    ],
)
async def test_the_peak_of_memory_is_all_that_is_recorded(prompt: str) -> None:
    trace = sampled([("main;parse", 3000.0), ("main;emit", 7000.0)], unit=Unit.BYTES)
    (answer,) = await talk(trace, prompt)
    assert answer.startswith("**In all 10.0 kB of memory is recorded**, the most of it by [`emit`]"), answer
