"""What a recording holds next to its samples is counted, summed, placed in time and gone on about, through turns."""

import re

import pytest

from tests.server.analyst.kinds.test_collecting import full_and_young
from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import timeline
from traces.model import Trace


def page() -> Trace:
    """A page with two collections, three layouts, interactions and commits of documents."""
    calls = [("RunTask", 0, 400), ("Layout", 10, 20), ("Layout", 30, 70), ("Layout", 80, 85), ("MinorGC", 90, 95)]
    calls += [("MajorGC", 200, 260), ("render", 300, 390)]
    taps = [("EventTiming", 100, 140), ("EventTiming", 300, 520)]
    return timeline(calls, [("render", 0, 10)], intervals=taps, instants=[("DocumentCommit", 5), ("DocumentCommit", 9)])


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (["how many gcs and how long in all"], "**2 garbage collections took 65.0 ms together"),
        (["gc?"], "**2 garbage collections took 65.0 ms together"),
        (["Wie viele GCs gab es?", "und die längste davon?"], "**The longest of 2 garbage collections took 60.0 ms"),
        (["how many gcs", "how many of them were minor"], "**1 minor garbage collection took 5.00 ms"),
        (["how many gcs", "ist das ein Problem?"], "**Partly: 2 garbage collections took 65.0 ms together"),
        (["how many gcs", "which kinds?"], "**By name 2 garbage collections are 1 `MajorGC` (60.0 ms, the longest"),
        (["GCは何回ありましたか？"], "**2 garbage collections took 65.0 ms together"),
        (["combien de reflows ?"], "**3 layouts took 55.0 ms together"),
        (["longest single layout?"], "**The longest of 3 layouts took 40.0 ms from 30.0 ms on"),
        (["biggest layout?"], "**The longest of 3 layouts took 40.0 ms from 30.0 ms on"),
        (["number of layouts", "any over 30 ms?"], "**Yes: 1 of 3 layouts took longer than 30 ms**"),
        (["number of layouts", "on average?"], "**3 layouts took 18.3 ms on average**"),
        (["which interaction was the slowest"], "**The longest of 2 user interactions took 220 ms from 300 ms on"),
        (["how many documentcommits"], "**2 `documentcommits` events are marked**, from 5.00 ms to 9.00 ms"),
        (["how many dropped frames"], "**No dropped frame is recorded in this trace**"),
    ],
)
async def test_events_are_what_the_prompt_and_those_after_it_ask_for(prompts: list[str], begins: str) -> None:
    answer = re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", (await talk(page(), *prompts))[-1])
    assert answer.startswith(begins), answer


async def test_a_word_for_a_kind_narrows_what_was_spoken_of() -> None:
    answers = await talk(full_and_young(), "how many gcs", "full ones?", "how much of the run is that")
    assert answers[0].startswith("**5 garbage collections took 115 ms together (23.0% of the recording)")
    assert answers[1].startswith("**2 full garbage collections took 100 ms together")
    assert answers[2].startswith("**2 full garbage collections took 100 ms together (20.0% of the recording)")


@pytest.mark.parametrize(
    "prompt", ["who calls Layout?", "how long does render take", "anything that is not a full gc?"]
)
async def test_what_asks_for_something_else_is_left_to_others(prompt: str) -> None:
    assert " took " not in (await talk(page(), prompt))[0].partition("**;")[0]
