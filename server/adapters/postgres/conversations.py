"""Sessions, turns and messages in PostgreSQL. What may be and what counts is decided by the database's functions."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from limits.refusals import Decision
from server.adapters.postgres.interrupts import PostgresInterrupts
from server.adapters.postgres.pool import Database, decision
from server.adapters.postgres.statements import statement
from server.adapters.postgres.turn_queue import PostgresTurnQueue
from server.adapters.postgres.turn_rows import turn_row
from server.adapters.storable import (
    known_id,
    new_id,
    not_found,
    storable_json,
    storable_text,
    too_many_answering,
)
from server.errors import NotFound, TurnInProgress
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
    Visibility,
)
from server.ports.identity import Caller
from server.ports.queue import TurnJob
from server.ports.request_ids import RunFacts
from server.protocol.wire_values import LimitsView


class PostgresConversations(PostgresInterrupts):
    """Conversations over a Database. With a queue, a turn's job is made in the transaction that accepts the turn."""

    def __init__(self, database: Database, queue: PostgresTurnQueue | None = None) -> None:
        super().__init__(database)
        self._queue = queue

    async def open_session(self, caller: Caller, *, trace_id: str, session_id: str) -> SessionRow:
        parameters = {
            "session_id": new_id(session_id, "conversation", "sessionId"),
            "trace_id": known_id(trace_id, "trace"),
            "user_id": caller.user_id,
        }
        return _session(await self._one("open_session", parameters, "conversation"))

    async def session(self, caller: Caller, session_id: str) -> SessionRow:
        parameters = {"session_id": known_id(session_id, "conversation"), "user_id": caller.user_id}
        return _session(await self._one("session", parameters, "conversation"))

    async def sessions(self, caller: Caller, *, trace_id: str | None = None, limit: int = 100) -> list[SessionRow]:
        parameters = {
            "user_id": caller.user_id,
            "account_id": caller.account_id,
            "trace_id": None if trace_id is None else known_id(trace_id, "trace"),
            "limit": limit,
        }
        return [_session(row) for row in await self._all("sessions", parameters)]

    async def found_sessions(self, caller: Caller, search: SessionSearch) -> list[FoundSession]:
        parameters = {
            "user_id": caller.user_id,
            "account_id": caller.account_id,
            "text": storable_text(search.text),
            "archived": search.archived,
            "trace_id": None if search.trace_id is None else known_id(search.trace_id, "trace"),
            "limit": search.limit,
            "offset": search.offset,
        }
        rows = await self._all("found_sessions", parameters)
        return [FoundSession(_session(row), row["trace_name"], row["passage"]) for row in rows]

    async def archive_session(self, caller: Caller, session_id: str, *, archived: bool) -> SessionRow:
        parameters = {
            "session_id": known_id(session_id, "conversation"),
            "user_id": caller.user_id,
            "archived": archived,
        }
        return _session(await self._one("archive_session", parameters, "conversation"))

    async def rename_session(self, caller: Caller, session_id: str, title: str) -> SessionRow:
        parameters = {
            "session_id": known_id(session_id, "conversation"),
            "user_id": caller.user_id,
            "title": storable_text(title),
        }
        return _session(await self._one("rename_session", parameters, "conversation"))

    async def show_session(self, caller: Caller, session_id: str, visibility: Visibility) -> SessionRow:
        parameters = {
            "session_id": known_id(session_id, "conversation"),
            "user_id": caller.user_id,
            "visibility": visibility.value,
        }
        return _session(await self._one("show_session", parameters, "conversation"))

    async def delete_session(self, caller: Caller, session_id: str) -> list[str]:
        parameters = {"session_id": known_id(session_id, "conversation"), "user_id": caller.user_id}
        return [row["picture"] for row in await self._all("delete_session", parameters)]

    async def reserve_turn(
        self, request: TurnRequest, *, queue_behind: bool = False, most_answering: int | None = None
    ) -> Decision:
        return (await self.accept_turn(request, queue_behind=queue_behind, most_answering=most_answering)).decision

    async def accept_turn(
        self, request: TurnRequest, *, queue_behind: bool = False, most_answering: int | None = None
    ) -> Reserved:
        try:
            return await self._accepted(request, queue_behind=queue_behind, most_answering=most_answering)
        except NotFound:
            # Who may read the session and not ask in it is refused as that.
            session_id = known_id(request.session_id, "conversation")
            await self._all("session_to_write", {"session_id": session_id, "user_id": request.caller.user_id})
            raise

    async def _accepted(self, request: TurnRequest, *, queue_behind: bool, most_answering: int | None) -> Reserved:
        parameters = {
            "user_id": request.caller.user_id,
            "trace_id": known_id(request.trace_id, "trace"),
            "session_id": new_id(request.session_id, "conversation", "sessionId"),
            "turn_id": new_id(request.turn_id, "turn", "turnId"),
            "kind": request.kind.value,
            "prompt": storable_text(request.prompt),
            "context": Jsonb(storable_json(request.context)),
            "model": request.model,
            "queue_behind": queue_behind,
            "supersedes": None if request.supersedes is None else known_id(request.supersedes, "turn"),
        }
        decided: Decision | None = None
        ahead: int | None = None
        has_ended = False
        async with self._database.prompt_transaction() as connection:
            row = await (await connection.execute(statement("reserve_turn"), parameters)).fetchone()
            if row is None:
                raise not_found("conversation")
            decided = decision(row)
            if not decided.allowed:
                raise psycopg.Rollback  # a session that was made for a prompt which is refused goes with it
            if request.ids is not None:
                key = request.caller.key
                named = parameters | {
                    "request_id": request.ids.request_id,
                    "request_trace_id": request.ids.trace_id,
                    "api_key_id": None if key is None else key.key_id,
                }
                await connection.execute(statement("note_request"), named)
            if most_answering is not None:
                standing = await (await connection.execute(statement("sessions_answering"), parameters)).fetchone()
                if standing is not None and standing["answering"] > most_answering:
                    raise too_many_answering(most_answering)
            if request.bound is not None:
                bound = {"bound_usd": request.bound.cost_usd, "bound_tokens": request.bound.tokens}
                row = await (await connection.execute(statement("hold_turn_budget"), parameters | bound)).fetchone()
                if row is not None and not row["allowed"]:
                    decided = replace(decision(row), messages_limit=decided.messages_limit)
                    raise psycopg.Rollback
            if self._queue is not None:
                job = TurnJob(str(parameters["turn_id"]), str(parameters["session_id"]))
                ahead = await self._queue.put_within(connection, job)
                has_ended = ahead is None
        if decided is None:
            raise not_found("conversation")
        return Reserved(decided, has_ended=has_ended, ahead=ahead)

    async def note_refusal(self, caller: Caller, session_id: str, note: NewMessage) -> bool:
        parameters = {
            "user_id": caller.user_id,
            "session_id": known_id(session_id, "conversation"),
            "message_id": note.message_id,
            "sender": note.sender.value,
            "text": storable_text(note.text),
            "metadata": Jsonb(storable_json(note.metadata)),
        }
        async with self._database.prompt_transaction() as connection:
            is_new = await (await connection.execute(statement("may_note_refusal"), parameters)).fetchone()
            if is_new is None or not is_new["may"]:
                return False
            await connection.execute(statement("lock_session"), parameters)
            return bool((await connection.execute(statement("note_refusal"), parameters)).rowcount)

    async def sweep_sessions(self) -> int:
        return len(await self._all("sweep_sessions", {}))

    async def turn(self, caller: Caller, turn_id: str) -> TurnRow:
        parameters = {"turn_id": known_id(turn_id, "turn"), "user_id": caller.user_id}
        return turn_row(await self._one("turn", parameters, "turn"))

    async def start_turn(self, turn_id: str, *, owner: str, run: RunFacts | None = None) -> TurnRow | None:
        parameters = {"turn_id": known_id(turn_id, "turn"), "owner": owner}
        async with self._database.transaction() as connection:
            standing = await (await connection.execute(statement("stands_behind"), parameters)).fetchone()
            if standing is not None and standing["waits"]:
                raise TurnInProgress("An earlier question of this conversation has not been answered yet.")
            row = await (await connection.execute(statement("start_turn"), parameters)).fetchone()
            if row is not None and run is not None:
                await connection.execute(statement("note_run"), parameters | asdict(run))
        return None if row is None else turn_row(row)

    async def hand_over_turn(self, turn_id: str, *, attempt: int) -> None:
        parameters = {"turn_id": known_id(turn_id, "turn"), "attempt": attempt}
        async with self._database.transaction() as connection:
            await connection.execute(statement("hand_over_turn"), parameters)

    async def request_cancel(self, caller: Caller, turn_id: str) -> TurnRow:
        parameters = {"turn_id": known_id(turn_id, "turn"), "user_id": caller.user_id}
        return turn_row(await self._one("request_cancel", parameters, "turn"))

    async def end_turn(
        self, turn_id: str, ending: TurnEnding, *, attempt: int | None = None
    ) -> list[MessageRow] | None:
        parameters = {
            "turn_id": known_id(turn_id, "turn"),
            "status": ending.status.value,
            "messages": Jsonb([_stored(message) for message in ending.messages]),
            "title": None if ending.title is None else storable_text(ending.title),
            "error_code": ending.error_code,
            "model": ending.model,
            "prompt_version": ending.prompt_version,
            "input_tokens": ending.input_tokens,
            "output_tokens": ending.output_tokens,
            "delivered_anything": ending.delivered_anything,
        }
        ids = [new_id(message.message_id, "message", "messageId") for message in ending.messages]
        async with self._database.transaction() as connection:
            if attempt is not None:
                holds = {"turn_id": parameters["turn_id"], "attempt": attempt}
                holder = await (await connection.execute(statement("holds_turn"), holds)).fetchone()
                if holder is None or not holder["holds"]:
                    return None
            row = await (await connection.execute(statement("end_turn"), parameters)).fetchone()
            if row is None or not row["ended"]:
                return None
            sums = {"turn_id": parameters["turn_id"], "cost_usd": ending.cost_usd}
            await connection.execute(statement("turn_sums"), sums)
            stored = await connection.execute(statement("messages_by_id"), {"message_ids": ids})
            return [_message(message) for message in await stored.fetchall()]

    async def unended_turn(self, turn_id: str) -> TurnRow | None:
        rows = await self._all("unended_turn", {"turn_id": known_id(turn_id, "turn")})
        return turn_row(rows[0]) if rows else None

    async def unended_turns(self) -> list[TurnRow]:
        return [turn_row(row) for row in await self._all("unended_turns", {})]

    async def pictures_of_nobody(self, paths: Sequence[str]) -> list[str]:
        return [row["path"] for row in await self._all("pictures_of_nobody", {"paths": list(paths)})]

    async def messages(
        self, caller: Caller, session_id: str, *, before: int | None = None, limit: int = 200
    ) -> list[MessageRow]:
        parameters = {
            "session_id": known_id(session_id, "conversation"),
            "user_id": caller.user_id,
            "before": before,
            "limit": limit,
        }
        async with self._database.transaction() as connection:
            if await (await connection.execute(statement("session"), parameters)).fetchone() is None:
                raise not_found("conversation")
            newest_first = await (await connection.execute(statement("messages"), parameters)).fetchall()
        return [_message(row) for row in reversed(newest_first)]

    async def versions(self, caller: Caller, session_id: str) -> dict[str, tuple[str, ...]]:
        parameters = {"session_id": known_id(session_id, "conversation"), "user_id": caller.user_id}
        async with self._database.transaction() as connection:
            if await (await connection.execute(statement("session"), parameters)).fetchone() is None:
                raise not_found("conversation")
            rows = await (await connection.execute(statement("versions"), parameters)).fetchall()
        return {str(row["turn_id"]): tuple(map(str, row["earlier"])) for row in rows}

    async def messages_of_turn(self, caller: Caller, session_id: str, turn_id: str) -> list[MessageRow]:
        parameters = {
            "session_id": known_id(session_id, "conversation"),
            "user_id": caller.user_id,
            "turn_id": known_id(turn_id, "turn"),
        }
        async with self._database.transaction() as connection:
            if await (await connection.execute(statement("session"), parameters)).fetchone() is None:
                raise not_found("conversation")
            rows = await (await connection.execute(statement("messages_of_turn"), parameters)).fetchall()
        if not rows:
            raise not_found("turn")
        return [_message(row) for row in rows]

    async def rate_message(
        self, caller: Caller, message_id: str, *, score: int, reason: str | None = None
    ) -> str | None:
        parameters = {
            "user_id": caller.user_id,
            "message_id": known_id(message_id, "message"),
            "score": score,
            "reason": None if reason is None else storable_text(reason),
        }
        async with self._database.transaction() as connection:
            await connection.execute(statement("rate_message"), parameters)
            row = await (await connection.execute(statement("turn_of_message"), parameters)).fetchone()
        return None if row is None or row["turn_id"] is None else str(row["turn_id"])

    async def limits(self, caller: Caller, session_id: str | None) -> LimitsView:
        parameters = {
            "user_id": caller.user_id,
            "session_id": None if session_id is None else known_id(session_id, "conversation"),
        }
        row = await self._one("limits", parameters, "user")
        return LimitsView.model_validate(row)

    async def _one(self, name: str, parameters: dict[str, Any], what: str) -> DictRow:
        """The row of a statement that finds one thing. Raises NotFound."""
        async with self._database.transaction() as connection:
            row = await (await connection.execute(statement(name), parameters)).fetchone()
        if row is None:
            raise not_found(what)
        return row

    async def _all(self, name: str, parameters: dict[str, Any]) -> list[DictRow]:
        async with self._database.transaction() as connection:
            return await (await connection.execute(statement(name), parameters)).fetchall()


def _session(row: DictRow) -> SessionRow:
    return SessionRow(
        session_id=str(row["id"]),
        account_id=str(row["account_id"]),
        user_id=str(row["user_id"]),
        trace_id=str(row["trace_id"]),
        title=row["title"],
        created_at=row["created_at"].astimezone(UTC),
        updated_at=row["updated_at"].astimezone(UTC),
        archived_at=None if row["archived_at"] is None else row["archived_at"].astimezone(UTC),
        visibility=Visibility(row["visibility"]),
    )


def _message(row: DictRow) -> MessageRow:
    turn_id: UUID | None = row["turn_id"]
    return MessageRow(
        message_id=str(row["id"]),
        session_id=str(row["session_id"]),
        turn_id=None if turn_id is None else str(turn_id),
        position=row["position"],
        sender=Sender(row["sender"]),
        text=row["content_text"],
        image_path=row["content_image_path"],
        tool_name=row["tool_name"],
        tool_call_id=row["tool_call_id"],
        tool_args=row["tool_args_json"],
        tool_status=row["tool_status"],
        metadata=row["metadata"],
        created_at=row["created_at"].astimezone(UTC),
        feedback=row.get("feedback"),
    )


def _stored(message: NewMessage) -> dict[str, Any]:
    """A message as `end_chat_turn` takes it."""
    return {
        "id": message.message_id,
        "sender": message.sender.value,
        "content_text": storable_text(message.text),
        "content_image_path": message.image_path,
        "tool_name": message.tool_name,
        "tool_call_id": message.tool_call_id,
        "tool_args_json": storable_json(message.tool_args),
        "tool_status": message.tool_status,
        "metadata": storable_json(message.metadata),
    }
