"""Rows of traces in PostgreSQL. Its functions hold uploads to the limits of plans."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from server.adapters.postgres.pool import decision
from server.adapters.postgres.statements import statement
from server.adapters.postgres.teams import PostgresMembership
from server.adapters.storable import known_id, new_id, not_found, storable_json, storable_text
from server.errors import LimitExceeded
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels, changed_labels
from server.ports.traces import ExpiredTrace, SharedSession, TracePlace, TraceRow, TraceSearch


class PostgresTraceRecords(PostgresMembership):
    """TraceRecords over a Database."""

    async def reserve_upload(self, caller: Caller) -> None:
        await self._all("may_upload", {"user_id": caller.user_id, "account_id": known_id(caller.account_id, "account")})
        rows = await self._all("reserve_upload", {"user_id": caller.user_id})
        decided = decision(rows[0])
        if not decided.allowed:
            raise LimitExceeded(decided)

    async def release_upload(self, caller: Caller) -> None:
        await self._all("release_upload", {"user_id": caller.user_id})

    async def insert(self, row: TraceRow) -> None:
        parameters = {
            "trace_id": new_id(row.trace_id, "trace", "traceId"),
            "account_id": row.account_id,
            "user_id": row.user_id,
            "name": storable_text(row.name),
            "sha256": row.sha256,
            "size_bytes": row.size_bytes,
            "format": row.format,
            "unit": row.unit,
            "duration_ns": row.duration_ns,
            "summary": Jsonb(storable_json(row.summary)),
            "object_path": row.object_path,
            "created_at": row.created_at,
            "expires_at": row.expires_at,
            "labels": Jsonb(dict(row.run.labels)),
            "program": row.run.program,
        }
        async with self._database.transaction() as connection:
            await connection.execute(statement("insert_trace"), parameters)

    async def get(self, caller: Caller, trace_id: str) -> TraceRow:
        rows = await self._all("trace", {"trace_id": known_id(trace_id, "trace"), "user_id": caller.user_id})
        if not rows:
            raise not_found("trace")
        return _trace(rows[0])

    async def list(self, caller: Caller, *, limit: int = 100) -> list[TraceRow]:
        parameters = {"user_id": caller.user_id, "account_id": caller.account_id, "limit": limit}
        return [_trace(row) for row in await self._all("traces", parameters)]

    async def search(
        self, caller: Caller, criteria: TraceSearch, *, limit: int, after: TracePlace | None = None
    ) -> Sequence[TraceRow]:
        parameters = {
            "user_id": caller.user_id,
            "account_id": caller.account_id,
            "labels": Jsonb(dict(criteria.run.labels)),
            "program": criteria.run.program,
            "since": criteria.since,
            "text": None if criteria.text is None else storable_text(criteria.text).lower(),
            "after_at": None if after is None else after.created_at,
            "after_id": None if after is None else after.trace_id,
            "limit": limit,
        }
        return [_trace(row) for row in await self._all("search_traces", parameters)]

    async def label(self, caller: Caller, trace_id: str, changes: Mapping[str, str | None]) -> TraceRow:
        named = {"trace_id": known_id(trace_id, "trace"), "user_id": caller.user_id}
        async with self._database.transaction() as connection:
            found = await (await connection.execute(statement("trace_to_label"), named)).fetchall()
            if not found:
                raise not_found("trace")
            run = changed_labels(_run(found[0]), changes)
            labels = {"labels": Jsonb(dict(run.labels)), "program": run.program}
            rows = await (await connection.execute(statement("label_trace"), named | labels)).fetchall()
        return _trace(rows[0])

    async def delete(self, caller: Caller, trace_id: str) -> Sequence[str]:
        rows = await self._all("delete_trace", {"trace_id": known_id(trace_id, "trace"), "user_id": caller.user_id})
        return [row["picture"] for row in rows]

    async def share(self, caller: Caller, trace_id: str, token_hash: str | None) -> None:
        parameters = {"user_id": caller.user_id, "trace_id": known_id(trace_id, "trace"), "token_hash": token_hash}
        await self._all("share_trace", parameters)

    async def shared(self, token_hash: str) -> TraceRow:
        rows = await self._all("shared_trace", {"token_hash": token_hash})
        if not rows:
            raise not_found("link")
        return _trace(rows[0])

    async def share_session(self, caller: Caller, session_id: str, token_hash: str | None) -> None:
        known = known_id(session_id, "conversation")
        await self._all("share_session", {"user_id": caller.user_id, "session_id": known, "token_hash": token_hash})

    async def shared_session(self, token_hash: str) -> SharedSession:
        rows = await self._all("shared_session", {"token_hash": token_hash})
        if not rows:
            raise not_found("link")
        return SharedSession(
            session_id=str(rows[0]["id"]),
            account_id=str(rows[0]["account_id"]),
            user_id=str(rows[0]["user_id"]),
            title=rows[0]["title"],
        )

    async def expired(self, now: datetime, *, limit: int) -> Sequence[ExpiredTrace]:
        rows = await self._all("expired_traces", {"now": now, "limit": limit})
        return [
            ExpiredTrace(
                trace_id=str(row["id"]),
                sha256=row["sha256"],
                object_path=row["object_path"],
                pictures=tuple(row["pictures"]),
            )
            for row in rows
        ]

    async def delete_expired(self, trace_id: str, now: datetime) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(statement("delete_expired_trace"), {"trace_id": trace_id, "now": now})

    async def is_content_used(self, sha256: str) -> bool:
        return bool((await self._all("is_content_used", {"sha256": sha256}))[0]["is_used"])

    async def _all(self, name: str, parameters: dict[str, Any]) -> Sequence[DictRow]:
        async with self._database.transaction() as connection:
            return await (await connection.execute(statement(name), parameters)).fetchall()


def _trace(row: DictRow) -> TraceRow:
    expires_at = row["expires_at"]
    return TraceRow(
        trace_id=str(row["id"]),
        account_id=str(row["account_id"]),
        user_id=str(row["user_id"]),
        name=row["name"],
        sha256=row["sha256"],
        size_bytes=row["size_bytes"],
        format=row["format"],
        unit=row["unit"],
        duration_ns=row["duration_ns"],
        summary=row["summary"],
        object_path=row["object_path"],
        created_at=row["created_at"].astimezone(UTC),
        expires_at=None if expires_at is None else expires_at.astimezone(UTC),
        run=_run(row),
    )


def _run(row: DictRow) -> RunLabels:
    return RunLabels(row["labels"], row["program"])
