"""What lies around a trace for one person: his other traces, what he has used, the sources on this machine."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from server.ports.traces import OpenTrace, TraceWorkers
from server.protocol.wire_values import LimitsView

Need = Literal["viewer", "traces", "account", "sources", "upload"]
"""What a tool cannot do without: the chart on the page, other traces, an account, a folder of sources, the upload."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTrace:
    """A trace that the person may read. `summary` is TraceSummary as JSON, with `findings` where they were stored."""

    trace_id: str
    name: str
    created: str
    summary: dict[str, Any]


class Surroundings(Protocol):
    """Doors bound to one person: each goes through the one access check, and what is not his is not there."""

    @property
    def has(self) -> frozenset[Need]:
        """Which needs are met."""
        ...

    @property
    def source_folder(self) -> Path | None: ...

    async def traces(self) -> Sequence[KnownTrace]:
        """His traces, newest first, without the one that is asked about."""
        ...

    async def open(self, trace_id: str) -> OpenTrace:
        """Raises NotFound, WorkerFailed."""
        ...

    def upload(self) -> AbstractAsyncContextManager[Path]:
        """The file that the trace was read from, as long as the context lasts. Raises NotFound."""
        ...

    async def usage(self) -> LimitsView:
        """Where he stands against his plan. Raises NotSupported where there is no account."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """One call of a tool that needs more than the trace: who answers questions, and what lies around."""

    trace: OpenTrace
    workers: TraceWorkers
    around: Surroundings | None = None
