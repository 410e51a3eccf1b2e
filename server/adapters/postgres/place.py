"""Which database a server uses: the one in its data folder, or one outside, and by which connections."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import structlog
from psycopg import AsyncConnection

from server.adapters.in_process.background_loops import BackgroundLoops
from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.library_tables import are_library_tables_there, set_up_library_tables
from server.adapters.postgres.migrations import least_known, migrate, not_usable, read_migrations, sql_root
from server.errors import ConfigError, DatabaseUnavailable

CONNECT_S = 10
NOTIFY_WITHIN_S = 2.0
"""How long a NOTIFY to oneself may take: through a direct connection it needs milliseconds, through a pooler of
transactions it never arrives."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabasePlace:
    """`server_dsn` carries transactions; `session_dsn` LISTEN and what needs a session, and is None where no connection
    receives a NOTIFY: then everything is polled for. `owner_dsn` makes the one user of a server without an identity
    provider. `is_outside` says that a pooler may stand before it."""

    server_dsn: str = field(repr=False)
    session_dsn: str | None = field(repr=False)
    owner_dsn: str = field(repr=False)
    is_outside: bool


def database_place(
    folder: Path, url: str | None, session_url: str | None, loops: BackgroundLoops | None = None
) -> AbstractAsyncContextManager[DatabasePlace]:
    """The migrated database at `url`, or that of the folder when there is no `url`. Entering raises ConfigError,
    DatabaseUnavailable."""
    if url is not None:
        return outside_database(url, session_url or url)
    if session_url is not None:
        raise ConfigError("FLAMECHAT_DATABASE_SESSION_URL is set, but not FLAMECHAT_DATABASE_URL.")
    return embedded_database(folder, loops)


@asynccontextmanager
async def embedded_database(folder: Path, loops: BackgroundLoops | None = None) -> AsyncIterator[DatabasePlace]:
    """The database of a folder, started and migrated, and kept running while the context is open."""
    async with EmbeddedPostgres(data_dir=folder) as postgres:
        await migrate(postgres.owner_dsn, bootstrap=True)
        await set_up_library_tables(postgres.owner_dsn)
        async with postgres.kept_running(loops):
            yield DatabasePlace(
                server_dsn=postgres.server_dsn,
                session_dsn=postgres.server_dsn,
                owner_dsn=postgres.owner_dsn,
                is_outside=False,
            )


@asynccontextmanager
async def outside_database(url: str, session_url: str) -> AsyncIterator[DatabasePlace]:
    """A database that others run. It is brought up to date through `session_url`, unless it is already; through a
    pooler of transactions that cannot be done."""
    can_listen = await notify_arrives(session_url)
    if not await _is_up_to_date(session_url):
        if not can_listen:
            raise ConfigError(
                "The database must be prepared, which a pooler of transactions cannot carry: set "
                "FLAMECHAT_DATABASE_SESSION_URL to a direct connection or a pooler of sessions."
            )
        await migrate(session_url, bootstrap=not await has_users(session_url))
        await set_up_library_tables(session_url)
    if not can_listen:
        log.warning("no_notify", advice="set FLAMECHAT_DATABASE_SESSION_URL; until then jobs and events are polled for")
    yield DatabasePlace(
        server_dsn=url, session_dsn=session_url if can_listen else None, owner_dsn=session_url, is_outside=True
    )


async def notify_arrives(dsn: str) -> bool:
    """Whether a NOTIFY arrives at a connection that listens. Raises DatabaseUnavailable."""
    channel = f"flamechat_proof_{secrets.token_hex(4)}"
    async with _connected(dsn) as listener, _connected(dsn) as sender:
        await listener.execute(f"listen {channel}")  # by a pooler of transactions: on somebody else's connection
        await sender.execute("select pg_notify(%s, '')", [channel])
        received = [news async for news in listener.notifies(timeout=NOTIFY_WITHIN_S, stop_after=1)]
        await listener.execute("unlisten *")
    return bool(received)


@asynccontextmanager
async def _connected(dsn: str) -> AsyncIterator[AsyncConnection[tuple[object, ...]]]:
    try:
        async with asyncio.timeout(CONNECT_S):
            connection = await AsyncConnection.connect(dsn, autocommit=True, prepare_threshold=None)
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable(f"The database cannot be reached: {error}") from error
    except psycopg.ProgrammingError:
        raise ConfigError("FLAMECHAT_DATABASE_URL or FLAMECHAT_DATABASE_SESSION_URL is no address.") from None
    except TimeoutError as error:
        raise DatabaseUnavailable(f"The database has not answered within {CONNECT_S} s.") from error
    async with connection:
        yield connection


async def _is_up_to_date(dsn: str) -> bool:
    """Whether all migrations and the libraries' tables are there, asked as the server's role."""
    expected = {migration.version for migration in read_migrations(sql_root() / "migrations")}
    async with _connected(dsn) as connection:
        try:
            async with connection.transaction():
                await connection.execute("set local role service_role")
                found = await connection.execute("select flamechat_private.applied_migrations()")
                applied = {str(row[0]) for row in await found.fetchall()}
                usable = expected <= applied and not not_usable(expected, applied, await least_known(connection))
                return usable and await are_library_tables_there(connection)
        except (psycopg.errors.UndefinedObject, psycopg.errors.InvalidParameterValue):
            return False  # no such role: nothing has been prepared
        except (psycopg.errors.UndefinedFunction, psycopg.errors.InvalidSchemaName, psycopg.errors.UndefinedTable):
            return False
        except psycopg.errors.InsufficientPrivilege:
            return False


async def has_users(dsn: str) -> bool:
    """Whether it is a Supabase project's: a plain PostgreSQL gets the stand-ins first."""
    async with _connected(dsn) as connection:
        row = await (await connection.execute("select to_regclass('auth.users') is not null")).fetchone()
        return row is not None and bool(row[0])
