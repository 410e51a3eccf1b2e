"""A database outside, by a direct connection, a pooler of sessions and a pooler of transactions."""

import asyncio
from pathlib import Path
from uuid import uuid4

import anyio
import psycopg
import pytest

from server.adapters.postgres.checkpoints import PostgresCheckpoints
from server.adapters.postgres.place import database_place, notify_arrives, outside_database
from server.adapters.postgres.pool import Database
from server.adapters.postgres.relay import PostgresRelay
from server.adapters.postgres.turn_queue import PostgresTurnQueue
from server.errors import ConfigError, DatabaseUnavailable
from server.ports.queue import TurnJob
from server.protocol.events import ModelChunkStart, TurnStarted
from tests.plugins.pooler import Pooled
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import Talk
from tests.plugins.worlds_on_postgres import postgres_world

BOUND_S = 60


async def test_a_notify_arrives_directly_and_through_a_pooler_of_sessions_only(
    database: FreshDatabase, pooled: Pooled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.adapters.postgres.place.NOTIFY_WITHIN_S", BOUND_S)
    assert await notify_arrives(database.server)
    assert await notify_arrives(pooled(database.server, "session"))
    monkeypatch.setattr("server.adapters.postgres.place.NOTIFY_WITHIN_S", 1)
    assert not await notify_arrives(pooled(database.server, "transaction"))


async def test_transactions_go_through_the_pooler_and_sessions_past_it(database: FreshDatabase, pooled: Pooled) -> None:
    async with outside_database(pooled(database.server, "transaction"), pooled(database.owner, "session")) as place:
        assert place.session_dsn is not None
        async with (
            Database(place.server_dsn, pooler=True) as pool,
            PostgresTurnQueue(place.session_dsn, at_once=2) as queue,
        ):
            talk = await Talk.begin(world := postgres_world(database.owner, pool), await world.user())
            for _ in range(12):  # more often than psycopg would wait before it prepares a statement
                await talk.exchange()
            await queue.put(TurnJob(turn_id := str(uuid4()), talk.session_id))
            with anyio.fail_after(BOUND_S):
                job = await anext(queue.jobs())
                assert job.turn_id == turn_id
                await queue.done(job)


async def test_with_a_pooler_of_transactions_alone_everything_is_polled_for(
    database: FreshDatabase, pooled: Pooled
) -> None:
    url = pooled(database.server, "transaction")
    async with outside_database(url, url) as place:
        assert place.session_dsn is None
        async with (
            Database(place.server_dsn, pooler=True) as pool,
            PostgresTurnQueue(place.server_dsn, at_once=2, can_listen=False) as queue,
            PostgresRelay(pool, place.session_dsn) as here,
            PostgresRelay(pool, place.session_dsn) as there,
        ):
            world = postgres_world(database.owner, pool)
            talk = await Talk.begin(world, await world.user())
            turn_id = str(uuid4())
            await talk.ask(turn_id)
            await queue.put(TurnJob(turn_id, talk.session_id))
            with anyio.fail_after(BOUND_S):
                job = await anext(queue.jobs())
                listening = there.listen(talk.session_id)
                await here.publish(
                    TurnStarted(
                        attempt=1, model="m", prompt_version="v", turn_id=turn_id, session_id=talk.session_id, seq=1
                    )
                )
                await here.publish(
                    ModelChunkStart(
                        message_id="m1", offset=0, chunk="hi", turn_id=turn_id, session_id=talk.session_id, seq=2
                    )
                )
                seen = 0
                while seen < 2:
                    seen = (await anext(listening)).seq
                await listening.aclose()
                assert not await queue.cancel(turn_id)
                assert await anext(queue.stops()) == turn_id
                await queue.done(job)


async def test_checkpoints_pass_a_pooler_of_transactions(database: FreshDatabase, pooled: Pooled) -> None:
    url = pooled(database.server, "transaction")
    async with PostgresTurnQueue(url, at_once=1, can_listen=False) as queue:
        saver = PostgresCheckpoints(queue.pool)()
        config = {"configurable": {"thread_id": f"{uuid4()}/{uuid4()}", "checkpoint_ns": ""}}
        checkpoint = {
            "v": 4,
            "id": "1ef4f797-8335-6428-8001-8a1503f9b875",
            "ts": "2026-01-01T00:00:00+00:00",
            "channel_values": {"text": "kept"},
            "channel_versions": {"text": "1"},
            "versions_seen": {},
        }
        await saver.aput(config, checkpoint, {"step": 0}, {"text": "1"})  # type: ignore[arg-type]
        found = await saver.aget_tuple(config)  # type: ignore[arg-type]
        assert found is not None
        assert found.checkpoint["channel_values"] == {"text": "kept"}


async def test_an_empty_database_outside_is_prepared_through_the_session_connection(
    empty_database: FreshDatabase, pooled: Pooled
) -> None:
    async with (
        outside_database(pooled(empty_database.server, "transaction"), pooled(empty_database.owner, "session")),
        await psycopg.AsyncConnection.connect(empty_database.owner) as owner,
    ):
        found = await owner.execute("select count(*) from public.subscription_plans")
        assert await found.fetchone() == (3,)


async def test_an_empty_database_behind_a_pooler_of_transactions_is_refused_with_what_to_do(
    empty_database: FreshDatabase, pooled: Pooled
) -> None:
    url = pooled(empty_database.owner, "transaction")
    with pytest.raises(ConfigError, match="FLAMECHAT_DATABASE_SESSION_URL"):
        async with outside_database(url, url):
            pass


async def test_a_database_that_is_up_to_date_needs_no_owner(database: FreshDatabase) -> None:
    async with outside_database(database.server, database.server) as place:
        assert place.session_dsn == database.server


async def test_processes_that_start_together_prepare_it_once(empty_database: FreshDatabase) -> None:
    async def start() -> None:
        async with outside_database(empty_database.owner, empty_database.owner):
            pass

    await asyncio.gather(*(start() for _ in range(3)))


async def test_no_address_and_no_answer_are_distinct_errors() -> None:
    for url in ("postgresql://", "not an address", "postgresql://u:secret@127.0.0.1:notaport/x"):
        with pytest.raises((ConfigError, DatabaseUnavailable)) as raised:
            async with outside_database(url, url):
                pass
        assert "secret" not in str(raised.value)
    with pytest.raises(DatabaseUnavailable):
        async with outside_database("postgresql://u:secret@127.0.0.1:1/x", "postgresql://u:secret@127.0.0.1:1/x"):
            pass


def test_a_session_address_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="FLAMECHAT_DATABASE_URL"):
        database_place(tmp_path, None, "postgresql://u@127.0.0.1/x")
