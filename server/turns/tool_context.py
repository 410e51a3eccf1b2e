"""What lies around a trace for the person who asks about it: the library and the limits behind one access check."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from server.agent.tools.contract.tool_context import (
    DocumentsAsked,
    FactProposals,
    KnownTrace,
    MemoriesAsked,
    Need,
    RunsAsked,
)
from server.ports.identity import Caller
from server.ports.repositories import CallerRepository
from server.ports.traces import OpenTrace
from server.protocol.wire_values import LimitsView
from server.turns.trace_library import TraceLibrary


class AccountToolContext:
    """Implements `ToolContext` for one caller and one of their traces. `limits` gives their usage."""

    def __init__(
        self,
        library: TraceLibrary,
        caller: Caller,
        trace_id: str,
        *,
        limits: Callable[[], Awaitable[LimitsView]],
        source_folder: Path | None = None,
        repository: CallerRepository | None = None,
        memory: FactProposals | None = None,
        runs: RunsAsked | None = None,
        recall: MemoriesAsked | None = None,
        documents: DocumentsAsked | None = None,
    ) -> None:
        self._library = library
        self._caller = caller
        self._trace_id = trace_id
        self._limits = limits
        self._source_folder = source_folder
        self._repository = repository
        self._memory = memory
        self._runs = runs
        self._recall = recall
        self._documents = documents

    @property
    def has(self) -> frozenset[Need]:
        met: frozenset[Need] = frozenset({"traces", "account", "upload"})
        met |= {"sources"} if self._source_folder is not None or self._repository is not None else frozenset()
        met |= {"history"} if self._runs is not None else frozenset()
        met |= {"recall"} if self._recall is not None else frozenset()
        met |= {"documents"} if self._documents is not None else frozenset()
        return met | {"memory"} if self._memory is not None else met

    @property
    def source_folder(self) -> Path | None:
        return self._source_folder

    @property
    def repository(self) -> CallerRepository | None:
        return self._repository

    async def labels(self) -> Mapping[str, str]:
        """Raises NotFound."""
        return (await self._library.row(self._caller, self._trace_id)).run.labels

    @property
    def memory(self) -> FactProposals | None:
        return self._memory

    @property
    def runs(self) -> RunsAsked | None:
        return self._runs

    @property
    def recall(self) -> MemoriesAsked | None:
        return self._recall

    @property
    def documents(self) -> DocumentsAsked | None:
        return self._documents

    async def traces(self) -> Sequence[KnownTrace]:
        return [
            KnownTrace(
                trace_id=row.trace_id, name=row.name, created=f"{row.created_at:%Y-%m-%d %H:%M}", summary=row.summary
            )
            for row in await self._library.rows(self._caller)
            if row.trace_id != self._trace_id
        ]

    async def open(self, trace_id: str) -> OpenTrace:
        """Raises NotFound, WorkerFailed."""
        return (await self._library.open(self._caller, trace_id))[1]

    def upload(self) -> AbstractAsyncContextManager[Path]:
        """Raises NotFound."""
        return self._library.upload(self._caller, self._trace_id)

    async def usage(self) -> LimitsView:
        return await self._limits()
