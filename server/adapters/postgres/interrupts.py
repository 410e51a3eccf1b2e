"""Turns that wait for the page, in PostgreSQL: asked, answered once, or waited for long enough."""

from datetime import UTC, datetime
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from server.adapters.postgres.statements import statement
from server.adapters.postgres.teams import PostgresMembership
from server.adapters.postgres.turn_rows import turn_row
from server.adapters.storable import known_id, new_id, not_found, storable_json
from server.ports.conversations import TurnRow
from server.ports.core_memory import BY_PROGRAM
from server.ports.identity import Caller
from server.protocol.mounted import NOBODY_THERE
from server.protocol.wire_values import AskedOfPage


class PostgresInterrupts(PostgresMembership):
    """That part of Conversations."""

    async def interrupt_turn(self, turn_id: str, interrupt: AskedOfPage, *, attempt: int) -> bool:
        asked = interrupt.model_dump(mode="json", by_alias=True, include={"tool_call_id", "tool_name", "args"})
        parameters = {
            "turn_id": known_id(turn_id, "turn"),
            "attempt": attempt,
            "interrupt_id": new_id(interrupt.interrupt_id, "interrupt", "interruptId"),
            "interrupt": Jsonb(storable_json(asked)),
            "expires_at": interrupt.expires_at,
            "now": datetime.now(UTC),
        }
        return bool(await self._rows("interrupt_turn", parameters))

    async def turn_of_interrupt(self, caller: Caller, interrupt_id: str) -> TurnRow:
        parameters = {"interrupt_id": known_id(interrupt_id, "interrupt"), "user_id": caller.user_id}
        async with self._database.transaction() as connection:
            row = await (await connection.execute(statement("turn_of_interrupt"), parameters)).fetchone()
        if row is None:
            raise not_found("interrupt")
        return turn_row(row)

    async def waiting_turn(self, caller: Caller, session_id: str) -> TurnRow | None:
        parameters = {"session_id": known_id(session_id, "conversation"), "user_id": caller.user_id}
        rows = await self._rows("waiting_turn", parameters)
        return turn_row(rows[0]) if rows else None

    async def resume_turn(
        self, caller: Caller, interrupt_id: str, result: dict[str, Any], *, context: dict[str, Any] | None = None
    ) -> TurnRow | None:
        parameters = {
            "interrupt_id": known_id(interrupt_id, "interrupt"),
            "user_id": caller.user_id,
            "result": Jsonb(storable_json(result)),
            "context": None if context is None else Jsonb(storable_json(context)),
            "kept": BY_PROGRAM,
        }
        rows = await self._rows("resume_turn", parameters)
        return turn_row(rows[0]) if rows else None

    async def expire_interrupts(self) -> list[TurnRow]:
        return [turn_row(row) for row in await self._rows("expire_interrupts", {"result": Jsonb(NOBODY_THERE)})]

    async def _rows(self, name: str, parameters: dict[str, Any]) -> list[DictRow]:
        async with self._database.transaction() as connection:
            return await (await connection.execute(statement(name), parameters)).fetchall()
