"""Tables of libraries (the queue's jobs, the graph's checkpoints) in a schema that the API never shows."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import procrastinate
import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from server.adapters.postgres.pool import check_not_closed
from server.errors import DatabaseUnavailable

SCHEMA = "flamechat_private"
LOCK_KEY = 7_274_463_202
"""Ours among the advisory locks of a database: one set-up at a time."""

FIX_SEARCH_PATHS = """
do $$
declare
    name text;
begin
    for name in
        select oid::regprocedure from pg_proc
        where pronamespace = 'flamechat_private'::regnamespace and proname ^@ 'procrastinate_'
    loop
        execute format('alter function %s set search_path to flamechat_private', name);
    end loop;
end
$$
"""
"""The library's functions find their tables by the search path: fixed, it cannot be another's."""

LOCK_WAIT_S = 60.0
LOCK_POLL_S = 0.05


async def set_up_library_tables(owner_dsn: str) -> None:
    """Let each library make its tables where they are missing. Safe twice and at once. Raises DatabaseUnavailable.

    The lock is polled for: who waits inside a statement holds a snapshot, for which the checkpoints' `create index
    concurrently` would wait in turn.
    """
    try:
        connection = await AsyncConnection.connect(owner_dsn, autocommit=True, row_factory=dict_row)
        async with connection:
            async with asyncio.timeout(LOCK_WAIT_S):
                while not await _locked(connection):  # noqa: ASYNC110 - what is waited for is in the database
                    await asyncio.sleep(LOCK_POLL_S)
            await connection.execute(f"set search_path to {SCHEMA}")
            await connection.execute("set client_min_messages = warning")
            found = await connection.execute("select to_regclass('procrastinate_jobs') as found")
            row = await found.fetchone()
            if row is None or row["found"] is None:
                async with connection.transaction():
                    await connection.execute(procrastinate.schema.SchemaManager.get_schema())
                    await connection.execute(FIX_SEARCH_PATHS)
            await AsyncPostgresSaver(connection).setup()
            for kind in ("tables", "sequences", "functions"):
                await connection.execute(
                    f"revoke all on all {kind} in schema {SCHEMA} from public, anon, authenticated"
                )
                await connection.execute(f"grant all on all {kind} in schema {SCHEMA} to service_role")
    except TimeoutError as error:
        raise DatabaseUnavailable("Another server has been preparing the database for too long.") from error
    except psycopg.Error as error:
        raise DatabaseUnavailable(f"The libraries' tables could not be prepared: {error}") from error


async def are_library_tables_there(connection: AsyncConnection[tuple[object, ...]]) -> bool:
    """Whether there is nothing to set up, asked as `service_role`."""
    tables = [f"{SCHEMA}.{name}" for name in ("procrastinate_jobs", "checkpoint_migrations")]
    found = await connection.execute(
        "select bool_and(to_regclass(t) is not null) from unnest(%s::text[]) as t", [tables]
    )
    if await found.fetchone() != (True,):
        return False
    newest = await connection.execute(f"select max(v) from {SCHEMA}.checkpoint_migrations")  # noqa: S608
    return await newest.fetchone() == (len(AsyncPostgresSaver.MIGRATIONS) - 1,)


async def _locked(connection: AsyncConnection[dict[str, object]]) -> bool:
    row = await (await connection.execute("select pg_try_advisory_lock(%s) as got", [LOCK_KEY])).fetchone()
    return row is not None and bool(row["got"])


class SessionPool(AsyncConnectionPool[AsyncConnection[Any]]):
    """Connections that are looked at rather than asked before they are handed out."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given | {"check": check_not_closed})


class TransactionPool(SessionPool):
    """Connections behind a pooler of transactions, which keeps nothing between two of them: each comes out in a
    transaction that acts as `service_role` among the libraries' tables, and is committed when it goes back."""

    @asynccontextmanager
    async def connection(self, timeout: float | None = None) -> AsyncIterator[AsyncConnection[Any]]:  # noqa: ASYNC109
        async with super().connection(timeout) as connection:
            await connection.execute(
                "select set_config('role', 'service_role', true), set_config('search_path', %s, true)", [SCHEMA]
            )
            yield connection


async def as_service(connection: AsyncConnection[object]) -> None:
    """Make a new connection of `flamechat_server` act as `service_role` and see the libraries' tables. A statement
    outside a transaction is one by itself: the queue's and a checkpoint are single ones."""
    await connection.set_autocommit(True)
    await connection.execute("set role service_role")
    await connection.execute(f"set search_path to {SCHEMA}")
