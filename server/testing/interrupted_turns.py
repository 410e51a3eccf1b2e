"""Turns that wait for the page, in dictionaries: the twin of PostgresInterrupts."""

from dataclasses import replace
from typing import Any

from server.adapters.storable import known_id, not_found, storable_json
from server.errors import NotFound
from server.ports.conversations import TurnRow
from server.ports.core_memory import BY_PROGRAM
from server.ports.identity import Caller
from server.protocol.mounted import NOBODY_THERE
from server.protocol.wire_values import AskedOfPage
from server.testing.session_access import MemorySessionAccess


class MemoryInterrupts(MemorySessionAccess):
    """That part of MemoryConversations."""

    async def interrupt_turn(self, turn_id: str, interrupt: AskedOfPage, *, attempt: int) -> bool:
        turn_id = str(known_id(turn_id, "turn"))
        session = next((one for one in self._sessions.values() if turn_id in one.turns), None)
        turn = None if session is None else session.turns[turn_id]
        if session is None or turn is None or turn.status.has_ended or turn.cancel_requested:
            return False
        if turn.attempt != attempt or turn.owner is None:
            return False
        session.turns[turn_id] = replace(
            turn, interrupt=interrupt, interrupt_result=None, handed_over=turn.handed_over + 1, owner=None
        )
        return True

    async def turn_of_interrupt(self, caller: Caller, interrupt_id: str) -> TurnRow:
        interrupt_id = str(known_id(interrupt_id, "interrupt"))
        found: TurnRow | None = next(
            (turn for turn in self._asked() if turn.interrupt.interrupt_id == interrupt_id), None
        )
        if (
            found is None
            or found.user_id != caller.user_id
            or not self._may_write(caller, self._sessions[found.session_id].row)
        ):
            raise not_found("interrupt")
        return found

    async def waiting_turn(self, caller: Caller, session_id: str) -> TurnRow | None:
        session_id = str(known_id(session_id, "conversation"))
        waiting = (turn for turn in self._asked() if turn.session_id == session_id and _still_waits(turn))
        return next((turn for turn in waiting if self._may_read(caller, self._sessions[turn.session_id].row)), None)

    async def resume_turn(
        self, caller: Caller, interrupt_id: str, result: dict[str, Any], *, context: dict[str, Any] | None = None
    ) -> TurnRow | None:
        try:
            turn = await self.turn_of_interrupt(caller, interrupt_id)
        except NotFound:
            return None
        if turn.interrupt is None or not _still_waits(turn) or turn.interrupt.expires_at <= self._clock.now():
            return None
        seen = turn.context
        if context is not None:
            seen = storable_json(context) | ({BY_PROGRAM: seen[BY_PROGRAM]} if seen.get(BY_PROGRAM) else {})
        return self._answered(turn, storable_json(result), seen)

    async def expire_interrupts(self) -> list[TurnRow]:
        now = self._clock.now()
        late = [turn for turn in self._asked() if _still_waits(turn) and turn.interrupt.expires_at <= now]
        return [self._answered(turn, NOBODY_THERE, turn.context) for turn in late]

    def let_expire(self, interrupt_id: str) -> None:
        """As if it had waited as long as it should."""
        for turn in self._asked():
            if turn.interrupt.interrupt_id == interrupt_id:
                asked = turn.interrupt.model_copy(update={"expires_at": self._clock.now()})
                self._sessions[turn.session_id].turns[turn.turn_id] = replace(turn, interrupt=asked)

    def _asked(self) -> list[Any]:
        turns = (turn for session in self._sessions.values() for turn in session.turns.values())
        return [turn for turn in turns if turn.interrupt is not None]

    def _answered(self, turn: TurnRow, result: dict[str, Any], context: dict[str, Any]) -> TurnRow:
        answered = replace(turn, interrupt_result=result, context=context)
        self._sessions[turn.session_id].turns[turn.turn_id] = answered
        return answered


def _still_waits(turn: TurnRow) -> bool:
    return turn.waits_for_page and not turn.status.has_ended and not turn.cancel_requested
