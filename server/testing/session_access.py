"""Who reads and changes which session in memory: the twin of the view and the functions of
`supabase/migrations/*_private_conversations.sql`."""

from dataclasses import replace
from typing import Any

from server.adapters.storable import known_id, not_found, storable_text
from server.errors import BadRequest, NotAllowed
from server.ports.clock import Clock
from server.ports.conversations import SessionRow, TurnRow, Visibility
from server.ports.identity import Caller
from server.ports.teams import Role
from server.testing.account_state import MemoryAccounts
from server.testing.session_state import MemorySession


class MemorySessionAccess:
    """That part of MemoryConversations."""

    _accounts: MemoryAccounts
    _clock: Clock
    _sessions: dict[str, MemorySession]

    async def role(self, user_id: str, account_id: str) -> Role:
        return self._accounts.role(user_id, account_id)

    async def session(self, caller: Caller, session_id: str) -> SessionRow:
        return self._find(caller, session_id).row

    async def archive_session(self, caller: Caller, session_id: str, *, archived: bool) -> SessionRow:
        return self._changed(caller, session_id, archived_at=self._clock.now() if archived else None)

    async def rename_session(self, caller: Caller, session_id: str, title: str) -> SessionRow:
        return self._changed(caller, session_id, title=storable_text(title))

    async def show_session(self, caller: Caller, session_id: str, visibility: Visibility) -> SessionRow:
        session = self._to_change(caller, session_id)
        if session.row.user_id != caller.user_id:
            raise NotAllowed("Only who began this conversation may do that.")
        others = any(turn.user_id != caller.user_id for turn in session.turns.values())
        if visibility is Visibility.PRIVATE and others:
            raise BadRequest("Others have asked in this conversation: it stays with the account.")
        return self._changed(caller, session_id, visibility=visibility)

    def _changed(self, caller: Caller, session_id: str, **changes: Any) -> SessionRow:
        session = self._to_change(caller, session_id)
        session.row = replace(session.row, **changes)
        return session.row

    def reads(self, caller: Caller, session_id: str) -> bool:
        """Whether a session is there that the caller may read."""
        session = self._sessions.get(session_id)
        return session is not None and self._may_read(caller, session.row)

    def _may_read(self, caller: Caller, row: SessionRow) -> bool:
        is_shown = row.user_id == caller.user_id or row.visibility is Visibility.ACCOUNT
        return is_shown and self._accounts.are_of(caller, row.account_id)

    def _may_write(self, caller: Caller, row: SessionRow) -> bool:
        return self._may_read(caller, row) and self._accounts.role(caller.user_id, row.account_id) is not Role.VIEWER

    def _find(self, caller: Caller, session_id: str) -> MemorySession:
        session = self._sessions.get(str(known_id(session_id, "conversation")))
        if session is None or not self._may_read(caller, session.row):
            raise not_found("conversation")
        return session

    def _to_write(self, caller: Caller, session_id: str) -> MemorySession:
        session = self._find(caller, session_id)
        self._accounts.require(caller.user_id, session.row.account_id, Role.MEMBER)
        return session

    def _to_change(self, caller: Caller, session_id: str) -> MemorySession:
        session = self._to_write(caller, session_id)
        role = self._accounts.role(caller.user_id, session.row.account_id)
        if session.row.user_id != caller.user_id and role is not Role.OWNER:
            raise NotAllowed("Only who began this conversation, or an owner of the account, may do that.")
        return session

    def _holding(self, turn_id: str) -> MemorySession | None:
        return next((session for session in self._sessions.values() if turn_id in session.turns), None)

    def _find_turn(self, caller: Caller, turn_id: str) -> tuple[MemorySession, TurnRow]:
        turn_id = str(known_id(turn_id, "turn"))
        session = self._holding(turn_id)
        if session is None or not self._may_read(caller, session.row):
            raise not_found("turn")
        return session, session.turns[turn_id]
