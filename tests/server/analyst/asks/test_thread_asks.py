"""What threads do and wait for, through turns: by name, by the function that begins them, ranked and each."""

import gzip
import re
from pathlib import Path

import pytest

from server.analyst.asks.thread_asks import read_threads
from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import threads, values
from traces.model import Trace
from traces.reader import read_trace
from traces.values import Unit

BATCHES = Path(__file__).parents[4] / "evals" / "batches"
_BLOCKED = {
    "main.sort;runtime.chansend1": 30.0,
    "main.sort;runtime.chanrecv2": 2.0,
    "main.open;runtime.chansend1": 10.0,
}
_VALUES = (("delay", Unit.NANOSECONDS), ("contentions", Unit.COUNT))


def queues() -> Trace:
    """`main` joins for 90 ms of 100; `pack` works for 80 and gets for 20; `save` gets for 70 and works for 30."""
    return threads(
        ["main;Thread.join;wait"] * 9 + ["main;plan"],
        ["pack;fold"] * 8 + ["pack;Queue.get;Condition.wait"] * 2,
        ["save;Queue.get;Condition.wait"] * 7 + ["save;write"] * 3,
    )


def _plain(said: str) -> str:
    """The answer without the addresses of what it cites."""
    return re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", said)


def blocked() -> Trace:
    return values({stack: (ms * 1e6, 1.0) for stack, ms in _BLOCKED.items()}, _VALUES)


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (
            ["which thread does the actual work?"],
            "**Of 3 threads `worker-1` works most: 80.0 ms, most of it in `fold` (80.0 ms)**, then `worker-2`: 30.0 ms",
        ),
        (
            ["which thread waits longest"],
            "**Of 3 threads `worker-0` waits longest: 90.0 ms of 100 ms (90.0%)**, then `worker-2` (70.0 ms)",
        ),
        (["¿qué hilo espera menos?"], "**Of 3 threads `worker-1` waits least: 20.0 ms of 100 ms (20.0%)**, then"),
        (
            ["does pack starve for input?", "and save?"],
            "**Yes, mostly: `worker-2` waits for 70.0 ms of 100 ms (70.0%), most of it in `Condition.wait` below",
        ),
        (
            ["worker-0 takes 100 ms, how much of it is waiting for pack", "what does it do before that"],
            "**When it does not wait, `worker-0` works for 10.0 ms, most of it in `plan` (10.0 ms).**",
        ),
        (
            ["Was macht worker-2 die meiste Zeit?"],
            "**`worker-2` mostly waits: 70.0 ms of 100 ms (70.0%), most of it in `Condition.wait` below `Queue.get`.**",
        ),
        (
            ["how long do worker-1 and worker-2 each wait"],
            "**`worker-1` waits for 20.0 ms of 100 ms (20.0%) and `worker-2` waits for 70.0 ms of 100 ms (70.0%).**",
        ),
        (
            ["what are the threads blocked on"],
            "**They wait in `wait` below `main` for 90.0 ms, then in `Condition.wait` (90.0 ms).**",
        ),
        (["how long do the threads wait in total"], "**Together they wait for 180 ms of 300 ms (60.0%), most of it in"),
        (
            ["what is worker-1 doing", "and what are the others doing"],
            "**`worker-0` mostly waits, in `wait` (90.0 ms) and `worker-2` mostly waits, in `Condition.wait` (70.0",
        ),
    ],
)
async def test_threads_are_asked_about(prompts: list[str], begins: str) -> None:
    *_, said = await talk(queues(), *prompts)
    assert _plain(said).startswith(begins)


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (
            ["is sort stuck on sending or on receiving"],
            "**Sending: `main.sort` waits for 30.0 ms in `runtime.chansend1` (sending) and 2.00 ms in",
        ),
        (["what are the goroutines blocked on?"], "**No lock is contended: for 95.2% (40.0 ms) of 42.0 ms"),
        (
            ["is sort stuck sending or receiving", "on which of its channels"],
            "**Which channel that is, is not recorded**: `main.sort` waits for 30.0 ms in `runtime.chansend1`",
        ),
    ],
)
async def test_waiting_for_channels(prompts: list[str], begins: str) -> None:
    *_, said = await talk(blocked(), *prompts)
    assert _plain(said).startswith(begins)


async def test_who_had_a_lock_is_known_by_the_order_in_which_it_was_got() -> None:
    file = BATCHES / "twenty-six" / "bakery.jfr.gz"
    trace = read_trace(gzip.decompress(file.read_bytes()), name="bakery.jfr")
    who, why = await talk(trace, "which thread had the lock while others waited", "why does it keep it so long")
    assert _plain(who).startswith(
        "**By the order in which they got it, `Waits of counter-3` (4.04 s of 7.47 s) had the lock"
    )
    assert _plain(why).startswith(
        "**While it is held, the thread that has it waits in `(sleep)` below `BakeryOrders$StockBook:w"
    )


async def test_one_thread_runs_alone_at_the_end() -> None:
    file = BATCHES / "twenty-six" / "hive.linux-perf.txt.gz"
    trace = read_trace(gzip.decompress(file.read_bytes()), name="hive.txt")
    (said,) = await talk(trace, "how long is foragers-a alone at the end")
    assert _plain(said).startswith("**It is alone for 2.28 s**: `foragers-a (tid 11752)` ends at 5.62 s")


@pytest.mark.parametrize(
    "prompt",
    [
        "how long does main take",
        "longest single wait",
        "which function waits longest",
        "how much waits for the database",
        "why is worker-1 blocked",
    ],
)
def test_other_prompts_are_left_to_the_other_kinds(prompt: str) -> None:
    assert read_threads(prompt) is None
