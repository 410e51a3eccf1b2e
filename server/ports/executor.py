"""Where a turn's graph is run: in this process, or on a server for graphs."""

import uuid
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from server.ports.ai_events import AiEvent, RunEnd

Setup_co = TypeVar("Setup_co", covariant=True)
Given_contra = TypeVar("Given_contra", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphCaller:
    """For whom a graph runs, and by what the run is found again. `request_trace_id` is of W3C's trace context."""

    account_id: str
    user_id: str
    session_id: str
    turn_id: str
    request_id: str
    request_trace_id: str
    graph_run_id: str
    graph_name: str
    graph_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCaller:
    """For whom a model is called outside any graph: for a title, or for what is to be remembered. `models` are those of
    the person's plan, None for the server's own."""

    account_id: str
    user_id: str
    session_id: str | None = None
    turn_id: str | None = None
    request_id: str | None = None
    request_trace_id: str | None = None
    models: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest(Generic[Setup_co]):
    """One attempt of a turn. `setup` is what the graph is run on: the port does not look into it."""

    caller: GraphCaller
    attempt: int
    setup: Setup_co


class Run(Protocol):
    """A run that goes on as its events are read, and stops when they are closed."""

    @property
    def events(self) -> AsyncGenerator[AiEvent]:
        """To be read once, up to the one that ends the run. Whoever stops reading closes it (`aclosing`): then the
        graph has stopped, too. Raises nothing but what its reader is cancelled with."""
        ...

    async def final(self) -> RunEnd:
        """The event that ended the run, however often it is asked for; `Failed` with the code `cancelled` for a run
        that was closed before its end. It waits for a run that goes on."""
        ...


class GraphExecutor(Protocol[Given_contra]):
    def run(self, request: RunRequest[Given_contra]) -> Run:
        """Run the graph. Nothing happens before the events are read."""
        ...


def run_id_of(turn_id: str, attempt: int) -> str:
    """Of the graph's run: one for each attempt of a turn (uuid5 of both, RFC 9562)."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"run/{turn_id}/{attempt}"))
