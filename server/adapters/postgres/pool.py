"""Connections of the server, each transaction as `service_role`, and what PostgreSQL's refusals mean."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from limits.refusals import Decision, LimitType
from server.errors import (
    BadRequest,
    DatabaseUnavailable,
    LimitExceeded,
    NotAllowed,
    NotFound,
    ServerError,
    TurnInProgress,
)

MAX_CONNECTIONS = 16
"""Connections of one server process. The embedded server allows 200; a statement needs one for a few milliseconds."""

WAIT_SECONDS = 10.0
PREPARE_AFTER = 5


class Database:
    """The database as `flamechat_server` sees it. With `pooler`, no prepared statements: a transaction pooler hands
    each transaction to another connection."""

    def __init__(
        self, server_dsn: str, *, pooler: bool = False, min_connections: int = 1, max_connections: int = MAX_CONNECTIONS
    ) -> None:
        self._pool: AsyncConnectionPool[AsyncConnection[DictRow]] = AsyncConnectionPool(
            server_dsn,
            min_size=min_connections,
            max_size=max_connections,
            timeout=WAIT_SECONDS,
            open=False,
            check=AsyncConnectionPool.check_connection,
            kwargs={
                "autocommit": True,
                "row_factory": dict_row,
                "prepare_threshold": None if pooler else PREPARE_AFTER,
            },
        )

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
    async def transaction(self) -> AsyncIterator[AsyncConnection[DictRow]]:
        """A connection inside a transaction as `service_role`.

        Raises what the database's functions refuse with (NotFound, BadRequest, TurnInProgress, LimitExceeded), and
        DatabaseUnavailable when it cannot be reached.
        """
        try:
            async with self._pool.connection() as connection, connection.transaction():
                await connection.execute("set local role service_role")
                yield connection
        except (PoolTimeout, PoolClosed) as error:
            raise DatabaseUnavailable("The database cannot be reached.") from error
        except psycopg.Error as error:
            meant = _meaning(error)
            if meant is None:
                raise
            raise meant from error


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
            return TurnInProgress(text)
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
    )
