"""Workers of the command's own process."""

from pathlib import Path
from typing import Protocol

from server.ports.traces import OpenTrace, TraceWorkers
from traces.model import Trace


class LocalWorkers(TraceWorkers, Protocol):
    """Workers that keep the traces they are given, and open files of this machine through the cache."""

    def hold(self, trace: Trace) -> OpenTrace: ...

    async def open(self, source: Path) -> OpenTrace:
        """Raises TraceError, OSError."""
        ...
