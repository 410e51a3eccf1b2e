"""Connections outlive whoever is cancelled, are replaced when the database closed them, and end what was started."""

from collections.abc import AsyncIterator

import anyio
import psycopg
import pytest
from psycopg import AsyncConnection

from server.adapters.postgres import finishing_connection
from server.adapters.postgres.pool import Database
from tests.plugins.postgres import FreshDatabase

BOUND_S = 30
LOCK = 4_711
WAITING = "select count(*) from pg_locks where locktype = 'advisory' and objid = %s and not granted"


@pytest.fixture
async def owner(crowded_database: FreshDatabase) -> AsyncIterator[AsyncConnection]:
    async with await AsyncConnection.connect(crowded_database.owner, autocommit=True) as connection:
        yield connection


async def number_of(found: Database) -> int:
    """The process that serves the pool's connection."""
    async with found.transaction() as connection:
        row = await (await connection.execute("select pg_backend_pid() as pid")).fetchone()
    assert row is not None
    return int(row["pid"])


async def until(owner: AsyncConnection, query: str, parameter: int, count: int) -> None:
    with anyio.fail_after(BOUND_S):
        while await (await owner.execute(query.encode(), [parameter])).fetchone() != (count,):
            await anyio.sleep(0)


@pytest.mark.parametrize("is_slow", [False, True], ids=["finishes", "is taken back"])
async def test_whoever_is_cancelled_in_a_statement_leaves_the_connection_to_others(
    crowded_database: FreshDatabase, owner: AsyncConnection, monkeypatch: pytest.MonkeyPatch, is_slow: bool
) -> None:
    monkeypatch.setattr(finishing_connection, "FINISH_S", 0.05 if is_slow else BOUND_S)

    async def wait_for_the_lock(found: Database) -> None:
        async with found.transaction() as connection:
            await connection.execute("select pg_advisory_xact_lock(%s)", [LOCK])

    async with Database(crowded_database.server, max_connections=1) as found:
        before = await number_of(found)
        await owner.execute("select pg_advisory_lock(%s)", [LOCK])
        with anyio.fail_after(BOUND_S):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait_for_the_lock, found)
                await until(owner, WAITING, LOCK, 1)
                tasks.cancel_scope.cancel()
                if not is_slow:
                    with anyio.CancelScope(shield=True):
                        await owner.execute("select pg_advisory_unlock(%s)", [LOCK])
        assert await number_of(found) == before
        await until(owner, "select count(*) from pg_locks where locktype = 'advisory' and objid = %s", LOCK, is_slow)


async def test_a_connection_that_the_database_has_closed_is_replaced_before_anybody_gets_it(
    crowded_database: FreshDatabase, owner: AsyncConnection
) -> None:
    async with Database(crowded_database.server, max_connections=1) as found:
        before = await number_of(found)
        await owner.execute("select pg_terminate_backend(%s, 20000)", [before])
        assert await number_of(found) != before


async def fail_after_an_insert(found: Database, error: Exception) -> None:
    async with found.transaction() as connection:
        await connection.execute("insert into flamechat_private.rolled_back values (1)")
        raise error


async def test_what_is_rolled_back_within_is_not_there_and_nobody_is_informed_of_it(
    crowded_database: FreshDatabase, owner: AsyncConnection
) -> None:
    await owner.execute("create table flamechat_private.rolled_back (a int)")
    await owner.execute("grant all on flamechat_private.rolled_back to service_role")
    async with Database(crowded_database.server, max_connections=1) as found:
        await fail_after_an_insert(found, psycopg.Rollback())
        with pytest.raises(ZeroDivisionError):
            await fail_after_an_insert(found, ZeroDivisionError())
        async with found.transaction() as connection:
            await connection.execute("insert into flamechat_private.rolled_back values (3)")
    rows = await (await owner.execute("select a from flamechat_private.rolled_back")).fetchall()
    assert rows == [(3,)]


async def test_who_acts_and_what_waits_for_the_disk_is_of_one_transaction(crowded_database: FreshDatabase) -> None:
    query = "select current_user as name, current_setting('synchronous_commit') as waits"

    async with Database(crowded_database.server, max_connections=1) as found:
        async with found.transaction(durable=False) as connection:
            assert await (await connection.execute(query)).fetchone() == {"name": "service_role", "waits": "off"}
            await connection.execute("set local synchronous_commit = on")
        async with found.transaction() as connection:
            row = await (await connection.execute(query)).fetchone()
            assert row is not None
            assert row["name"] == "service_role"
