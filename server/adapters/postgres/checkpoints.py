"""The graph's checkpoints in PostgreSQL."""

from typing import Any

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver


class PostgresCheckpoints:
    """Over a pool that sees the libraries' tables. Call it once a turn: a saver does one thing at a time, however many
    connections it has."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def __call__(self) -> AsyncPostgresSaver:
        return AsyncPostgresSaver(self._pool)
