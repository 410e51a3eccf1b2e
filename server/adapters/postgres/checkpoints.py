"""The graph's checkpoints in PostgreSQL."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncCursor
from psycopg.rows import DictRow

from server.adapters.postgres.pool import is_lost
from server.errors import DatabaseUnavailable


class PostgresCheckpoints:
    """Over a pool that sees the libraries' tables. Call it once a turn: a saver does one thing at a time, however many
    connections it has. Savers raise DatabaseUnavailable."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def __call__(self) -> AsyncPostgresSaver:
        return _Saver(self._pool)


class _Saver(AsyncPostgresSaver):
    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        try:
            async with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor
        except psycopg.Error as error:
            if not is_lost(error):
                raise
            raise DatabaseUnavailable("The database cannot be reached.") from error
