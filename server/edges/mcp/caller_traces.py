"""The traces of the one who asks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from server.agent.tools.contract.tool_context import KnownTrace, Need, ToolContext
from server.edges.mcp.call_progress import ImportUnderWay
from server.edges.mcp.numbered_results import NumberedResults
from server.ports.traces import OpenTrace, TraceWorkers


@dataclass(frozen=True, slots=True)
class OpenedTrace:
    """A trace ready for questions, and what its tools may reach."""

    opened: OpenTrace
    tool_context: ToolContext


class CallerTraces(Protocol):
    """One caller's traces. `opens_files` says that they may name files of this machine."""

    @property
    def workers(self) -> TraceWorkers: ...

    @property
    def has(self) -> frozenset[Need]:
        """What tools find here."""
        ...

    @property
    def opens_files(self) -> bool: ...

    @property
    def records(self) -> bool:
        """Whether they may have programs of this machine recorded."""
        ...

    @property
    def results(self) -> NumberedResults:
        """What the tools returned on this connection."""
        ...

    async def traces(self) -> Sequence[KnownTrace]:
        """Their traces, newest first."""
        ...

    async def open(self, trace_id: str) -> OpenedTrace:
        """Raises NotFound, WorkerFailed, traces.errors.TraceError."""
        ...

    async def importing(self) -> ImportUnderWay | None:
        """The file that is read now, where that is this process's to know."""
        ...

    async def hidden_tools(self) -> frozenset[str]:
        """Those that their plan leaves out."""
        ...

    async def open_file(self, path: str) -> KnownTrace:
        """Take in a file of this machine. Raises NotFound, NotSupported, traces.errors.TraceError."""
        ...
