"""Workers of the command's own process."""

from typing import Protocol

from server.ports.traces import OpenTrace, TraceWorkers
from traces.model import Trace


class LocalWorkers(TraceWorkers, Protocol):
    """Workers that keep the traces they are given."""

    def hold(self, trace: Trace) -> OpenTrace: ...
