"""What blocks an event loop, and how long one of its steps is at most."""

import re

import pytest

from server.analyst.asks.loop_asks import read_loop
from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import Call, timeline
from traces.model import Trace

LOOP = "BaseEventLoop._run_once"


def loop() -> Trace:
    """100 ms of a loop that waits for 60 and has two steps, of 25 and 10 ms."""
    return timeline(
        [
            (LOOP, 0, 100),
            ("select.epoll.poll", 0, 60),
            ("Handle._run", 60, 85),
            ("plan@app.py", 61, 85),
            ("builtins.sum", 62, 84),
            ("Handle._run", 86, 96),
            ("note@app.py", 86, 96),
        ],
        name="MainThread",
    )


def _plain(said: str) -> str:
    return re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", said)


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (
            ["was blockiert hier die event loop?"],
            "**The event loop is blocked most by `builtins.sum` below `plan`: 22.0 ms of 35.0 ms (62.9%) of what runs",
        ),
        (
            ["what's blocking the event loop?", "longest at a time?"],
            "**The longest step of the event loop takes 25.0 ms at a time, from 60.0 ms on, most of it in `builtins.su",
        ),
        (["¿cuál es el paso más largo del event loop?"], "**The longest step of the event loop takes 25.0 ms at a tim"),
        (["is the main thread blocked?"], "**No, the main thread mostly waits.**"),
    ],
)
async def test_what_blocks_an_event_loop_is_no_waiting_of_its_own(prompts: list[str], begins: str) -> None:
    *_, said = await talk(loop(), *prompts)
    assert _plain(said).startswith(begins)


@pytest.mark.parametrize(("took", "is_named"), [(0.5, False), (2, True)])
async def test_what_takes_next_to_nothing_in_a_loop_is_not_named(took: float, is_named: bool) -> None:
    calls: list[Call] = [(LOOP, 0, 100), ("select.epoll.poll", 0, 60), ("Handle._run", 60, 85), ("plan@app.py", 60, 85)]
    calls += [("Handle._run", 90, 90 + took), ("tick@app.py", 90, 90 + took)]
    (said,) = await talk(timeline(calls, name="MainThread"), "what blocks the event loop?")
    assert _plain(said).startswith("**The event loop is blocked most by `plan`: 25.0 ms")
    assert ("`tick`" in said.partition("\n")[0]) is is_named


@pytest.mark.parametrize("prompt", ["is the loop unrolled?", "what takes longest", "how many event loops are there"])
def test_other_prompts_are_left_to_the_other_kinds(prompt: str) -> None:
    assert read_loop(prompt) == ""
