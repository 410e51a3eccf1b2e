"""Hashes of the tokens of runs in PostgreSQL."""

from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, not_found
from server.errors import NotFound
from server.ports.run_tokens import RunHolder


class PostgresRunTokens:
    """Run tokens over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def issue(self, run_id: str, holder: RunHolder, token_hash: str) -> None:
        named = {
            "turn_id": known_id(holder.turn_id, "turn"),
            "run_id": run_id,
            "attempt": holder.attempt,
            "token_hash": token_hash,
        }
        async with self._database.transaction() as connection:
            if not await (await connection.execute(statement("issue_run_token"), named)).fetchall():
                raise not_found("turn")

    async def holder(self, run_id: str, token_hash: str) -> RunHolder | None:
        try:
            named = {"run_id": known_id(run_id, "run"), "token_hash": token_hash}
        except NotFound:
            return None
        async with self._database.transaction() as connection:
            rows = await (await connection.execute(statement("holder_of_run_token"), named)).fetchall()
        return RunHolder(str(rows[0]["turn_id"]), rows[0]["attempt"]) if rows else None
