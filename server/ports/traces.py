"""Stored traces: their rows, and asking questions of their columns away from the event loop."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar

from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from server.ports.teams import Membership
from traces.model import Trace

P = ParamSpec("P")
R = TypeVar("R")

CACHE_BYTES = 10 << 30
"""Of parsed traces on disk, unless a setting says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRow:
    """A row of `traces`. `summary` is the JSON of traces.analysis.summary.TraceSummary; `object_path` lies in the
    traces bucket."""

    trace_id: str
    account_id: str
    user_id: str
    name: str
    sha256: str
    size_bytes: int
    format: str
    unit: str
    duration_ns: int | None
    summary: dict[str, Any]
    object_path: str
    created_at: datetime
    expires_at: datetime | None = None
    run: RunLabels = field(default_factory=RunLabels)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSearch:
    """Which traces of an account: those with all of these labels, uploaded since, that have the text in their name,
    their program or a label's value. Nothing asks for nothing."""

    run: RunLabels = field(default_factory=RunLabels)
    since: datetime | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class TracePlace:
    """A place in the order of traces, newest first: what follows it is older, or as old with a smaller id."""

    created_at: datetime
    trace_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSession:
    """The conversation behind a link, and who made it, in whose place it alone is read."""

    session_id: str
    account_id: str
    user_id: str
    title: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiredTrace:
    """A trace whose time is over, and where its objects lie."""

    trace_id: str
    sha256: str
    object_path: str
    pictures: tuple[str, ...]


class TraceRecords(Membership, Protocol):
    """Rows of traces. Reads answer only for accounts the caller is a member of; a row of another account looks like
    no row."""

    async def reserve_upload(self, caller: Caller) -> None:
        """Count an upload against the caller's plan. Raises LimitExceeded; NotFound and NotAllowed for an account in
        which they may not upload."""
        ...

    async def release_upload(self, caller: Caller) -> None:
        """Give back an upload that did not become a trace."""
        ...

    async def insert(self, row: TraceRow) -> None:
        """Raises LimitExceeded; NotFound and NotAllowed where its maker may not upload to its account (any more)."""
        ...

    async def get(self, caller: Caller, trace_id: str) -> TraceRow:
        """Raises NotFound."""
        ...

    async def list(self, caller: Caller, *, limit: int = 100) -> list[TraceRow]:
        """Newest first."""
        ...

    async def search(
        self, caller: Caller, criteria: TraceSearch, *, limit: int, after: TracePlace | None = None
    ) -> Sequence[TraceRow]:
        """Newest first, those after a place."""
        ...

    async def label(self, caller: Caller, trace_id: str, changes: Mapping[str, str | None]) -> TraceRow:
        """Set labels (`program` among them), and take off those changed to None. Raises NotFound, NotAllowed for a
        viewer, and BadRequest for what is no label."""
        ...

    async def delete(self, caller: Caller, trace_id: str) -> Sequence[str]:
        """Remove the row with everybody's sessions about it; returns the paths of the pictures in them, so that the
        objects can follow. Who uploaded it may, and the owners of its account. Raises NotFound, NotAllowed, and
        TurnInProgress while one of the sessions answers."""
        ...

    async def share(self, caller: Caller, trace_id: str, token_hash: str | None) -> None:
        """Put a link on the trace, or take it off. Raises NotFound, and NotAllowed for a viewer and when the caller's
        plan has none."""
        ...

    async def shared(self, token_hash: str) -> TraceRow:
        """The trace with that link, or whose conversation has it, while it has not expired and the maker's plan
        includes sharing. Raises NotFound."""
        ...

    async def share_session(self, caller: Caller, session_id: str, token_hash: str | None) -> None:
        """Put a link on a conversation of one's own, or take it off, which an owner of the account may where the
        conversation is shown to it. Raises NotFound, and NotAllowed, also when the caller's plan has none."""
        ...

    async def shared_session(self, token_hash: str) -> SharedSession:
        """The conversation with that link, under the conditions of `shared`. Raises NotFound."""
        ...

    async def expired(self, now: datetime, *, limit: int) -> Sequence[ExpiredTrace]:
        """Traces of anybody that expired before now, but for those with a turn that has not ended."""
        ...

    async def delete_expired(self, trace_id: str, now: datetime) -> None:
        """Remove the row of an expired trace with its sessions; one that is gone or was prolonged is left as it is."""
        ...

    async def is_content_used(self, sha256: str) -> bool:
        """Whether any stored trace has these bytes."""
        ...


@dataclass(frozen=True, slots=True)
class OpenTrace:
    """A parsed trace in the cache: `columns` is the file every worker maps, `key` what its content was asked for by."""

    key: str
    columns: Path


@dataclass(frozen=True, slots=True)
class SqlColumnType:
    """`type` is DuckDB's name of it."""

    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlRows:
    """The rows of a query up to a bound; `more` says that there are others, `note` what they lack."""

    columns: tuple[SqlColumnType, ...]
    rows: tuple[tuple[str | int | float | bool | None, ...], ...]
    more: bool
    note: str | None = None


class SqlRefused(Exception):
    """A query that was not answered: `refused` (forbidden), `syntax` (it means nothing), `memory`, `time`. `tables` are
    those it read, where that is known. The text may repeat words of the trace."""

    def __init__(
        self, kind: Literal["refused", "syntax", "memory", "time"], text: str, tables: tuple[str, ...] = ()
    ) -> None:
        super().__init__(kind, text, tables)
        self.kind, self.text, self.tables = kind, text, tables

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Importing:
    """How far the import of an upload is. `place` counts those before it and itself while it waits, and is None while
    it is read; `bytes_read` of the upload have been read then (of a compressed one, in proportion to its
    content), None where that cannot be learnt."""

    place: int | None = None
    bytes_read: int | None = None


class TraceWorkers(Protocol):
    """CPU work away from the event loop, in processes with bounds on memory and time."""

    async def read(self, source: Path, *, name: str, key: str) -> OpenTrace:
        """Parse an upload into the cache (at once when it is there already). `key` is what the caller knows its content
        by: the SHA-256 of an upload's row, or a content key.

        Raises traces.errors.TraceError for a bad file, WorkerFailed when the worker died or ran out of memory or time,
        Busy when too many are being read.
        """
        ...

    async def importing(self, source: Path) -> Importing | None:
        """How far `read` is with an upload; None when it does not read it, or has done."""
        ...

    async def cached(self, key: str) -> OpenTrace | None:
        """The trace if it is in the cache and can be read."""
        ...

    async def forget(self, key: str) -> None:
        """Drop it from the cache, when no stored trace has these bytes any more."""
        ...

    async def ask(
        self, trace: OpenTrace, question: Callable[Concatenate[Trace, P], R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Answer a question (a module-level function whose arguments and result pickle) of a cached trace. Another
        OpenTrace among the positional arguments arrives as its Trace.

        Raises what the question raises, and WorkerFailed past its time or memory.
        """
        ...

    async def query(self, trace: OpenTrace, sql: str, *, upload: Path | None = None) -> SqlRows:
        """The rows of one SELECT over the trace's tables (traces.export.sql_tables), in a process without files,
        bounded in memory, time and what it answers. `upload` is the file that the trace was read from: arguments of
        spans are NULL without it.

        Raises SqlRefused, and WorkerFailed when the cache has lost the trace or no process can be had.
        """
        ...

    async def query_library(self, files: Mapping[str, Path], sql: str) -> SqlRows:
        """The rows of one SELECT over tables of many recordings (server.agent.questions.run_tables), bounded as
        `query` is. Raises SqlRefused, and WorkerFailed when no process can be had."""
        ...
