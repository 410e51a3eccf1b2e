"""How many broadcasts may be sent to Realtime, counted for all processes in one row."""

import psycopg
import structlog

from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.errors import ServerError

log = structlog.get_logger(__name__)


class BroadcastBudget:
    """Call it with the number of broadcasts to send; it answers how many may be sent now: none while the database
    cannot be asked."""

    def __init__(self, database: Database, *, per_second: int) -> None:
        self._database = database
        self._per_second = per_second

    async def __call__(self, requested: int) -> int:
        parameters = {"requested": requested, "per_second": self._per_second}
        try:
            async with self._database.transaction() as connection:
                await connection.execute("set local synchronous_commit = off")
                row = await (await connection.execute(statement("take_broadcasts"), parameters)).fetchone()
        except (ServerError, psycopg.Error) as error:
            log.warning("broadcasts_not_counted", error=type(error).__name__)
            return 0
        return 0 if row is None else int(row["taken"])
