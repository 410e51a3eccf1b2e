"""Single calls through turns: of the function that was spoken of, and of the call that the answer before names."""

import re

import pytest

from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import sampled, timeline
from traces.model import Trace


def rounds() -> Trace:
    """Three calls of `tune` of 10, 60 and 20 ms; in the second `pluck` takes 45 ms; `sweep` runs before it."""
    return timeline(
        [
            *[
                ("main", 0, 130),
                ("tune", 0, 10),
                ("pluck", 2, 6),
                ("sweep", 10, 15),
                ("tune", 15, 75),
                ("pluck", 20, 65),
            ],
            *[("write", 80, 85), ("tune", 90, 110)],
        ],
        [("bind", 0, 120)],
        names=("main thread", "io-worker-3"),
    )


_LONGEST = "**The longest call of `tune` took 60.0 ms, from 15.0 ms on in `main thread`**. Of 3 calls the middle one"


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (["`tune` calls", "longest single one?"], _LONGEST),
        (["`tune` calls", "最長は?"], _LONGEST),
        (["`tune` calls", "worst one", "when was that"], _LONGEST),
        (
            ["`tune` calls", "longst of them", "what ran in it"],
            "**In the longest call of `tune` (60.0 ms, from 15.0 ms on",
        ),
        (
            ["`tune` calls", "longest?", "what happened right before"],
            "**Right before it ran `sweep` (5.00 ms, from 10.0",
        ),
        (["`tune` calls", "longest?", "and after?"], "**Right after it ran `write` (5.00 ms, from 80.0 ms on)**"),
        (["`tune` calls", "longest?", "the second longest"], "**The second longest call of `tune` took 20.0 ms, from"),
        (["`tune` calls", "longest?", "the rest?"], "**The next ones took 20.0 ms at 90.0 ms, 10.0 ms at 0 s**; all"),
        (["`tune` calls", "normally?"], "**The middle call of `tune` took 20.0 ms**, of 3; 30.0 ms on average"),
        (
            ["`tune` calls", "longest?", "normal would be?", "what ran in it"],
            "**In the longest call of `tune` (60.0 ms",
        ),
        (
            ["longest task on the main thread?", "tasks > 100ms in total?"],
            "**1 of 1 tasks took longer than 100 ms**, 130 ms",
        ),
        (
            ["`tune` calls", "longest?", "how many plucks in it"],
            "**In the longest call of `tune` `pluck` runs in one call, 45.0",
        ),
        (["longest `pluck`", "what's in it"], "**Nothing else was recorded in the longest call of `pluck`** (45.0 ms"),
        (
            ["`bind` calls", "longest?", "the second one?"],
            "**There are no more than 1 of them.** The longest call of `bind`",
        ),
        (["slowest tuning?"], _LONGEST),
        (["slowest tuning?", "typical?"], "**The middle call of `tune` took 20.0 ms**, of 3"),
        (
            ["is the first tune slower than the others"],
            "**No: the first call of `tune` took 10.0 ms, the later ones 40.0",
        ),
        (["how long did tune 3 take"], "**No call was given `3`; call 3 of `tune` in order of time took 20.0 ms, from"),
        (["longest task on io-worker-3"], "**The longest task (`bind`) took 120 ms, from 0 s on in `io-worker-3`**"),
    ],
)
async def test_a_single_call_is_spoken_of(prompts: list[str], begins: str) -> None:
    answers = await talk(rounds(), *prompts)
    answer = re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", answers[-1])
    assert answer.startswith(begins), answer


async def test_samples_have_no_single_calls() -> None:
    trace = sampled([("main;parse", 30.0), ("main;emit", 70.0)])
    answers = await talk(trace, "`parse` total", "longest one?")
    assert answers[-1].startswith("**Which call took longest cannot be said: single calls of [`parse`](#f1) are")
