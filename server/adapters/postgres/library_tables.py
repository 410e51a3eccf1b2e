"""Tables of libraries (the queue's jobs, the graph's checkpoints) in a schema that the API never shows."""

import asyncio

import procrastinate
import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection
from psycopg.rows import dict_row

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


async def _locked(connection: AsyncConnection[dict[str, object]]) -> bool:
    row = await (await connection.execute("select pg_try_advisory_lock(%s) as got", [LOCK_KEY])).fetchone()
    return row is not None and bool(row["got"])


async def as_service(connection: AsyncConnection[object]) -> None:
    """Make a new connection of `flamechat_server` act as `service_role` and see the libraries' tables."""
    await connection.execute("set role service_role")
    await connection.execute(f"set search_path to {SCHEMA}")
    await connection.commit()
