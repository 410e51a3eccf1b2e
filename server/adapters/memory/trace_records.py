"""Rows of traces in a dictionary: the twin of PostgresTraceRecords."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from limits.decisions import Decision, LimitType
from server.adapters.memory.accounts import MemoryAccounts
from server.adapters.storable import known_id, new_id, not_found, storable_json, storable_text
from server.errors import BadRequest, LimitExceeded
from server.ports.identity import Caller
from server.ports.traces import TraceRow


class MemoryTraceRecords:
    """TraceRecords of MemoryAccounts. `on_delete` functions hear which trace has gone."""

    def __init__(self, accounts: MemoryAccounts) -> None:
        self.accounts = accounts
        self.on_delete: list[Callable[[str], None]] = []
        self._rows: dict[str, TraceRow] = {}

    async def reserve_upload(self, caller: Caller) -> None:
        standing = self.accounts.standing(caller.user_id)
        self._hold_to_total(caller.user_id)
        limit = standing.plan.monthly_upload_limit
        if limit is not None and standing.monthly_uploads >= limit:
            raise LimitExceeded(_upload(standing.refuse(LimitType.MONTHLY_UPLOADS, standing.monthly_uploads, limit)))
        standing.monthly_uploads += 1

    async def release_upload(self, caller: Caller) -> None:
        standing = self.accounts.standing(caller.user_id)
        standing.monthly_uploads = max(standing.monthly_uploads - 1, 0)

    async def insert(self, row: TraceRow) -> None:
        trace_id = str(new_id(row.trace_id, "trace", "traceId"))
        if trace_id in self._rows:
            raise BadRequest("Something with this id exists already. Choose a new one.")
        self._hold_to_total(row.user_id)
        days = self.accounts.standing(row.user_id).plan.retention_days
        expires_at = None if days is None else self.accounts.clock.now() + timedelta(days=days)
        self._rows[trace_id] = replace(
            row,
            name=storable_text(row.name),
            summary=storable_json(row.summary),
            expires_at=row.expires_at or expires_at,
        )

    async def get(self, caller: Caller, trace_id: str) -> TraceRow:
        row = self._rows.get(str(known_id(trace_id, "trace")))
        if row is None or not self.accounts.are_of(caller, row.account_id):
            raise not_found("trace")
        return row

    async def list(self, caller: Caller, *, limit: int = 100) -> list[TraceRow]:
        found = [
            row
            for row in self._rows.values()
            if row.account_id == caller.account_id and self.accounts.are_of(caller, row.account_id)
        ]
        return sorted(found, key=lambda row: row.created_at, reverse=True)[:limit]

    async def delete(self, caller: Caller, trace_id: str) -> TraceRow:
        row = await self.get(caller, trace_id)
        del self._rows[row.trace_id]
        for heard in self.on_delete:
            heard(row.trace_id)
        return row

    def held_by(self, user_id: str) -> int:
        return sum(row.user_id == user_id for row in self._rows.values())

    def _hold_to_total(self, user_id: str) -> None:
        standing = self.accounts.standing(user_id)
        held = self.held_by(user_id)
        limit = standing.plan.total_trace_limit
        if limit is not None and held >= limit:
            raise LimitExceeded(_upload(standing.refuse(LimitType.TOTAL_TRACES, held, limit)))


def _upload(decision: Decision) -> Decision:
    """A decision about an upload speaks of no messages."""
    return replace(decision, messages_limit=None)
