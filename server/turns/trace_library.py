"""Taking traces in, opening them, letting them go."""

import secrets
import tempfile
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio

from server.agent.tools.contract.kept_with_trace import kept_findings, kept_program, origin_of
from server.errors import LimitExceeded, ServerError, WorkerFailed
from server.ports.clock import Clock
from server.ports.conversations import Conversations
from server.ports.history import History
from server.ports.identity import Caller
from server.ports.measures import Measures
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET, ObjectStore
from server.ports.run_labels import RunLabels, with_origin
from server.ports.saved_questions import SavedQuestions
from server.ports.traces import OpenTrace, TracePlace, TraceRecords, TraceRow, TraceSearch, TraceWorkers
from server.turns.access import LinkReader, link_hash, reader_by_link, trace_of
from server.turns.copied_text import copied_pieces
from server.turns.kept_run_answers import KeptRunAnswers
from traces.analysis.summary import summarise
from traces.errors import TraceError
from traces.gate.run_history import run_history


class TraceLibrary:
    """Everything one may do with stored traces. `scratch` is a folder for files on their way (uploads, objects to be
    read again).
    """

    def __init__(
        self,
        *,
        records: TraceRecords,
        conversations: Conversations,
        objects: ObjectStore,
        workers: TraceWorkers,
        clock: Clock,
        scratch: Path,
        measures: Measures,
        history: History | None = None,
        saved_questions: SavedQuestions | None = None,
    ) -> None:
        self._records = records
        self._conversations = conversations
        self._objects = objects
        self._workers = workers
        self._clock = clock
        self._scratch = scratch
        self._measures = measures
        self._history = history
        self.saved_questions = saved_questions
        self.run_answers = KeptRunAnswers(clock)

    async def add(
        self, caller: Caller, upload: Path, *, name: str, sha256: str, run: RunLabels | None = None
    ) -> TraceRow:
        """Make a stored trace of an uploaded file, which stays the caller's to remove. Either all of it is stored or
        nothing.

        Raises LimitExceeded, traces.errors.TraceError for a file that is not a good trace, WorkerFailed.
        """
        try:
            await self._records.reserve_upload(caller)
        except LimitExceeded as error:
            self._measures.refused(str(error.decision.limit_type))
            raise
        trace_id = str(uuid.uuid4())
        object_path = f"{caller.account_id}/{trace_id}"
        try:
            opened = await self._workers.read(upload, name=name, key=sha256)
            summary = await self._workers.ask(opened, summarise)
            findings = await self._findings(opened)
            program = await self._program(opened)
            row = TraceRow(
                trace_id=trace_id,
                account_id=caller.account_id,
                user_id=caller.user_id,
                name=name,
                sha256=sha256,
                size_bytes=(await anyio.Path(upload).stat()).st_size,
                format=summary.format,
                unit=summary.unit,
                duration_ns=summary.duration_ns,
                summary=summary.as_json() | {"name": name, "findings": findings} | program,
                object_path=object_path,
                created_at=self._clock.now(),
                run=with_origin(run or RunLabels(), await self._workers.ask(opened, origin_of)),
            )
            await self._objects.put(TRACES_BUCKET, object_path, upload)
            await self._records.insert(row)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._objects.delete(TRACES_BUCKET, object_path)
                await self._records.release_upload(caller)
            raise
        await self.measure(caller, row.trace_id, opened)
        return row

    async def measure(self, caller: Caller, trace_id: str, opened: OpenTrace) -> bool:
        """Keep what a trace measured, for questions over many; False where it is too much for that, and nothing is
        kept."""
        if self._history is None:
            return False
        with suppress(ServerError, TraceError):
            await self._history.keep(caller, trace_id, await self._workers.ask(opened, run_history))
            return True
        return False

    async def _findings(self, opened: OpenTrace) -> list[dict[str, str]]:
        """What a later search finds of the trace; nothing of one that is too much to look through."""
        try:
            return await self._workers.ask(opened, kept_findings)
        except WorkerFailed:
            return []

    async def _program(self, opened: OpenTrace) -> dict[str, Any]:
        """What its program is known by again; nothing of one that is too much to look through."""
        try:
            return {"program": await self._workers.ask(opened, kept_program)}
        except WorkerFailed:
            return {}

    @property
    def history(self) -> History | None:
        """What its traces measured; None where that is not kept."""
        return self._history

    @property
    def scratch(self) -> Path:
        """A folder for files on their way."""
        return self._scratch

    @property
    def workers(self) -> TraceWorkers:
        """Who answers questions about opened traces."""
        return self._workers

    async def row(self, caller: Caller, trace_id: str) -> TraceRow:
        """Raises NotFound."""
        return await trace_of(self._records, caller, trace_id)

    async def rows(self, caller: Caller) -> list[TraceRow]:
        """The caller's traces, newest first."""
        return await self._records.list(caller)

    async def search(
        self, caller: Caller, criteria: TraceSearch, *, limit: int, after: TracePlace | None = None
    ) -> Sequence[TraceRow]:
        """Those that a search wants, newest first, after a place."""
        return await self._records.search(caller, criteria, limit=limit, after=after)

    async def label(self, caller: Caller, trace_id: str, changes: Mapping[str, str | None]) -> TraceRow:
        """Set labels, and take off those changed to None. Raises NotFound, BadRequest."""
        return await self._records.label(caller, trace_id, changes)

    async def open(self, caller: Caller, trace_id: str) -> tuple[TraceRow, OpenTrace]:
        """The trace, ready for questions; read again from its object when the cache has lost it.

        Raises NotFound, WorkerFailed.
        """
        row = await self.row(caller, trace_id)
        opened = await self._workers.cached(row.sha256)
        return row, opened if opened is not None else await self._read_again(row)

    def copied(self, opened: OpenTrace) -> Callable[[str], Awaitable[frozenset[str]]]:
        """What gives the pieces of a text that come out of the trace."""

        async def pieces(text: str) -> frozenset[str]:
            return await self._workers.ask(opened, copied_pieces, text)

        return pieces

    async def remove(self, caller: Caller, trace_id: str) -> None:
        """Remove a trace with everybody's sessions about it, pictures and bytes. Raises NotFound, NotAllowed,
        TurnInProgress."""
        row = await self.row(caller, trace_id)
        for picture in await self._records.delete(caller, trace_id):
            await self._objects.delete(PICTURES_BUCKET, picture)
        await self._objects.delete(TRACES_BUCKET, row.object_path)
        await self._workers.forget(row.sha256)

    async def remove_session(self, caller: Caller, session_id: str) -> None:
        """Remove a session with its messages and pictures. Raises NotFound, TurnInProgress."""
        for path in await self._conversations.delete_session(caller, session_id):
            await self._objects.delete(PICTURES_BUCKET, path)

    async def share(self, caller: Caller, trace_id: str) -> str:
        """The token of a new link to the trace, in place of an earlier one. Raises NotFound, and NotAllowed when the
        caller's plan does not include sharing.
        """
        row = await self.row(caller, trace_id)
        token = secrets.token_urlsafe(32)
        await self._records.share(caller, row.trace_id, link_hash(token))
        return token

    async def unshare(self, caller: Caller, trace_id: str) -> None:
        """End the trace's link, if it has one. Raises NotFound."""
        row = await self.row(caller, trace_id)
        await self._records.share(caller, row.trace_id, None)

    async def shared(self, token: str) -> LinkReader:
        """The trace behind a link. Raises NotFound."""
        return await reader_by_link(self._records, token)

    @asynccontextmanager
    async def upload(self, caller: Caller, trace_id: str) -> AsyncIterator[Path]:
        """The file that a trace was read from, as long as the context lasts. Raises NotFound."""
        async with self._copied(await self.row(caller, trace_id)) as copy:
            yield copy

    async def _read_again(self, row: TraceRow) -> OpenTrace:
        async with self._copied(row) as copy:
            return await self._workers.read(copy, name=row.name, key=row.sha256)

    @asynccontextmanager
    async def _copied(self, row: TraceRow) -> AsyncIterator[Path]:
        with tempfile.TemporaryDirectory(dir=self._scratch) as folder:
            copy = Path(folder) / "trace"
            async with await anyio.open_file(copy, "wb") as file:
                async for chunk in self._objects.stream(TRACES_BUCKET, row.object_path):
                    await file.write(chunk)
            yield copy
