"""Rows of traces in a dictionary: the twin of PostgresTraceRecords."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from limits.refusals import Decision, LimitType
from server.adapters.storable import known_id, new_id, not_found, storable_json, storable_text
from server.errors import BadRequest, LimitExceeded, NotAllowed, NotFound, TurnInProgress
from server.ports.conversations import SessionRow
from server.ports.identity import Caller
from server.ports.run_labels import changed_labels
from server.ports.teams import Role
from server.ports.traces import ExpiredTrace, SharedSession, TracePlace, TraceRow, TraceSearch
from server.testing.account_state import MemoryAccounts


class MemoryTraceRecords:
    """TraceRecords of MemoryAccounts. `on_delete` functions are called with the trace that has gone."""

    def __init__(self, accounts: MemoryAccounts) -> None:
        self.accounts = accounts
        self.on_delete: list[Callable[[str], None]] = []
        self.removed: list[TraceRow] = []
        self.pictures_of: Callable[[str], list[str] | None] = lambda trace_id: []
        """The pictures of a trace's conversations; None while one of them is answering."""
        self.lengths_of: Callable[[str], list[int]] = lambda user_id: []
        """How many counted messages each of a user's conversations has."""
        self.session_of: Callable[[Caller, str], SessionRow] = _no_session
        """A conversation of the caller's. Raises NotFound."""
        self.session_to_change: Callable[[Caller, str], SessionRow] = _no_session
        """One that the caller may change. Raises NotFound, NotAllowed."""
        self._rows: dict[str, TraceRow] = {}
        self._links: dict[str, str] = {}
        self._session_links: dict[str, SharedSession] = {}

    async def role(self, user_id: str, account_id: str) -> Role:
        return self.accounts.role(user_id, account_id)

    async def reserve_upload(self, caller: Caller) -> None:
        self.accounts.require(caller.user_id, caller.account_id, Role.MEMBER)
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
        self.accounts.require(row.user_id, row.account_id, Role.MEMBER)
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

    def rows(self) -> "list[TraceRow]":
        """Of all accounts."""
        return [*self._rows.values()]

    async def list(self, caller: Caller, *, limit: int = 100) -> list[TraceRow]:
        found = [
            row
            for row in self._rows.values()
            if row.account_id == caller.account_id and self.accounts.are_of(caller, row.account_id)
        ]
        return sorted(found, key=lambda row: row.created_at, reverse=True)[:limit]

    async def search(
        self, caller: Caller, criteria: TraceSearch, *, limit: int, after: TracePlace | None = None
    ) -> Sequence[TraceRow]:
        rows = await self.list(caller, limit=len(self._rows))
        found = sorted(rows, key=lambda row: (row.created_at, row.trace_id), reverse=True)
        before = None if after is None else (after.created_at, after.trace_id)
        return [
            row for row in found if _fits(row, criteria) and (before is None or (row.created_at, row.trace_id) < before)
        ][:limit]

    def count_of_removed(self, caller: Caller, criteria: TraceSearch) -> int:
        """How many of a search are gone."""
        if not self.accounts.are_of(caller, caller.account_id):
            return 0
        return sum(row.account_id == caller.account_id and _fits(row, criteria) for row in self.removed)

    async def label(self, caller: Caller, trace_id: str, changes: Mapping[str, str | None]) -> TraceRow:
        row = await self._to_change(caller, trace_id)
        self._rows[row.trace_id] = replace(row, run=changed_labels(row.run, changes))
        return self._rows[row.trace_id]

    async def delete(self, caller: Caller, trace_id: str) -> Sequence[str]:
        row = await self._to_change(caller, trace_id)
        if row.user_id != caller.user_id and self.accounts.role(caller.user_id, row.account_id) is not Role.OWNER:
            raise NotAllowed("Only who uploaded this trace, or an owner of the account, may remove it.")
        pictures = self.pictures_of(row.trace_id)
        if pictures is None:
            raise TurnInProgress("A conversation about this trace is still answering: stop it first.")
        self.forget(row)
        return pictures

    async def _to_change(self, caller: Caller, trace_id: str) -> TraceRow:
        row = await self.get(caller, trace_id)
        self.accounts.require(caller.user_id, row.account_id, Role.MEMBER)
        return row

    def of_account(self, account_id: str) -> Sequence[TraceRow]:
        """Everybody's traces in it."""
        return [row for row in self._rows.values() if row.account_id == account_id]

    async def share(self, caller: Caller, trace_id: str, token_hash: str | None) -> None:
        row, plan = await self._to_change(caller, trace_id), self.accounts.standing(caller.user_id).plan
        if token_hash is not None and not plan.allow_public_sharing:
            raise NotAllowed(f"The {plan.name} plan does not include sharing by link.")
        self._links = {link: linked for link, linked in self._links.items() if linked != row.trace_id}
        if token_hash is not None:
            self._links[token_hash] = row.trace_id

    async def shared(self, token_hash: str) -> TraceRow:
        if token_hash in self._session_links:
            return self._rows[self._session(await self.shared_session(token_hash)).trace_id]
        row = self._rows.get(self._links.get(token_hash, ""))
        has_expired = row is not None and row.expires_at is not None and row.expires_at <= self.accounts.clock.now()
        if row is None or has_expired or not self.accounts.standing(row.user_id).plan.allow_public_sharing:
            raise not_found("link")
        return row

    async def share_session(self, caller: Caller, session_id: str, token_hash: str | None) -> None:
        row, plan = self.session_to_change(caller, session_id), self.accounts.standing(caller.user_id).plan
        if token_hash is not None and row.user_id != caller.user_id:
            raise NotAllowed("Only who began this conversation may do that.")
        if token_hash is not None and not plan.allow_public_sharing:
            raise NotAllowed(f"The {plan.name} plan does not include sharing by link.")
        links = self._session_links.items()
        self._session_links = {link: one for link, one in links if one.session_id != row.session_id}
        if token_hash is not None:
            self._session_links[token_hash] = SharedSession(
                session_id=row.session_id, account_id=row.account_id, user_id=row.user_id, title=row.title
            )

    async def shared_session(self, token_hash: str) -> SharedSession:
        shared = self._session_links.get(token_hash)
        if shared is None or not self.accounts.standing(shared.user_id).plan.allow_public_sharing:
            raise not_found("link")
        try:
            session = self._session(shared)
        except NotFound:
            raise not_found("link") from None
        expires_at = self._rows[session.trace_id].expires_at
        if expires_at is not None and expires_at <= self.accounts.clock.now():
            raise not_found("link")
        return replace(shared, title=session.title)

    def _session(self, shared: SharedSession) -> SessionRow:
        return self.session_of(Caller(user_id=shared.user_id, account_id=shared.account_id), shared.session_id)

    async def expired(self, now: datetime, *, limit: int) -> Sequence[ExpiredTrace]:
        found = []
        for row in self._rows.values():
            pictures = self.pictures_of(row.trace_id)
            if row.expires_at is not None and row.expires_at <= now and pictures is not None:
                found.append(
                    ExpiredTrace(
                        trace_id=row.trace_id, sha256=row.sha256, object_path=row.object_path, pictures=tuple(pictures)
                    )
                )
        return found[:limit]

    async def delete_expired(self, trace_id: str, now: datetime) -> None:
        row = self._rows.get(trace_id)
        if row is not None and row.expires_at is not None and row.expires_at <= now:
            self.forget(row)

    async def is_content_used(self, sha256: str) -> bool:
        return any(row.sha256 == sha256 for row in self._rows.values())

    def forget(self, row: TraceRow) -> None:
        """With all that belongs to it."""
        self.removed.append(self._rows.pop(row.trace_id))
        for notify in self.on_delete:
            notify(row.trace_id)

    def count_of(self, user_id: str) -> int:
        return sum(row.user_id == user_id for row in self._rows.values())

    def _hold_to_total(self, user_id: str) -> None:
        standing = self.accounts.standing(user_id)
        stored = self.count_of(user_id)
        limit = standing.plan.total_trace_limit
        if limit is not None and stored >= limit:
            raise LimitExceeded(_upload(standing.refuse(LimitType.TOTAL_TRACES, stored, limit)))


def _fits(row: TraceRow, criteria: TraceSearch) -> bool:
    text = None if criteria.text is None else storable_text(criteria.text).lower()
    texts = (row.name, row.run.program or "", *row.run.labels.values())
    return (
        (criteria.run.program is None or row.run.program == criteria.run.program)
        and criteria.run.labels.items() <= row.run.labels.items()
        and (criteria.since is None or row.created_at >= criteria.since)
        and (text is None or any(text in one.lower() for one in texts))
    )


def _no_session(caller: Caller, session_id: str) -> SessionRow:
    raise not_found("conversation")


def _upload(decision: Decision) -> Decision:
    """A decision about an upload counts no messages."""
    return replace(decision, messages_limit=None)
