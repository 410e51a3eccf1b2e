"""Who lives is known apart from the work: a stalled loop keeps its turns, a dead process loses them, and one that is
only slow is overtaken, which is no death."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import anyio
import psycopg
import pytest

from server.adapters.postgres.pool import Database
from server.adapters.postgres.turn_queue import GONE_S, SILENT_S, STALLED_S, PostgresTurnQueue
from server.adapters.postgres.turn_sweep import TurnSweep
from server.adapters.postgres.worker_lease import LOCK_CLASS
from server.ports.conversations import TurnRow
from server.ports.queue import TurnJob
from server.turns.lifecycle import MAX_OVERTAKEN
from server.turns.runner import _given_up
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import Talk, World, new_uuid
from tests.plugins.worlds_on_postgres import postgres_world

BOUND_S = 20.0
LOCKS = """select count(*) from pg_locks where locktype = 'advisory' and classid = %s and granted
    and database = (select oid from pg_database where datname = current_database())"""
"""Of this database: connections of a test before may still be closing in another of the same server."""
SILENT = "update flamechat_private.procrastinate_workers set last_heartbeat = now() - make_interval(secs => %s)"
BEATS = "select min(last_heartbeat) from flamechat_private.procrastinate_workers"


@dataclass
class Scene:
    """A process that has taken a job, and another one that sweeps."""

    world: World
    busy: PostgresTurnQueue
    other: PostgresTurnQueue
    owner: psycopg.Connection[tuple[object, ...]]
    talk: Talk
    turn_id: str

    async def turn(self) -> TurnRow:
        return await self.world.conversations.turn(self.talk.caller, self.turn_id)

    async def swept(self, silent_s: float) -> tuple[bool, int]:
        """After so much silence: whether the job waits to be taken again, and how often it was overtaken."""
        self.owner.execute(SILENT, [silent_s])
        await self.other.retry_stalled(GONE_S, SILENT_S)
        row = self.owner.execute("select status from flamechat_private.procrastinate_jobs").fetchone()
        assert row is not None
        return row[0] == "todo", (await self.turn()).overtaken

    async def until_locks(self, count: int) -> None:
        with anyio.fail_after(BOUND_S):
            while self.owner.execute(LOCKS, [LOCK_CLASS]).fetchone() != (count,):
                await asyncio.sleep(0)


@pytest.fixture
async def scene(database: FreshDatabase) -> AsyncIterator[Scene]:
    async with (
        Database(database.server) as pool,
        PostgresTurnQueue(database.server, at_once=1) as busy,
        PostgresTurnQueue(database.server, at_once=1) as other,
        opened(database) as owner,
    ):
        world = postgres_world(database.owner, pool)
        talk, turn_id = await Talk.begin(world, await world.user()), new_uuid()
        await talk.ask(turn_id)
        await busy.put(TurnJob(turn_id, talk.session_id))
        with anyio.fail_after(BOUND_S):
            assert (await anext(busy.jobs())).turn_id == turn_id
        await world.conversations.start_turn(turn_id, owner="busy")
        found = Scene(world, busy, other, owner, talk, turn_id)
        await found.until_locks(1)
        yield found


@asynccontextmanager
async def opened(database: FreshDatabase) -> AsyncIterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(database.owner, autocommit=True) as connection:
        yield connection


async def test_the_heartbeat_goes_on_while_the_event_loop_stalls(scene: Scene) -> None:
    before, until = scene.owner.execute(BEATS).fetchone(), time.monotonic() + BOUND_S
    while scene.owner.execute(BEATS).fetchone() == before:  # nothing else of this process runs meanwhile
        assert time.monotonic() < until, "the heartbeat waits for the event loop"


async def test_a_process_that_lives_and_is_silent_is_overtaken_later_and_has_not_died(scene: Scene) -> None:
    scene.busy._lease._every_s = 3600
    scene.owner.execute(SILENT, [0])
    await scene.until_locks(1)
    assert await scene.swept((GONE_S + SILENT_S) / 2) == (False, 0)
    assert await scene.swept(SILENT_S + 5) == (True, 1)
    started = await scene.world.conversations.start_turn(scene.turn_id, owner="other")
    assert started is not None
    assert (started.attempt, started.attempts_that_died, started.overtaken_lately) == (2, 0, 1)


async def test_a_process_that_is_gone_loses_its_turns_after_a_short_silence(scene: Scene) -> None:
    await asyncio.to_thread(scene.busy._lease.stop)
    await scene.until_locks(0)
    assert await scene.swept(GONE_S - 2) == (False, 0)
    assert await scene.swept(GONE_S + 1) == (True, 0)
    late = "select scheduled_at > now() - interval '1 day' from flamechat_private.procrastinate_jobs"
    assert scene.owner.execute(late).fetchone() == (False,), "due at once, whatever the database's clock says"
    started = await scene.world.conversations.start_turn(scene.turn_id, owner="other")
    assert started is not None
    assert started.attempts_that_died == 1


@pytest.mark.parametrize(("can_listen", "after_s"), [(True, GONE_S), (False, STALLED_S)])
async def test_a_sweep_waits_longer_where_no_session_says_that_a_process_is_gone(
    scene: Scene, database: FreshDatabase, can_listen: bool, after_s: float
) -> None:
    await asyncio.to_thread(scene.busy._lease.stop)
    await scene.until_locks(0)
    async with PostgresTurnQueue(database.server, at_once=1, can_listen=can_listen) as queue:
        for silent_s, status in ((after_s - 1.5, "doing"), (after_s + 1, "todo")):
            scene.owner.execute(SILENT, [silent_s])
            await TurnSweep(queue).sweep()
            found = scene.owner.execute("select status from flamechat_private.procrastinate_jobs").fetchone()
            assert found == (status,)


async def test_a_turn_that_went_on_after_its_process_was_gone_is_run_by_its_next_job(scene: Scene) -> None:
    await asyncio.to_thread(scene.busy._lease.stop)
    await scene.until_locks(0)
    await scene.other.put_again(TurnJob(scene.turn_id, scene.talk.session_id))
    assert await scene.swept(GONE_S + 1) == (True, 0)
    count = scene.owner.execute("select count(*) from flamechat_private.procrastinate_jobs").fetchone()
    assert count == (1,), "one job of a turn waits"


async def test_a_turn_that_stalls_whatever_server_runs_it_ends(scene: Scene) -> None:
    turn = replace(await scene.turn(), attempt=MAX_OVERTAKEN + 1, overtaken=MAX_OVERTAKEN)
    assert _given_up(replace(turn, overtaken_lately=MAX_OVERTAKEN - 1)) is None
    failed = _given_up(replace(turn, overtaken_lately=MAX_OVERTAKEN))
    assert failed is not None
    assert (failed.code, failed.retryable) == ("turn_stalls", False)
