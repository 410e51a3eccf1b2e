"""A tool context for tests: other traces by name, a plan, sources, an upload."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path

from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.bounds import AgentBounds
from server.agent.memory.memory_texts import finding_memories
from server.agent.memory.ranking import Ranked
from server.agent.questions.checks import checked
from server.agent.questions.question_schema import Series, SqlQuery
from server.agent.questions.run_answers import RunsAnswer, series_answer
from server.agent.questions.spoken_questions import spoken_question
from server.agent.questions.sql_answers import sql_answer
from server.agent.tools.all_tools import TOOLS
from server.agent.tools.contract.kept_with_trace import kept_findings, kept_program
from server.agent.tools.contract.run_tool import named_tool, run_tool
from server.agent.tools.contract.tool import Outcome
from server.agent.tools.contract.tool_context import (
    DocumentsAsked,
    FactProposals,
    KnownTrace,
    MemoriesAsked,
    Need,
    Proposed,
    RunsAsked,
)
from server.errors import BadRequest, NotFound
from server.ports.history import KnownRuns, Measured
from server.ports.identity import Caller
from server.ports.knowledge import Passage
from server.ports.memories import MemoryKind, MemoryRow, NewMemory
from server.ports.repositories import CallerRepository
from server.ports.traces import OpenTrace, SqlColumnType, SqlRows
from server.protocol.mounted import ShownView
from server.protocol.wire_values import Colours, LimitsView
from server.testing.history import point_of
from tests.inline_workers import inline_workers
from tests.plugins.worlds import a_trace_of
from traces.gate.run_history import run_history
from traces.model import Trace


class ProposesAll:
    """Implements `FactProposals`; everything waits for a person."""

    async def propose(self, *, old: str | None = None, text: str | None = None) -> Proposed:
        return Proposed(status="proposed", text=text, old=old)


@dataclass(frozen=True)
class RemembersOthers:
    """Implements `MemoriesAsked`: the findings of traces in hand."""

    others: dict[str, Trace]

    async def search(
        self, query: str, *, kinds: frozenset[MemoryKind], since: datetime | None, limit: int
    ) -> list[Ranked]:
        rows = [
            MemoryRow(
                memory_id=new.key,
                created_at=datetime(2026, 1, 2, tzinfo=UTC),
                is_own=False,
                trace=name,
                **{one.name: getattr(new, one.name) for one in fields(new)},
            )
            for name, trace in self.others.items()
            for new in finding_memories(f"id-{name}", name, kept_findings(trace))
        ]
        return [Ranked(memory=row, score=1.0, near=0.5, shared=frozenset()) for row in rows][:limit]

    async def earlier(self, prompt: str, left: Sequence[NewMemory]) -> list[Ranked]:
        return []


@dataclass(frozen=True)
class DocumentsOfOthers:
    """Implements `DocumentsAsked`: a page for each trace in hand."""

    others: dict[str, Trace]

    async def search(self, query: str, *, limit: int) -> list[Passage]:
        return [
            Passage(handle=f"k{at}", document=f"{name}.md", heading=name, text=f"About {name}. " * 40, is_ours=False)
            for at, name in enumerate(self.others, 1)
        ][:limit]

    async def cited(self, handles: Sequence[str]) -> list[Passage]:
        return [one for one in await self.search("", limit=9) if one.handle in handles]


@dataclass
class RunsInHand:
    """Implements `RunsAsked` over traces in hand, oldest first."""

    traces: list[Trace]

    async def ask(self, question: str, plan: object = None, progress: object = None) -> RunsAnswer:
        if question.startswith("{"):
            cells = tuple((trace.name, *trace.frame_names[:1]) for trace in self.traces)
            named = tuple(SqlColumnType(name, "VARCHAR") for name in ("recording", "name"))
            return sql_answer(SqlQuery.model_validate_json(question), SqlRows(columns=named, rows=cells, more=False))
        kept = [run_history(trace) for trace in self.traces]
        known = KnownRuns(
            runs=len(kept),
            labels={},
            programs={},
            functions=tuple((one.name, one.file) for history in kept for one in history.functions),
            findings=(),
            figures=("total",),
        )
        spoken = spoken_question(question, known)
        if not isinstance(spoken, Series):
            raise BadRequest("I do not know this.")
        sure = checked(spoken, known)
        assert isinstance(sure, Series)
        asked = sure.measure
        caller = Caller(user_id="u", account_id="a")
        rows = [a_trace_of(caller, name=trace.name) for trace in self.traces]
        measured = Measured(asked.kind, asked.name, asked.file)
        points = [point_of(row, history, measured) for row, history in zip(rows, kept, strict=True)]
        return series_answer(spoken.model_copy(update={"measure": asked}), points)


@dataclass
class TracesInHand:
    """Implements `ToolContext` over traces in hand, newest first."""

    workers: InlineTraceWorkers
    others: dict[str, Trace] = field(default_factory=dict)
    source_folder: Path | None = None
    file: Path | None = None
    memory: FactProposals | None = None
    repository: CallerRepository | None = None
    commit: str | None = None

    async def labels(self) -> Mapping[str, str]:
        return {} if self.commit is None else {"commit": self.commit}

    @property
    def runs(self) -> RunsAsked | None:
        return RunsInHand(list(self.others.values())) if self.others else None

    @property
    def has(self) -> frozenset[Need]:
        met: frozenset[Need] = frozenset({"traces", "account", "sources"})
        met |= {"history"} if self.others else frozenset()
        met |= {"upload"} if self.file is not None else frozenset()
        met |= {"recall", "documents"}
        return met | {"memory"} if self.memory is not None else met

    @property
    def recall(self) -> MemoriesAsked | None:
        return RemembersOthers(self.others)

    @property
    def documents(self) -> DocumentsAsked | None:
        return DocumentsOfOthers(self.others)

    async def traces(self) -> Sequence[KnownTrace]:
        return [
            KnownTrace(
                trace_id=f"id-{name}",
                name=name,
                created="2026-01-02 15:04",
                summary={
                    "format": trace.format,
                    "findings": kept_findings(trace),
                    "program": kept_program(trace),
                },
            )
            for name, trace in self.others.items()
        ]

    async def open(self, trace_id: str) -> OpenTrace:
        name = trace_id.removeprefix("id-")
        if name not in self.others:
            raise NotFound(f"There is no trace {trace_id}.")
        return self.workers.hold(self.others[name])

    def upload(self) -> AbstractAsyncContextManager[Path]:
        return self._upload()

    @asynccontextmanager
    async def _upload(self) -> AsyncIterator[Path]:
        assert self.file is not None
        yield self.file

    async def usage(self) -> LimitsView:
        return LimitsView(plan_name="team", messages_used=7, messages_limit=20, sessions_used=3, sessions_limit=None)


async def ask_tool(
    name: str,
    arguments: Mapping[str, object],
    trace: Trace,
    *others: Trace,
    sources: Path | None = None,
    upload: Path | None = None,
    view: ShownView | None = None,
    colours: Colours = "file",
    repository: CallerRepository | None = None,
    commit: str | None = None,
) -> Outcome:
    """One tool's outcome, run the way a turn runs it, with these traces in its context."""
    workers, bounds = inline_workers(), AgentBounds()
    tool_context = TracesInHand(workers, {other.name: other for other in others}, sources, upload, ProposesAll())
    tool_context.repository, tool_context.commit = repository, commit
    outcome, _ = await run_tool(
        named_tool(name, TOOLS),
        dict(arguments),
        trace=workers.hold(trace),
        workers=workers,
        seconds=bounds.tool_seconds,
        characters=bounds.result_characters,
        tool_context=tool_context,
        view=view,
        colours=colours,
    )
    return outcome
