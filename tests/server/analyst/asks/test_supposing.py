"""What would be without a function, with a faster one, with several at a time: counted from what is recorded."""

import re

import pytest

from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import sampled, timeline
from traces.model import Trace


def bakery() -> Trace:
    """1 s: `knead` takes 500 ms below `bake`, `glaze` 200 below it and 100 elsewhere."""
    return sampled(
        [("main;bake;knead", 500.0), ("main;bake;glaze", 200.0), ("main;sell;glaze", 100.0), ("main;sell", 200.0)]
    )


def plain(answer: str) -> str:
    return re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", answer)


_GONE = "**Without `knead`, 500 ms (50.0%) of 1.00 s would be left at best**: 500 ms would be saved"
_SAVED = "**At most 50.0% (500 ms) would be saved, if `knead` and all that it calls cost nothing**: 50.0% (500 ms)"
_TWICE = "**With `knead` 2 times as fast, 750 ms (75.0%) of 1.00 s would be left at best**: 250 ms"


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (["`knead` total", "w/o that what wld be left"], _GONE),
        (["what remains without `knead`?"], _GONE),
        (["was bliebe ohne `knead`"], _GONE),
        (["sans `knead` il resterait combien"], _GONE),
        (["sin `knead` cuánto queda"], _GONE),
        (["没有`knead`还剩多少"], _GONE),
        (["if we drop `knead` what do we save"], _SAVED),
        (["wie viel wäre gespart ohne `knead`"], _SAVED),
        (["if `knead` took half"], _TWICE),
        (["what if `knead` were 2x faster"], _TWICE),
        (["`knead` total", "4 in parallel, what do i gain"], "**At most 37.5% (375 ms) would be saved, with `knead` 4"),
        (["w/o `glaze` how long would `bake` be"], "**Without `glaze`, 500 ms (71.4%) of 700 ms of `bake` would be"),
        (["`bake` without `glaze`, how long"], "**Without `glaze`, 500 ms (71.4%) of 700 ms of `bake` would be"),
        (["bake ohne glaze"], "**Without `glaze`, 500 ms (71.4%) of 700 ms of `bake` would be"),
        (["if `knead` were gone, what share would `glaze` have"], "**Without `knead`, `glaze` would be 60.0% of what"),
    ],
)  # fmt: skip
async def test_what_would_be_is_counted(prompts: list[str], begins: str) -> None:
    *_, answer = await talk(bakery(), *prompts)
    assert plain(answer).startswith(begins), answer


@pytest.mark.parametrize("name", ["knead", "glaze", "bake", "sell"])
async def test_what_goes_and_what_is_left_are_all(name: str) -> None:
    left, saved = await talk(bakery(), f"what is left without `{name}`", f"what do i save without `{name}`")
    rests = [float(re.findall(r"(\d+\.\d)%", answer)[0]) for answer in (left, saved)]
    assert sum(rests) == 100.0


async def test_a_name_that_is_not_recorded_is_supposed_nothing_of() -> None:
    (answer,) = await talk(bakery(), "what is left without `season`")
    assert "would be left at best" not in answer, answer


async def test_without_one_call_the_others_are_measured() -> None:
    trace = timeline([("ink", 0, 30), ("ink", 40, 50), ("ink", 60, 80)])
    *_, first = await talk(trace, "avg of `ink` without the first")
    *_, worst = await talk(trace, "longest `ink`", "avg if you drop that outlier")
    assert plain(first).startswith("**`ink` takes 15.0 ms on average, without the first call**, 20.0 ms with it")
    assert plain(worst).startswith("**`ink` takes 15.0 ms on average, without the longest call**")
