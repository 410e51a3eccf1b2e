"""Every TurnQueue."""

from collections.abc import AsyncIterator

import anyio
import pytest

from server.adapters.in_process.queue import MemoryQueue
from server.adapters.postgres.turn_queue import PostgresTurnQueue
from server.ports.queue import TurnJob, TurnQueue
from tests.plugins.postgres import FreshDatabase

A1, A2, A3 = TurnJob("a1", "A"), TurnJob("a2", "A"), TurnJob("a3", "A")
B1 = TurnJob("b1", "B")


@pytest.fixture(params=["memory", "postgres"])
def own_database(request: pytest.FixtureRequest) -> FreshDatabase | None:
    """None for the queue in memory."""
    if request.param == "memory":
        return None
    found = request.getfixturevalue("database")
    assert isinstance(found, FreshDatabase)
    return found


@pytest.fixture
async def queue(own_database: FreshDatabase | None) -> AsyncIterator[TurnQueue]:
    if own_database is None:
        yield MemoryQueue()
    else:
        async with PostgresTurnQueue(own_database.server, at_once=4) as queue:
            yield queue


async def take(queue: TurnQueue, count: int) -> list[TurnJob]:
    taken: list[TurnJob] = []
    with anyio.fail_after(60):
        async for job in queue.jobs():
            taken.append(job)
            if len(taken) == count:
                break
    return taken


async def nothing_comes(queue: TurnQueue) -> bool:
    with anyio.move_on_after(0.05):
        await take(queue, 1)
        return False
    return True


async def test_jobs_of_a_session_come_one_after_the_other_in_order(queue: TurnQueue) -> None:
    assert [await queue.put(job) for job in (A1, A2, A3)] == [0, 1, 2]
    assert await take(queue, 1) == [A1]
    assert await nothing_comes(queue)
    await queue.done(A1)
    assert await take(queue, 1) == [A2]


async def test_sessions_do_not_wait_for_each_other(queue: TurnQueue) -> None:
    for job in (A1, A2, B1):
        await queue.put(job)
    assert await take(queue, 2) == [A1, B1]


async def test_the_same_turn_twice_is_one_job(queue: TurnQueue) -> None:
    assert await queue.put(A1) == 0
    assert await queue.put(A1) == 0
    assert await take(queue, 1) == [A1]
    assert await queue.put(A1) == 0
    await queue.done(A1)
    assert await nothing_comes(queue)


async def test_a_turn_that_goes_on_comes_once_more_after_the_job_before(queue: TurnQueue) -> None:
    await queue.put(A1)
    assert await take(queue, 1) == [A1]
    for _ in range(2):
        await queue.put_again(A1)
    assert await nothing_comes(queue)
    await queue.done(A1)
    assert await take(queue, 1) == [A1]
    await queue.done(A1)
    assert await nothing_comes(queue)


async def test_a_waiting_job_can_be_taken_out_and_a_running_one_cannot(queue: TurnQueue) -> None:
    for job in (A1, A2, A3):
        await queue.put(job)
    assert await take(queue, 1) == [A1]
    assert not await queue.cancel("a1")
    assert await queue.cancel("a2")
    assert not await queue.cancel("a2")
    assert not await queue.cancel("never")
    await queue.done(A1)
    assert await take(queue, 1) == [A3]


async def test_a_job_that_is_ready_but_not_taken_can_be_taken_out_and_put_again(queue: TurnQueue) -> None:
    await queue.put(A1)
    await queue.put(A2)
    assert await queue.cancel("a1")
    assert await take(queue, 1) == [A2]
    assert await queue.put(A1) == 1
    await queue.done(A2)
    assert await take(queue, 1) == [A1]


async def test_a_job_put_later_reaches_the_one_who_waits(queue: TurnQueue) -> None:
    taken: list[TurnJob] = []

    async def wait() -> None:
        taken.extend(await take(queue, 1))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await anyio.lowlevel.checkpoint()
        await queue.put(B1)
    assert taken == [B1]


async def test_whoever_runs_a_job_is_notified_to_stop(queue: TurnQueue) -> None:
    await queue.put(A1)
    await take(queue, 1)
    assert not await queue.cancel("a1")
    with anyio.fail_after(60):
        assert await anext(queue.stops()) == "a1"


async def test_a_stopped_queue_gives_out_nothing_more(queue: TurnQueue) -> None:
    await queue.put(A1)
    assert await take(queue, 1) == [A1]
    await queue.stop()
    await queue.put(B1)
    assert await nothing_comes(queue)
    await queue.done(A1)
