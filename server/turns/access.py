"""The only way to a thing that belongs to somebody: one function per kind of object, each answers "may this caller?".

The stores answer only for the caller's accounts (in SQL, by row-level security); these check the row that came back
once more, so that a mistake in a store cannot show one account's things to another.
"""

import hashlib
from dataclasses import dataclass
from typing import TypeVar

from server.errors import NotFound
from server.ports.conversations import Conversations, SessionRow, TurnRow
from server.ports.identity import Caller
from server.ports.traces import TraceRecords, TraceRow

Row = TypeVar("Row", TraceRow, SessionRow, TurnRow)


async def trace_of(records: TraceRecords, caller: Caller, trace_id: str) -> TraceRow:
    """Raises NotFound, also for a trace of somebody else."""
    return _checked(await records.get(caller, trace_id), caller, "trace", trace_id)


@dataclass(frozen=True, slots=True)
class LinkReader:
    """Who reads by a link: the trace, and its maker, in whose place that trace alone is read."""

    row: TraceRow
    caller: Caller


async def reader_by_link(records: TraceRecords, token: str) -> LinkReader:
    """Raises NotFound for a link that was never made, was taken back, or leads to what has expired."""
    row = await records.shared(link_hash(token))
    return LinkReader(row, Caller(user_id=row.user_id, account_id=row.account_id))


def link_hash(token: str) -> str:
    """What is stored of a link's token: SHA-256, in hex. The token itself has 256 random bits, so it needs no salt."""
    return hashlib.sha256(token.encode()).hexdigest()


async def session_of(conversations: Conversations, caller: Caller, session_id: str) -> SessionRow:
    """Raises NotFound, also for a session of somebody else."""
    return _checked(await conversations.session(caller, session_id), caller, "session", session_id)


async def turn_of(conversations: Conversations, caller: Caller, turn_id: str) -> TurnRow:
    """Raises NotFound, also for a turn of somebody else."""
    return _checked(await conversations.turn(caller, turn_id), caller, "turn", turn_id)


def _checked(row: Row, caller: Caller, kind: str, identifier: str) -> Row:
    if row.account_id != caller.account_id:
        raise NotFound(f"There is no {kind} {identifier}.")
    return row
