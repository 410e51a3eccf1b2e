"""What the commands need of the rest of the application, handed in by `server.app`: each is called only when its
command runs.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server.errors import ConfigError

if TYPE_CHECKING:  # most commands need neither an agent nor a database, and start without them
    from limits.administration import Administration
    from server.agent.turn import Pictures
    from server.edges.cli.cache_command import KeptTraces
    from server.edges.cli.command_values import (
        Analysis,
        AnalyzeOptions,
        BackupDone,
        BatchOptions,
        ForeignServers,
        ListedRecorder,
        PersonDeleted,
        PersonExported,
        Recorded,
        RecordOptions,
        ServeOptions,
    )
    from server.edges.cli.config import CheckConfig, Checked, ShowConfig
    from server.edges.cli.local import LocalWorkers
    from server.ports.fleet import BatchDone
    from server.ports.identity import Caller
    from server.ports.invocations import Invocations
    from server.ports.terminal_sessions import TerminalSessions
    from server.turns.account_memory import AccountMemory
    from server.turns.team_knowledge import TeamKnowledge
    from traces.model import Trace
    from traces.progress import Progress


async def no_batch(options: "BatchOptions", _: "Callable[[BatchDone], None]") -> "BatchDone":
    """The entry point of a program that reads nothing."""
    raise ConfigError(f"{options.source} is not read here")


def no_recording(options: "RecordOptions", _: Callable[[str], None]) -> "Recorded":
    """The entry point of a program that starts nothing."""
    raise ConfigError(f"{options.argv[0]} is not recorded here")


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


def no_sessions() -> "TerminalSessions":
    """The entry point of a program in which nobody signs in."""
    from server.ports.terminal_sessions import NoTerminalSessions

    return NoTerminalSessions()


def no_memory(data: Path | None, _: str) -> "AbstractAsyncContextManager[tuple[AccountMemory, Caller]]":
    """The entry point of a program that has no database."""
    raise ConfigError(f"nothing is remembered at {data or 'this place'}")


def no_knowledge(data: Path | None, _: str) -> "AbstractAsyncContextManager[tuple[TeamKnowledge, Caller]]":
    """The entry point of a program that has no database."""
    raise ConfigError(f"nothing is remembered at {data or 'this place'}")


def no_invocations(data: Path | None) -> "AbstractAsyncContextManager[Invocations]":
    """The entry point of a program that has no database."""
    raise ConfigError(f"there are no model calls at {data or 'this place'}")


async def no_checks(_: "Path | None") -> "AsyncIterator[Checked]":
    """The entry point of a program that uses no service."""
    none: tuple[Checked, ...] = ()
    for one in none:
        yield one


async def no_export(data: Path | None, user_id: str, _: Path) -> "PersonExported":
    """The entry point of a program that has no users."""
    raise ConfigError(f"there is no user {user_id} at {data or 'this place'}")


async def no_deletion(data: Path | None, user_id: str, _: str | None) -> "PersonDeleted":
    """The entry point of a program that has no users."""
    raise ConfigError(f"there is no user {user_id} at {data or 'this place'}")


async def no_backups(data: Path | None, _: Path) -> "BackupDone":
    """The entry point of a program that keeps nothing."""
    raise ConfigError(f"there is nothing to back up or restore at {data or 'this place'}")


def no_foreign_servers() -> "ForeignServers":
    """The entry point of a program that reaches nothing outside."""
    raise ConfigError("no other servers' tools are used here")


@dataclass(frozen=True, slots=True, kw_only=True)
class CliEntryPoints:
    """`serve` runs a server until it is stopped and returns the exit code. `analysis` builds an agent without a
    server or a database, whose pictures go to the given place. `administration` opens the plans and users of a
    data folder, whether its server runs or not, `invocations` its model calls, `memory` what a user's account
    remembers. `workers` answers questions of traces read here. `read_file` opens a trace for a question,
    `trace_cache` is what it keeps them in. `back_up` writes the data of a folder or database to a new folder,
    `restore` fills a new one from it. `export_person` writes what a person has left, `delete_person` removes it.
    `batch` measures the recordings of a place. `record` runs a command under a recorder, with a line for the
    person before; `recorders` lists them. `show_config` lists the settings, `check_config` tries what they name.
    All raise ConfigError. `missing_kernels` is a line about the compiled kernels where they are not in use.
    `foreign_servers` asks the other servers whose tools may be used, `terminal_sessions` has who is signed in here.
    """

    serve: "Callable[[ServeOptions], int]"
    analysis: "Callable[[AnalyzeOptions, Pictures], Analysis]"
    administration: "Callable[[Path | None], AbstractAsyncContextManager[Administration]]" = no_administration
    memory: "Callable[[Path | None, str], AbstractAsyncContextManager[tuple[AccountMemory, Caller]]]" = no_memory
    knowledge: "Callable[[Path | None, str], AbstractAsyncContextManager[tuple[TeamKnowledge, Caller]]]" = no_knowledge
    invocations: "Callable[[Path | None], AbstractAsyncContextManager[Invocations]]" = no_invocations
    workers: "Callable[[], LocalWorkers]" = no_workers
    read_file: "Callable[[Path, Progress], Trace]" = parsed
    trace_cache: "Callable[[], KeptTraces]" = no_cache
    show_config: "ShowConfig" = lambda _: ()
    missing_kernels: Callable[[], str | None] = lambda: None
    check_config: "CheckConfig" = no_checks
    back_up: "Callable[[Path | None, Path], Awaitable[BackupDone]]" = no_backups
    restore: "Callable[[Path | None, Path], Awaitable[BackupDone]]" = no_backups
    export_person: "Callable[[Path | None, str, Path], Awaitable[PersonExported]]" = no_export
    delete_person: "Callable[[Path | None, str, str | None], Awaitable[PersonDeleted]]" = no_deletion
    record: "Callable[[RecordOptions, Callable[[str], None]], Recorded]" = no_recording
    recorders: "Callable[[], Sequence[ListedRecorder]]" = tuple
    foreign_servers: "Callable[[], ForeignServers]" = no_foreign_servers
    terminal_sessions: "Callable[[], TerminalSessions]" = no_sessions
    batch: "Callable[[BatchOptions, Callable[[BatchDone], None]], Coroutine[Any, Any, BatchDone]]" = no_batch
