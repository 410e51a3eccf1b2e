"""A background loop that falls starts again, is counted, and is named while nothing helps."""

import asyncio

import anyio
from structlog.testing import capture_logs

from server.adapters.in_process.background_loops import (
    FALLS_UNTIL_GIVEN_UP,
    FALLS_UNTIL_NOT_READY,
    LONGEST_PAUSE_S,
    STEADY_S,
    BackgroundLoops,
)


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


class Falling:
    """A loop that falls as often as it is asked to, and then waits."""

    def __init__(self, times: int, error: BaseException | None = None) -> None:
        self.left = times
        self.error = error or KeyError("x")
        self.well = asyncio.Event()

    async def __call__(self) -> None:
        if self.left:
            self.left -= 1
            raise self.error
        self.well.set()
        await asyncio.Event().wait()


async def stopped(task: asyncio.Task[None]) -> None:
    with anyio.fail_after(10):
        await BackgroundLoops.stop(task)


async def test_a_loop_that_falls_starts_again_with_a_log_line_and_a_count() -> None:
    clock, restarted, work = Clock(), list[str](), Falling(3)
    loops = BackgroundLoops(restarted.append, sleep=clock.sleep, monotonic=lambda: clock.now)
    with capture_logs() as logs, anyio.fail_after(10):
        task = loops.start("reader", work)
        await work.well.wait()
    assert restarted == ["reader"] * 3
    assert clock.pauses == sorted(clock.pauses)
    assert clock.pauses[0] < clock.pauses[-1]
    assert [(line["event"], line["loop"], line["error"]) for line in logs] == [
        ("background_loop_restarts", "reader", "KeyError")
    ] * 3
    assert "test_background_loops.py" in logs[0]["where"]
    await stopped(task)


async def test_one_that_falls_again_and_again_is_named_until_it_runs_steadily() -> None:
    clock, work = Clock(), Falling(FALLS_UNTIL_NOT_READY)
    loops = BackgroundLoops(sleep=clock.sleep, monotonic=lambda: clock.now)
    with anyio.fail_after(10):
        task = loops.start("reader", work)
        await work.well.wait()
    assert list(loops.failing) == ["reader"]
    clock.now += STEADY_S
    assert list(loops.failing) == []
    await stopped(task)


async def test_one_that_cannot_be_kept_up_is_given_up_about_a_minute_later() -> None:
    clock, work = Clock(), Falling(10_000)
    loops = BackgroundLoops(sleep=clock.sleep, monotonic=lambda: clock.now)
    with anyio.fail_after(10):
        task = loops.start("reader", work)
        await loops.given_up()
    assert len(clock.pauses) in {FALLS_UNTIL_GIVEN_UP - 1, FALLS_UNTIL_GIVEN_UP}
    assert 60 < sum(clock.pauses) < 120
    assert max(clock.pauses) == LONGEST_PAUSE_S
    await stopped(task)


async def test_a_cancel_that_nobody_asked_for_is_a_fall_too() -> None:
    clock, work = Clock(), Falling(1, asyncio.CancelledError())
    loops = BackgroundLoops(sleep=clock.sleep, monotonic=lambda: clock.now)
    with anyio.fail_after(10):
        task = loops.start("reader", work)
        await work.well.wait()
    assert clock.pauses != []
    await stopped(task)


async def test_a_stopped_loop_does_not_start_again_whatever_becomes_of_the_cancel() -> None:
    entered, cancels = asyncio.Event(), 0

    async def loses_a_cancel() -> None:
        nonlocal cancels
        while True:
            try:
                entered.set()
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancels += 1
                if cancels > 1:
                    raise KeyError("x") from None

    with capture_logs() as logs, anyio.fail_after(10):
        task = BackgroundLoops().start("reader", loses_a_cancel)
        await entered.wait()
        await BackgroundLoops.stop(task, None)
    assert (cancels, logs) == (2, [])


async def test_a_loop_that_ends_by_itself_is_left_alone() -> None:
    clock, work = Clock(), asyncio.sleep
    loops = BackgroundLoops(sleep=clock.sleep, monotonic=lambda: clock.now)
    with anyio.fail_after(10):
        await loops.start("once", lambda: work(0))
    assert clock.pauses == []
