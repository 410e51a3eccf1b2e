"""Sessions, turns and messages in dictionaries: the twin of PostgresConversations, by the rules of
`supabase/migrations/*_turns.sql`. Nothing here awaits between a look and its change, which is its lock."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from limits.plans import OverBudget
from limits.refusals import Decision, LimitType
from server.adapters.storable import (
    known_id,
    new_id,
    not_found,
    storable_json,
    storable_text,
    too_many_answering,
)
from server.errors import BadRequest, TurnInProgress
from server.ports.conversations import (
    FoundSession,
    MessageRow,
    NewMessage,
    Reserved,
    Sender,
    SessionRow,
    SessionSearch,
    TurnEnding,
    TurnRequest,
    TurnRow,
    TurnStatus,
)
from server.ports.identity import Caller
from server.ports.request_ids import RunFacts
from server.ports.teams import Role
from server.protocol.wire_values import LimitsView
from server.testing.account_state import Standing
from server.testing.interrupted_turns import MemoryInterrupts
from server.testing.session_state import MemorySession, is_id, superseding
from server.testing.trace_records import MemoryTraceRecords


class MemoryConversations(MemoryInterrupts):
    """Conversations about the traces of MemoryTraceRecords."""

    def __init__(self, traces: MemoryTraceRecords) -> None:
        self._traces = traces
        self._accounts = traces.accounts
        self._clock = traces.accounts.clock
        self._sessions: dict[str, MemorySession] = {}
        self.runs: dict[str, RunFacts] = {}
        traces.on_delete.append(self._forget_trace)
        traces.pictures_of = self._pictures_of
        traces.lengths_of = self._lengths_of
        traces.session_of = lambda caller, session_id: self._find(caller, session_id).row
        traces.session_to_change = lambda caller, session_id: self._to_change(caller, session_id).row

    async def open_session(self, caller: Caller, *, trace_id: str, session_id: str) -> SessionRow:
        session_id = str(new_id(session_id, "conversation", "sessionId"))
        trace_id = str(known_id(trace_id, "trace"))
        if session_id not in self._sessions:
            trace = await self._traces.get(caller, trace_id)
            self._accounts.require(caller.user_id, trace.account_id, Role.MEMBER)
            now = self._clock.now()
            row = SessionRow(
                session_id=session_id,
                account_id=trace.account_id,
                user_id=caller.user_id,
                trace_id=trace_id,
                title=None,
                created_at=now,
                updated_at=now,
            )
            self._sessions[session_id] = MemorySession(row)
        session = self._find(caller, session_id)
        if session.row.trace_id != trace_id:
            raise BadRequest("This conversation is about another trace.")
        return session.row

    async def sessions(self, caller: Caller, *, trace_id: str | None = None, limit: int = 100) -> list[SessionRow]:
        trace_filter = None if trace_id is None else str(known_id(trace_id, "trace"))
        found = [
            session.row
            for session in self._sessions.values()
            if session.turns
            and session.row.account_id == caller.account_id
            and self._may_read(caller, session.row)
            and trace_filter in (None, session.row.trace_id)
        ]
        return sorted(found, key=lambda row: row.updated_at, reverse=True)[:limit]

    async def found_sessions(self, caller: Caller, search: SessionSearch) -> list[FoundSession]:
        found = []
        for row in await self.sessions(caller, trace_id=search.trace_id, limit=len(self._sessions)):
            trace = await self._traces.get(caller, row.trace_id)
            found += self._sessions[row.session_id].found(search, trace)
        return found[search.offset : search.offset + search.limit]

    async def delete_session(self, caller: Caller, session_id: str) -> list[str]:
        session = self._to_change(caller, session_id)
        if session.has_unended_turn:
            raise TurnInProgress("This conversation is still answering: stop it first.")
        del self._sessions[session.row.session_id]
        return [message.image_path for message in session.messages if message.image_path is not None]

    async def accept_turn(
        self, request: TurnRequest, *, queue_behind: bool = False, most_answering: int | None = None
    ) -> Reserved:
        decided = await self.reserve_turn(request, queue_behind=queue_behind, most_answering=most_answering)
        turn_id = str(new_id(request.turn_id, "turn", "turnId"))
        session = self._holding(turn_id)
        return Reserved(decided, has_ended=session is not None and session.turns[turn_id].status.has_ended)

    async def reserve_turn(
        self, request: TurnRequest, *, queue_behind: bool = False, most_answering: int | None = None
    ) -> Decision:
        caller = request.caller
        turn_id = str(new_id(request.turn_id, "turn", "turnId"))
        is_new = str(new_id(request.session_id, "conversation", "sessionId")) not in self._sessions
        row = await self.open_session(caller, trace_id=request.trace_id, session_id=request.session_id)
        self._to_write(caller, row.session_id)
        decided = self._reserved(request, turn_id, row, queue_behind=queue_behind, most_answering=most_answering)
        if is_new and not decided.allowed:
            del self._sessions[row.session_id]
        return decided

    def _reserved(
        self, request: TurnRequest, turn_id: str, row: SessionRow, *, queue_behind: bool, most_answering: int | None
    ) -> Decision:
        caller, session = request.caller, self._sessions[row.session_id]
        earlier = self._holding(turn_id)
        if earlier is not None:
            if earlier is not session:
                raise BadRequest(f"The turn id {turn_id} is taken.")
            turn = session.turns[turn_id]
            return Decision(
                allowed=True,
                plan_name=turn.plan_name,
                messages_used=turn.messages_used,
                messages_limit=turn.messages_limit,
            )
        if session.has_unended_turn and not queue_behind:
            raise TurnInProgress("This conversation is still answering.")
        request = superseding(session, request)
        standing = self._accounts.standing(caller.user_id)
        plan = standing.plan
        used, limit = session.messages_counted, plan.chat_messages_per_session
        if limit is not None and used >= limit:
            return standing.refuse(LimitType.SESSION_MESSAGES, used, limit, messages=used)
        answering = {
            one.row.session_id
            for one in self._sessions.values()
            if any(turn.user_id == caller.user_id and not turn.status.has_ended for turn in one.turns.values())
        }
        if most_answering is not None and len(answering | {row.session_id}) > most_answering:
            raise too_many_answering(most_answering)
        account_id = session.row.account_id
        over = None if request.bound is None else self._accounts.over_budget(caller.user_id, account_id)
        if over is not None and plan.over_budget is OverBudget.REFUSE:
            return replace(over, messages_used=used)
        refused = session.count(standing, turn_id, messages=used)
        if refused is not None:
            return refused
        self._add_turn(session, request, turn_id, used + 1, standing)
        if request.bound is not None and over is None:
            for budget, _, _ in self._accounts.budgets_of(caller.user_id, account_id):
                budget.hold_turn(turn_id, request.bound)
        return Decision(allowed=True, plan_name=plan.name, messages_used=used + 1, messages_limit=limit)

    async def turn(self, caller: Caller, turn_id: str) -> TurnRow:
        return self._find_turn(caller, turn_id)[1]

    def turns_of(self, session_id: str) -> list[TurnRow]:
        """All of a session, oldest first; none of one that is gone."""
        session = self._sessions.get(session_id)
        return [] if session is None else list(session.turns.values())

    async def start_turn(self, turn_id: str, *, owner: str, run: RunFacts | None = None) -> TurnRow | None:
        turn_id = str(known_id(turn_id, "turn"))
        session = self._holding(turn_id)
        if session is None:
            return None
        turn = session.turns[turn_id]
        if turn.status.has_ended or turn.cancel_requested or turn.waits_for_page:
            return None
        if run is not None:
            self.runs[turn_id] = run
        order = list(session.turns)
        before = set(order[: order.index(turn_id)])
        if any(not session.turns[earlier].status.has_ended for earlier in before):
            raise TurnInProgress("An earlier question of this conversation has not been answered yet.")
        session.turns[turn_id] = turn = replace(turn, status=TurnStatus.RUNNING, attempt=turn.attempt + 1, owner=owner)
        for prompt in [m for m in session.messages if m.turn_id == turn_id and m.sender is Sender.USER]:
            if any(m.position > prompt.position and m.turn_id in before for m in session.messages):
                session.messages.remove(prompt)
                session.messages.append(replace(prompt, position=session.next_position))
        plan = self._accounts.standing(turn.user_id).plan
        return replace(turn, plan_name=plan.name, messages_limit=plan.chat_messages_per_session)

    async def hand_over_turn(self, turn_id: str, *, attempt: int) -> None:
        session = self._holding(str(known_id(turn_id, "turn")))
        turn = None if session is None else session.turns[turn_id]
        if session is None or turn is None or turn.status.has_ended:
            return
        if turn.attempt == attempt and turn.owner is not None:
            session.turns[turn_id] = replace(turn, handed_over=turn.handed_over + 1, owner=None)

    async def request_cancel(self, caller: Caller, turn_id: str) -> TurnRow:
        session, turn = self._find_turn(caller, turn_id)
        self._to_write(caller, session.row.session_id)
        if not turn.status.has_ended:
            session.turns[turn.turn_id] = turn = replace(turn, cancel_requested=True)
        return turn

    async def end_turn(
        self, turn_id: str, ending: TurnEnding, *, attempt: int | None = None
    ) -> list[MessageRow] | None:
        turn_id = str(known_id(turn_id, "turn"))
        if not ending.status.has_ended:
            raise BadRequest(f"A turn cannot end as {ending.status}.")
        session = self._holding(turn_id)
        if session is None or session.turns[turn_id].status.has_ended:
            return None
        turn = session.turns[turn_id]
        if attempt not in (None, turn.attempt):
            return None
        session.turns[turn_id] = replace(turn, status=ending.status, model=ending.model or turn.model)
        for budget, _, _ in self._accounts.budgets_of(turn.user_id, turn.account_id):
            budget.close(turn_id)
        stored = [session.append(turn_id, message, self._clock.now()) for message in ending.messages]
        title = None if ending.title is None else storable_text(ending.title)
        session.row = replace(session.row, title=session.row.title or title, updated_at=self._clock.now())
        cancelled_unseen = ending.status is TurnStatus.CANCELLED and not ending.delivered_anything
        if ending.status is TurnStatus.FAILED or cancelled_unseen:
            session.release(turn_id)
        return stored

    async def unended_turn(self, turn_id: str) -> TurnRow | None:
        turn_id = str(known_id(turn_id, "turn"))
        session = self._holding(turn_id)
        return None if session is None or session.turns[turn_id].status.has_ended else session.turns[turn_id]

    async def unended_turns(self) -> list[TurnRow]:
        turns = [turn for session in self._sessions.values() for turn in session.turns.values()]
        return sorted((turn for turn in turns if not turn.status.has_ended), key=lambda turn: turn.created_at)

    async def note_refusal(self, caller: Caller, session_id: str, note: NewMessage) -> bool:
        session = self._sessions.get(str(known_id(session_id, "conversation")))
        if session is None or not self._may_write(caller, session.row):
            return False
        if any(message.message_id == note.message_id for message in session.messages):
            return False
        session.append(None, note, self._clock.now())
        return True

    async def sweep_sessions(self) -> int:
        since = datetime.now(UTC) - timedelta(days=1)
        for session in (empty := [one for one in self._sessions.values() if one.is_empty_since(since)]):
            del self._sessions[session.row.session_id]
        return len(empty)

    async def pictures_of_nobody(self, paths: Sequence[str]) -> list[str]:
        turns = {turn_id: session for session in self._sessions.values() for turn_id in session.turns}
        free = []
        for path in paths:
            _, turn_id, *names = path.split("/") if path.count("/") == 2 else ("", "")
            session = turns.get(turn_id)
            may_be_used = session is not None and (
                not session.turns[turn_id].status.has_ended or any(m.image_path == path for m in session.messages)
            )
            if names and is_id(turn_id) and not may_be_used:
                free.append(path)
        return free

    async def messages(
        self, caller: Caller, session_id: str, *, before: int | None = None, limit: int = 200
    ) -> list[MessageRow]:
        session = self._find(caller, session_id)
        messages = sorted(session.messages, key=lambda message: message.position)
        older = [
            replace(message, feedback=session.feedback.get((message.message_id, caller.user_id)))
            for message in messages
            if (before is None or message.position < before) and message.turn_id not in session.superseded
        ]
        return older[max(len(older) - limit, 0) :]

    async def versions(self, caller: Caller, session_id: str) -> dict[str, tuple[str, ...]]:
        return self._find(caller, session_id).versions

    async def messages_of_turn(self, caller: Caller, session_id: str, turn_id: str) -> list[MessageRow]:
        session = self._find(caller, session_id)
        turn_id = str(known_id(turn_id, "turn"))
        found = [
            replace(message, feedback=session.feedback.get((message.message_id, caller.user_id)))
            for message in sorted(session.messages, key=lambda message: message.position)
            if message.turn_id == turn_id
        ]
        if not found:
            raise not_found("turn")
        return found

    async def rate_message(
        self, caller: Caller, message_id: str, *, score: int, reason: str | None = None
    ) -> str | None:
        message_id = str(known_id(message_id, "message"))
        for session in self._sessions.values():
            if self._may_read(caller, session.row):
                for message in session.messages:
                    if message.message_id == message_id:
                        if message.sender is not Sender.MODEL:
                            raise BadRequest("Only answers can be rated.")
                        session.feedback[message_id, caller.user_id] = score
                        return message.turn_id
        raise not_found("message")

    def turns_with_messages(self) -> list[tuple[TurnRow, list[MessageRow], dict[tuple[str, str], int]]]:
        """All of everybody, each with its messages, and what people thought of them by message and person."""
        return [
            (turn, [one for one in session.messages if one.turn_id == turn.turn_id], session.feedback)
            for session in self._sessions.values()
            for turn in session.turns.values()
        ]

    async def limits(self, caller: Caller, session_id: str | None) -> LimitsView:
        standing = self._accounts.standing(caller.user_id)
        session = None if session_id is None else self._sessions.get(str(known_id(session_id, "conversation")))
        may_read = session is not None and self._may_read(caller, session.row)
        return LimitsView(
            plan_name=standing.plan.name,
            messages_used=session.messages_counted if session is not None and may_read else 0,
            messages_limit=standing.plan.chat_messages_per_session,
            sessions_used=standing.sessions_used,
            sessions_limit=standing.sessions_limit,
            resets_at=standing.resets_at,
        )

    def _add_turn(
        self, session: MemorySession, request: TurnRequest, turn_id: str, messages_used: int, standing: Standing
    ) -> None:
        now = self._clock.now()
        session.turns[turn_id] = TurnRow(
            turn_id=turn_id,
            session_id=session.row.session_id,
            trace_id=session.row.trace_id,
            account_id=session.row.account_id,
            user_id=request.caller.user_id,
            kind=request.kind,
            status=TurnStatus.ACCEPTED,
            prompt=storable_text(request.prompt),
            model=request.model,
            context=storable_json(request.context),
            attempt=0,
            handed_over=0,
            cancel_requested=False,
            plan_name=standing.plan.name,
            messages_used=messages_used,
            messages_limit=standing.plan.chat_messages_per_session,
            created_at=now,
            supersedes=request.supersedes,
            request_id=None if request.ids is None else request.ids.request_id,
            request_trace_id=None if request.ids is None else request.ids.trace_id,
            api_key_id=None if request.caller.key is None else request.caller.key.key_id,
        )
        prompt = NewMessage(message_id=str(uuid4()), sender=Sender.USER, text=request.prompt)
        session.append(turn_id, prompt, now)
        session.row = replace(session.row, updated_at=now)

    def _pictures_of(self, trace_id: str) -> list[str] | None:
        about = [session for session in self._sessions.values() if session.row.trace_id == trace_id]
        if any(session.has_unended_turn for session in about):
            return None
        return [m.image_path for session in about for m in session.messages if m.image_path is not None]

    def _lengths_of(self, user_id: str) -> list[int]:
        return [session.messages_counted for session in self._sessions.values() if session.row.user_id == user_id]

    def _forget_trace(self, trace_id: str) -> None:
        for session_id in [key for key, session in self._sessions.items() if session.row.trace_id == trace_id]:
            del self._sessions[session_id]
