"""The graph's checkpoints in PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncCursor
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from server.adapters.postgres.pool import is_lost
from server.adapters.postgres.statements import statement
from server.errors import DatabaseUnavailable

INLINE = (str, int, float, bool)
"""What stands in the checkpoint's own row, where the library reads it; other values have rows of theirs."""

OF_NO_NODE = "00000000-0000-0000-0000-000000000000"
"""The library's name for what a command writes, which no checkpoint follows at once."""


class PostgresCheckpoints:
    """Over a pool that sees the libraries' tables. Call it once a turn: a saver does one thing at a time, however many
    connections it has. Savers raise DatabaseUnavailable."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def __call__(self) -> AsyncPostgresSaver:
        return _Saver(self._pool)


class _Saver(AsyncPostgresSaver):
    """Writes nothing for an attempt that has been overtaken: its heir goes on from the same checkpoints.

    A checkpoint is one statement, where the library's own has one for each channel. What a node gives is kept by the
    checkpoint after it alone: nodes run one at a time, so the library's other copy, from which the rest of a
    half-finished step is resumed, would have nothing to save."""

    async def aput(
        self,
        config: Any,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> Any:
        place = config["configurable"]
        values = checkpoint["channel_values"]
        inline = {name: value for name, value in values.items() if value is None or isinstance(value, INLINE)}
        apart = {name: version for name, version in new_versions.items() if name in values and name not in inline}
        thread, namespace = place["thread_id"], place["checkpoint_ns"]
        blobs = await asyncio.to_thread(self._dump_blobs, thread, namespace, values, apart)
        row = {
            "thread_id": thread,
            "namespace": namespace,
            "checkpoint_id": checkpoint["id"],
            "parent_id": place.get("checkpoint_id"),
            "checkpoint": Jsonb({**checkpoint, "channel_values": inline}),
            "metadata": Jsonb(get_serializable_checkpoint_metadata(config, metadata)),
            "channels": [blob[2] for blob in blobs],
            "versions": [blob[3] for blob in blobs],
            "types": [blob[4] for blob in blobs],
            "blobs": [blob[5] for blob in blobs],
        }
        async with self._cursor() as cursor:
            await cursor.execute(statement("keep_checkpoint"), row | _attempt_in(place))
            _refuse_overtaken(await cursor.fetchone())
        return {
            "configurable": {
                "thread_id": thread,
                "checkpoint_ns": namespace,
                "checkpoint_id": checkpoint["id"],
            }
        }

    async def aput_writes(
        self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        if task_id != OF_NO_NODE and not any(channel in WRITES_IDX_MAP for channel, _ in writes):
            return
        async with self._cursor() as cursor:
            await cursor.execute(statement("newer_attempt"), _attempt_in(config["configurable"]))
            _refuse_overtaken(await cursor.fetchone())
        await super().aput_writes(config, writes, task_id, task_path)

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        try:
            async with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor
        except psycopg.Error as error:
            if not is_lost(error):
                raise
            raise DatabaseUnavailable("The database cannot be reached.") from error


def _attempt_in(place: Mapping[str, Any]) -> dict[str, Any]:
    """Which attempt at which turn writes; no attempt is newer than one without a number."""
    return {"turn_id": place["thread_id"].split("/")[1], "attempt": place.get("attempt")}


def _refuse_overtaken(row: DictRow | None) -> None:
    if row is not None and row["overtaken"]:
        raise DatabaseUnavailable("Another server has taken this answer up.")
