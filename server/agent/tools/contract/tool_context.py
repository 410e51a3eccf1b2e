"""What tools may reach besides the trace: the person's other traces, their usage, the sources on this machine."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from server.agent.tools.contract.tool_progress import Progress
from server.ports.mcp_tools import CallerTools
from server.ports.repositories import CallerRepository
from server.ports.traces import OpenTrace, TraceWorkers
from server.ports.web import CallerWeb
from server.protocol.mounted import ShownView
from server.protocol.wire_values import Colours, LimitsView

if TYPE_CHECKING:  # what answers about other recordings and what is remembered: a command has neither
    from server.agent.memory.ranking import Ranked
    from server.agent.questions.planner import PlanWriter
    from server.agent.questions.run_answers import RunsAnswer
    from server.ports.knowledge import Passage
    from server.ports.memories import MemoryKind, NewMemory

Need = Literal[
    "viewer",
    "view",
    "page",
    "traces",
    "account",
    "sources",
    "upload",
    "memory",
    "web",
    "history",
    "library",
    "recall",
    "documents",
]
"""What a tool cannot do without: the chart on the page, what it shows, a page that answers, other traces, an account, a
folder of sources, the upload, a memory of the account that may be changed, the web, several recordings of a
program, another program that writes SQL over them, memories or documents to search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What became of a fact: `proposed` waits for the person, `kept` was written by a setting, `known` stands there
    already, `declined` was proposed and declined lately."""

    status: Literal["proposed", "kept", "known", "declined"]
    text: str | None
    old: str | None


class FactProposals(Protocol):
    """What one turn may propose to be remembered."""

    async def propose(self, *, old: str | None = None, text: str | None = None) -> Proposed:
        """A new line, a line in place of `old`, or one less. Raises ToolRetry, ToolFailed."""
        ...


class MemoriesAsked(Protocol):
    """What the person's account remembers, as a turn may search it."""

    async def search(
        self, query: str, *, kinds: "frozenset[MemoryKind]", since: datetime | None, limit: int
    ) -> "Sequence[Ranked]":
        """The nearest first; for an empty query the newest."""
        ...

    async def earlier(self, prompt: str, left: "Sequence[NewMemory]") -> "Sequence[Ranked]":
        """Keep turns that have left the conversation's window; at most two of all that have, near to the prompt, oldest
        first. None where they cannot be had."""
        ...


class DocumentsAsked(Protocol):
    """Flamechat's documentation, and what the person's team keeps."""

    async def search(self, query: str, *, limit: int) -> "Sequence[Passage]":
        """The nearest first."""
        ...

    async def cited(self, handles: Sequence[str]) -> "Sequence[Passage]":
        """Those of these handles, such as `k17`, that are there."""
        ...


class RunsAsked(Protocol):
    """The person's recordings, as questions over many of them see them."""

    async def ask(
        self, question: str, plan: "PlanWriter | None" = None, progress: Progress | None = None
    ) -> "RunsAnswer":
        """Words are planned by who writes plans, else by rules; `progress` follows where it stands. Raises BadRequest,
        saying what is missing or not there; ModelFailed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTrace:
    """A trace that the person may read. `summary` is TraceSummary as JSON, with `findings` where they were stored."""

    trace_id: str
    name: str
    created: str
    summary: dict[str, Any]


class ToolContext(Protocol):
    """What one person's tools may reach: every method goes through the access check, and other people's data is not
    found.
    """

    @property
    def has(self) -> frozenset[Need]:
        """Which needs are met."""
        ...

    @property
    def source_folder(self) -> Path | None: ...

    @property
    def repository(self) -> CallerRepository | None:
        """Where the account's sources are kept; None for none."""
        ...

    async def labels(self) -> Mapping[str, str]:
        """Of the trace that is asked about. Raises NotFound."""
        ...

    @property
    def memory(self) -> FactProposals | None:
        """None where nothing may be remembered."""
        ...

    @property
    def runs(self) -> RunsAsked | None:
        """None where there are not several recordings of the program."""
        ...

    @property
    def recall(self) -> MemoriesAsked | None:
        """None where nothing is remembered."""
        ...

    @property
    def documents(self) -> DocumentsAsked | None:
        """None where there are none."""
        ...

    async def traces(self) -> Sequence[KnownTrace]:
        """Their traces, newest first, without the one that is asked about."""
        ...

    async def open(self, trace_id: str) -> OpenTrace:
        """Raises NotFound, WorkerFailed."""
        ...

    def upload(self) -> AbstractAsyncContextManager[Path]:
        """The file that the trace was read from, as long as the context lasts. Raises NotFound."""
        ...

    async def usage(self) -> LimitsView:
        """Their usage against their plan. Raises NotSupported where there is no account."""
        ...


def _nothing(text: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What a call may reach outside. `found_urls` are pages that a search of this turn has found; `leaks_in` says what
    of all that the conversation knows a text would send there, None for nothing."""

    foreign: CallerTools | None = None
    web: CallerWeb | None = None
    found_urls: frozenset[str] = frozenset()
    leaks_in: Callable[[str], str | None] = _nothing


NOWHERE = Reach()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """One call of a tool that needs more than the trace: who answers questions, what else may be reached, here and
    outside, what the page shows, and by what it colours. `plan` writes questions over recordings where a model does;
    `progress` is where people read what it does, where they do."""

    trace: OpenTrace
    workers: TraceWorkers
    tool_context: ToolContext | None = None
    view: ShownView | None = None
    colours: Colours = "file"
    reach: Reach = NOWHERE
    plan: "PlanWriter | None" = None
    progress: Progress | None = None
