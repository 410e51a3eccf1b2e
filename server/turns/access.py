"""The only way to a thing that belongs to somebody: one function per kind of object, each answers "may this caller?".

The stores answer only for accounts of which the caller is a member, and of conversations for those they may read (in
SQL). These check the row that came back once more, so that a mistake in a store shows nobody another account's things.
A thing that is asked for by its id needs membership in its own account, whichever one the caller acts for.
"""

import hashlib
from dataclasses import dataclass
from typing import TypeVar

from server.errors import NotFound
from server.ports.conversations import Conversations, SessionRow, TurnRow, Visibility
from server.ports.identity import Caller
from server.ports.teams import Membership
from server.ports.traces import TraceRecords, TraceRow

Row = TypeVar("Row", TraceRow, SessionRow, TurnRow)


async def trace_of(records: TraceRecords, caller: Caller, trace_id: str) -> TraceRow:
    """Raises NotFound, also for a trace of somebody else."""
    return await _checked(records, await records.get(caller, trace_id), caller, "trace", trace_id)


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
    row = await conversations.session(caller, session_id)
    if row.user_id != caller.user_id and row.visibility is Visibility.PRIVATE:
        raise NotFound(f"There is no session {session_id}.")
    return await _checked(conversations, row, caller, "session", session_id)


async def turn_of(conversations: Conversations, caller: Caller, turn_id: str) -> TurnRow:
    """Raises NotFound, also for a turn of somebody else."""
    return await _checked(conversations, await conversations.turn(caller, turn_id), caller, "turn", turn_id)


async def _checked(store: Membership, row: Row, caller: Caller, kind: str, identifier: str) -> Row:
    if row.account_id != caller.account_id:  # for which membership was checked when the caller became known
        if caller.key is not None:  # which is of one account, whatever else its maker may read
            raise NotFound(f"There is no {kind} {identifier}.")
        try:
            await store.role(caller.user_id, row.account_id)
        except NotFound:
            raise NotFound(f"There is no {kind} {identifier}.") from None
    return row
