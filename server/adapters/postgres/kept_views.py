"""Long parts of views' addresses in PostgreSQL."""

from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, not_found, storable_text
from server.ports.identity import Caller
from server.ports.kept_views import MOST_VIEWS, LongParts


class PostgresKeptViews:
    """Kept views over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, caller: Caller, trace_id: str, view_id: str, parts: LongParts) -> None:
        named = {
            "user_id": caller.user_id,
            "trace_id": known_id(trace_id, "trace"),
            "view_id": view_id,
            "transforms": storable_text(parts.transforms),
            "find": storable_text(parts.find),
        }
        async with self._database.transaction() as connection:
            if not await (await connection.execute(statement("keep_view"), named)).fetchall():
                raise not_found("trace")
            bounds = {"trace_id": named["trace_id"], "most": MOST_VIEWS}
            await connection.execute(statement("remove_unused_views"), bounds)

    async def parts(self, caller: Caller, trace_id: str, view_id: str) -> LongParts:
        named = {"user_id": caller.user_id, "trace_id": known_id(trace_id, "trace"), "view_id": storable_text(view_id)}
        async with self._database.transaction() as connection:
            rows = await (await connection.execute(statement("kept_view"), named)).fetchall()
        if not rows:
            raise not_found("kept view")
        return LongParts(rows[0]["transforms"], rows[0]["find"])
