"""What the commands need of the rest of the application, handed in by `server.app`: each is called only when its
command runs.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from server.errors import ConfigError

if TYPE_CHECKING:  # most commands need neither an agent nor a database, and start without them
    from limits.administration import Administration
    from server.agent.turn import Agent, Pictures
    from server.edges.cli.cache_command import KeptTraces
    from server.edges.cli.config import CheckConfig, Checked, ShowConfig
    from server.edges.cli.local import LocalWorkers
    from traces.model import Trace
    from traces.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Command line options of `serve`; None is not given, the setting or its default counts."""

    host: str | None
    port: int | None
    data: Path | None
    open: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzeOptions:
    """Command line options that choose the model and record its messages; None is not given."""

    model: str | None
    debug_messages_dir: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """An agent and the workers it asks."""

    agent: "Agent"
    workers: "LocalWorkers"


def no_workers() -> "LocalWorkers":
    """The entry point of a program that asks nothing."""
    raise ConfigError("there is nobody here to ask about a trace")


def no_cache() -> "KeptTraces":
    """The entry point of a program that keeps nothing."""
    raise ConfigError("no opened traces are kept here")


def parsed(source: Path, progress: "Progress") -> "Trace":
    """The trace of a file, read anew. Raises TraceError, OSError."""
    from server.edges.cli.reading import mapped
    from traces.reader import read_trace

    return read_trace(mapped(source), name=source.name, progress=progress)


def no_administration(data: Path | None) -> "AbstractAsyncContextManager[Administration]":
    """The entry point of a program that has no database."""
    raise ConfigError(f"there are no plans and users at {data or 'this place'}")


async def no_checks() -> "AsyncIterator[Checked]":
    """The entry point of a program that uses no service."""
    none: tuple[Checked, ...] = ()
    for one in none:
        yield one


@dataclass(frozen=True, slots=True, kw_only=True)
class CliEntryPoints:
    """`serve` runs a server until it is stopped and returns the exit code. `analysis` builds an agent without a server
    or a database, whose pictures go to the given place. `administration` opens the plans and users of a data folder,
    whether its server runs or not. `workers` answers questions of traces read here. `read_file` opens a trace for a
    question, `trace_cache` is what it keeps them in. `show_config` lists the settings, `check_config` tries what they
    name. All raise ConfigError. `missing_kernels` is a line about the compiled kernels where they are not in use.
    """

    serve: Callable[[ServeOptions], int]
    analysis: "Callable[[AnalyzeOptions, Pictures], Analysis]"
    administration: "Callable[[Path | None], AbstractAsyncContextManager[Administration]]" = no_administration
    workers: "Callable[[], LocalWorkers]" = no_workers
    read_file: "Callable[[Path, Progress], Trace]" = parsed
    trace_cache: "Callable[[], KeptTraces]" = no_cache
    show_config: "ShowConfig" = tuple
    missing_kernels: Callable[[], str | None] = lambda: None
    check_config: "CheckConfig" = no_checks
