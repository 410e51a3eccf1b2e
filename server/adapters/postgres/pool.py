"""Connections of the server, each transaction as `service_role`, and what PostgreSQL's refusals mean."""

import asyncio
import json
import select
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, LiteralString, Self

import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from limits.refusals import Decision, LimitType
from server.adapters.postgres.finishing_connection import FinishingConnection
from server.errors import (
    BadRequest,
    Conflict,
    DatabaseBusy,
    DatabaseUnavailable,
    LimitExceeded,
    NotAllowed,
    NotFound,
    ServerError,
    TurnInProgress,
)

MAX_CONNECTIONS = 6
"""Connections of one server process for its own statements, each of which needs one for a few milliseconds; with the
queue's three, two that listen and the heartbeat's twelve in all (docs/decisions/0022)."""

PROMPT_CONNECTIONS = 2
"""Of these, for prompts that wait to be decided, which lock a row of their user: reads, turns and administration never
wait for them."""

WAIT_SECONDS = 10.0
"""For a connection that answers. A database that stands still takes connections and answers nothing."""

LOST_MACHINE = {
    "connect_timeout": 10,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 5,
    "tcp_user_timeout": 20_000,
}
"""libpq's parameters, by which a machine that went without a word is noticed within some 20 s; the system's own take
from 15 minutes to 2 hours."""

BEGIN: LiteralString = "begin; set local role service_role"
BEGIN_RELAXED: LiteralString = f"{BEGIN}; set local synchronous_commit = off"
"""Statements that share one way to the database and back."""

PREPARE_AFTER = 5
LOGGED_EVERY_S = 1.0

log = structlog.get_logger(__name__)


class Database:
    """The database as `flamechat_server` sees it. With `pooler`, no prepared statements: a transaction pooler hands
    each transaction to another connection."""

    def __init__(
        self, server_dsn: str, *, pooler: bool = False, min_connections: int = 1, max_connections: int = MAX_CONNECTIONS
    ) -> None:
        self._pool: AsyncConnectionPool[AsyncConnection[DictRow]] = AsyncConnectionPool(
            server_dsn,
            connection_class=FinishingConnection,
            min_size=min_connections,
            max_size=max_connections,
            timeout=WAIT_SECONDS,
            open=False,
            check=check_not_closed,
            kwargs={
                "autocommit": True,
                "row_factory": dict_row,
                "prepare_threshold": None if pooler else PREPARE_AFTER,
                **noticing_a_lost_machine(server_dsn),
            },
        )

        self._prompts = asyncio.Semaphore(PROMPT_CONNECTIONS)
        self._logged_at = -LOGGED_EVERY_S

    async def open(self) -> None:
        """Raises DatabaseUnavailable when no connection can be made."""
        try:
            await self._pool.open(wait=True, timeout=WAIT_SECONDS)
        except PoolTimeout as error:
            await self._pool.close()
            raise DatabaseUnavailable("The database cannot be reached.") from error

    async def close(self) -> None:
        await self._pool.close()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    @asynccontextmanager
    async def prompt_transaction(self) -> AsyncIterator[AsyncConnection[DictRow]]:
        """As `transaction`, on one of the PROMPT_CONNECTIONS."""
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await self._prompts.acquire()
        except TimeoutError as error:
            raise _busy() from error
        try:
            async with self.transaction() as connection:
                yield connection
        finally:
            self._prompts.release()

    @asynccontextmanager
    async def transaction(self, *, durable: bool = True) -> AsyncIterator[AsyncConnection[DictRow]]:
        """A connection inside a transaction as `service_role`. What is not `durable` may be lost with the database's
        machine although it was committed; nobody waits for its disk.

        psycopg.Rollback raised within ends it quietly.

        Raises what the database's functions refuse with (NotFound, NotAllowed, BadRequest, TurnInProgress, Conflict,
        LimitExceeded), and DatabaseUnavailable when it cannot be reached or does not answer.
        """
        try:
            async with AsyncExitStack() as stack:
                connection = await self._entered(stack, BEGIN if durable else BEGIN_RELAXED)
                try:
                    yield connection
                except psycopg.Rollback:
                    await connection.rollback()
        except PoolClosed as error:
            raise DatabaseUnavailable("The database cannot be reached.") from error
        except PoolTimeout as error:
            # Connections that are there and all taken, or none to be had.
            if self._pool.get_stats().get("pool_size", 0) >= self._pool.max_size:
                raise _busy() from error
            self._log_away(error)
            raise DatabaseUnavailable("The database cannot be reached.") from error
        except psycopg.errors.FeatureNotSupported as error:
            if "cached plan" not in (error.diag.message_primary or ""):
                raise
            # A newer version's migration has widened a table: every connection prepares its statements again.
            await self._pool.drain()
            self._log_away(error)
            raise DatabaseUnavailable("The database was changed just now. Try again.") from error
        except psycopg.Error as error:
            meant = _meaning(error)
            if meant is None:
                raise
            if isinstance(meant, DatabaseUnavailable):
                self._log_away(error)
            raise meant from error

    async def _entered(self, stack: AsyncExitStack, begin: LiteralString) -> AsyncConnection[DictRow]:
        try:
            async with asyncio.timeout(WAIT_SECONDS + 1):  # after the pool's own, which knows more
                connection = await stack.enter_async_context(self._pool.connection())  # which commits, or rolls back
                await connection.execute(begin, prepare=False)
        except TimeoutError as error:
            self._log_away(error)
            raise DatabaseUnavailable("The database does not answer.") from error
        return connection

    def _log_away(self, error: BaseException) -> None:
        """At most one line in LOGGED_EVERY_S, however many ask meanwhile."""
        now = time.monotonic()
        if now - self._logged_at >= LOGGED_EVERY_S:
            self._logged_at = now
            log.warning("database_away", error=type(error).__name__, sqlstate=getattr(error, "sqlstate", None))


async def check_not_closed(connection: AsyncConnection[Any]) -> None:
    """A pool's check of a connection that it hands out. The database sends to one that waits only to close it, to
    inform of changed settings, or to notify: without anything to read there is nothing to ask. Raises
    psycopg.OperationalError."""
    if _has_something_to_read(connection):
        await AsyncConnectionPool.check_connection(connection)


def _has_something_to_read(connection: AsyncConnection[Any]) -> bool:
    if not hasattr(select, "poll"):
        return bool(select.select([connection.fileno()], [], [], 0)[0])
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def noticing_a_lost_machine(dsn: str) -> dict[str, int]:
    """LOST_MACHINE, without what the address itself says."""
    given = conninfo_to_dict(dsn)
    return {name: value for name, value in LOST_MACHINE.items() if name not in given}


def _busy() -> DatabaseBusy:
    return DatabaseBusy("More is asked of this server's database just now than it answers in time. Try again shortly.")


def _meaning(error: psycopg.Error) -> ServerError | None:
    """What an error of the database means to the application; None for a fault of ours. The PT codes are those of
    `supabase/migrations`."""
    text = error.diag.message_primary or ""
    match error.sqlstate:
        case "PT404":
            return NotFound(text)
        case "PT403":
            return NotAllowed(text)
        case "PT400":
            return BadRequest(text)
        case "PT409":
            return Conflict(text) if error.diag.message_detail == "account" else TurnInProgress(text)
        case "PT402":
            return LimitExceeded(decision(json.loads(error.diag.message_detail or "{}")))
        case "23505":
            return BadRequest("Something with this id exists already. Choose a new one.")
        case _:
            return DatabaseUnavailable("The database cannot be reached.") if is_lost(error) else None


def is_lost(error: psycopg.Error) -> bool:
    """Connection failures (class 08, or no class), a server that starts or shuts down (57P), too many clients (53)."""
    state = error.sqlstate
    if state is None:
        return isinstance(error, psycopg.OperationalError)
    return state.startswith(("08", "57P", "53"))


def decision(row: dict[str, Any]) -> Decision:
    """The Decision in a row of `reserve_chat_turn` or `reserve_trace_upload`."""
    return Decision(
        allowed=row["allowed"],
        plan_name=row["plan_name"],
        messages_used=row.get("messages_used", 0),
        messages_limit=row.get("messages_limit"),
        limit_type=LimitType(row["limit_type"]) if row["limit_type"] is not None else None,
        used=row["used"],
        limit=row["limit"],
        resets_at=row["resets_at"],
        of_account=bool(row.get("of_account")),
    )
