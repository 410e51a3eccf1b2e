"""Which files of watched places were taken in, in PostgreSQL."""

from typing import Any

from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import storable_text
from server.ports.watched_files import READING_S, WatchedFile


class PostgresWatchedFiles:
    """Watched files over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, file: WatchedFile, user_id: str) -> bool:
        named = {
            "file_key": file.key,
            "place": storable_text(file.place)[:500],
            "name": storable_text(file.name)[:1000],
            "user_id": user_id,
            "patience_s": READING_S,
        }
        return bool(await self._run("claim_watched_file", named))

    async def end(self, file: WatchedFile, *, trace_id: str | None = None, reason: str | None = None) -> None:
        named = {
            "file_key": file.key,
            "outcome": "read" if reason is None else "refused",
            "reason": None if reason is None else storable_text(reason)[:500],
            "trace_id": trace_id,
        }
        await self._run("end_watched_file", named)

    async def release(self, file: WatchedFile) -> None:
        await self._run("release_watched_file", {"file_key": file.key})

    async def _run(self, name: str, named: dict[str, Any]) -> int:
        async with self._database.transaction() as connection:
            return (await connection.execute(statement(name), named)).rowcount
