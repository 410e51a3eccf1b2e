"""What goroutines wait for, by the way they were parked and the program's function above that."""

import re

import pytest

from server.analyst.asks.parked_goroutines import read_goroutines
from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import values
from traces.model import Trace
from traces.values import Unit

_PARKED = {
    "main.ring;runtime.chanrecv1;runtime.gopark": 140.0,
    "main.watch;runtime.chansend1;runtime.gopark": 37.0,
    "main.drive;sync.(*Mutex).Lock;runtime.semacquire1;runtime.gopark": 12.0,
    "shop.example/battery.Charge;time.Sleep;runtime.gopark": 3.0,
    "runtime.main;main.main;main.write;runtime/pprof.writeGoroutine": 1.0,
}


def parked() -> Trace:
    return values({stack: (number,) for stack, number in _PARKED.items()}, (("goroutine", Unit.COUNT),))


def _plain(said: str) -> str:
    return re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", said)


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (
            ["what are most of them waiting for"],
            "**140 of 193 goroutines (72.5%) wait to receive from a channel, in `main.ring`.** Then 37 wait to send",
        ),
        (
            ["worauf warten die meisten goroutines?", "und die anderen?"],
            "**The others: 37 wait to send to a channel, in `main.watch`; 12 wait for a lock, in `main.drive`; 3 wa",
        ),
        (["any blocked on a mutex?"], "**Yes: 12 of 193 goroutines (6.2%) wait for a lock, in `main.drive`.**"),
        (["¿cuántas están esperando para enviar?"], "**37 of 193 goroutines (19.2%) wait to send to a channel, in"),
        (["any stuck in a select?"], "**No: none of the goroutines waits in a select.** The most: 140 wait to"),
        (["how many goroutines sleep"], "**3 of 193 goroutines (1.6%) wait in a sleep, in `shop.example/battery.Ch"),
        (["looks like a leak, what would you check first?"], "**Start with `main.ring`: 140 of 193 goroutines"),
    ],
)
async def test_goroutines_are_kept_apart_by_how_they_were_parked(prompts: list[str], begins: str) -> None:
    *_, said = await talk(parked(), *prompts)
    assert _plain(said).startswith(begins)


@pytest.mark.parametrize(
    "prompt", ["how long have they been stuck there?", "which function is hottest", "does it leak"]
)
def test_other_prompts_are_left_to_the_other_kinds(prompt: str) -> None:
    assert read_goroutines(prompt) is None
