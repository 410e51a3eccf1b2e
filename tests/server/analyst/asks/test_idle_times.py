"""How long nothing ran in a thread, when that was, and what it works at besides its waiting."""

import re

import pytest

from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import sampled
from traces.model import Trace


def shop() -> Trace:
    """100 ms, of which 40 and 20 are idle."""
    return sampled([("main;plan", 10.0), ("", 40.0), ("main;plan", 10.0), ("main;fold", 20.0), ("", 20.0)])


def stage() -> Trace:
    return sampled([("main;act;bend", 30.0), ("main;pause;Kernel#sleep", 60.0), ("main;act;turn", 10.0)])


def _plain(said: str) -> str:
    return re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", said)


@pytest.mark.parametrize(
    "prompt",
    [
        "how much of the time is it idle?",
        "¿y cuánto está parado sin hacer nada?",
        "wie lange tut es nichts?",
        "空闲多久",
    ],
)
async def test_the_idle_time_of_one_thread(prompt: str) -> None:
    _, said = await talk(shop(), "what takes the time?", prompt)
    assert "`thread` is idle for 60.0 ms (60.0%)**" in _plain(said).partition("\n")[0]


async def test_when_it_was_idle() -> None:
    *_, said = await talk(shop(), "how much is it idle?", "when?")
    assert _plain(said).startswith("**It is idle for 40.0 ms from 10.0 ms on and 20.0 ms from 80.0 ms on**")


@pytest.mark.parametrize(
    "prompt", ["and the part thats actual work?", "und was arbeitet wirklich?", "and the rest of it?"]
)
async def test_what_is_no_waiting(prompt: str) -> None:
    _, said = await talk(stage(), "why does it take so long?", prompt)
    assert _plain(said).startswith(
        "**When it does not wait, `thread` works for 40.0 ms, most of it in `bend` (30.0 ms)"
    )
