"""The graph's checkpoints in PostgreSQL."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncCursor
from psycopg.rows import DictRow

from server.adapters.postgres.pool import is_lost
from server.adapters.postgres.statements import statement
from server.errors import DatabaseUnavailable


class PostgresCheckpoints:
    """Over a pool that sees the libraries' tables. Call it once a turn: a saver does one thing at a time, however many
    connections it has. Savers raise DatabaseUnavailable."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def __call__(self) -> AsyncPostgresSaver:
        return _Saver(self._pool)


class _Saver(AsyncPostgresSaver):
    """Writes nothing for an attempt that has been overtaken: its heir goes on from the same checkpoints."""

    async def aput(self, config: Any, *args: Any, **kwargs: Any) -> Any:
        await self._hold(config)
        return await super().aput(config, *args, **kwargs)

    async def aput_writes(self, config: Any, *args: Any, **kwargs: Any) -> None:
        await self._hold(config)
        await super().aput_writes(config, *args, **kwargs)

    async def _hold(self, config: Any) -> None:
        place = config["configurable"]
        turn_id, attempt = place["thread_id"].split("/")[1], place.get("attempt")
        if attempt is None:
            return
        async with self._cursor() as cursor:
            await cursor.execute(statement("newer_attempt"), {"turn_id": turn_id, "attempt": attempt})
            if await cursor.fetchone() is not None:
                raise DatabaseUnavailable("Another server has taken this answer up.")

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        try:
            async with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor
        except psycopg.Error as error:
            if not is_lost(error):
                raise
            raise DatabaseUnavailable("The database cannot be reached.") from error
