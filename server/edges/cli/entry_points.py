"""What the commands need of the rest of the application, handed in by `server.app`: each is called only when its
command runs.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from server.errors import ConfigError

if TYPE_CHECKING:  # most commands need neither an agent nor a database, and start without them
    from limits.administration import Administration
    from server.agent.turn import Agent, Pictures
    from server.edges.cli.cache_command import KeptTraces
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Command line options of `serve`; None is not given, the setting or its default counts."""

    host: str | None
    port: int | None
    data: Path | None
    open: bool | None
    role: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzeOptions:
    """Command line options that choose the model and record its messages; None is not given."""

    model: str | None
    debug_messages_dir: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """An agent and the workers it asks; `draws_for_itself` where its model looks at the pictures that it has drawn, as
    the built-in analyst does not."""

    agent: "Agent"
    workers: "LocalWorkers"
    draws_for_itself: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions:
    """What `record` is asked for: the command's words, what is recorded of it (`cpu`, `wall`, `memory`, `locks`), and
    after how many seconds it is interrupted; or a page's `url` (`reload`, `slower_cpu` and `network` are of a page), or
    the `pid` of a running process. `recorder` and `data` None: chosen, the setting's.
    """

    argv: tuple[str, ...]
    what: str
    seconds: float | None = None
    labels: tuple[str, ...] = ()
    recorder: str | None = None
    compare: str | None = None
    url: str | None = None
    reload: bool = False
    slower_cpu: float | None = None
    network: str | None = None
    pid: int | None = None
    data: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """How a recording ended: `file` None where none was left, `before` the one to compare with; `problem` is a line for
    the person.
    """

    exit_code: int
    file: Path | None
    before: Path | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRecorder:
    """A recorder, the kind of program it is of, what it records; `problem` None: it can be used here."""

    name: str
    of: str
    records: tuple[str, ...]
    merit: str
    problem: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """Where recordings lie and where their tables are written, each a folder or an address; None is not given. `engine`
    is `local` or `ray`."""

    source: str
    tables: str
    engine: str = "local"
    program: str | None = None
    workers: int | None = None


async def no_batch(options: BatchOptions, _: Callable[["BatchDone"], None]) -> "BatchDone":
    """The entry point of a program that reads nothing."""
    raise ConfigError(f"{options.source} is not read here")


def no_recording(options: RecordOptions, _: Callable[[str], None]) -> Recorded:
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


class BackupDone(Protocol):
    """What was written or restored: rows, files, files that rows name and nobody has, and of when it is."""

    @property
    def rows(self) -> int: ...
    @property
    def objects(self) -> int: ...
    @property
    def lost(self) -> int: ...
    @property
    def taken_at(self) -> str: ...


class PersonExported(Protocol):
    """What was written of a person: rows and files, and files that rows name and nobody has."""

    @property
    def rows(self) -> int: ...
    @property
    def objects(self) -> int: ...
    @property
    def lost(self) -> int: ...


class PersonDeleted(Protocol):
    """What was removed of a person; `stays` for the user of this machine, who is left with nothing."""

    @property
    def rows(self) -> int: ...
    @property
    def objects(self) -> int: ...
    @property
    def stays(self) -> bool: ...


async def no_export(data: Path | None, user_id: str, _: Path) -> PersonExported:
    """The entry point of a program that has no users."""
    raise ConfigError(f"there is no user {user_id} at {data or 'this place'}")


async def no_deletion(data: Path | None, user_id: str, _: str | None) -> PersonDeleted:
    """The entry point of a program that has no users."""
    raise ConfigError(f"there is no user {user_id} at {data or 'this place'}")


async def no_backups(data: Path | None, _: Path) -> BackupDone:
    """The entry point of a program that keeps nothing."""
    raise ConfigError(f"there is nothing to back up or restore at {data or 'this place'}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedForeignTool:
    """A tool of another server, and what is the matter with it; `fingerprint` None: its server does not list it."""

    server: str
    tool: str
    name: str
    access: str
    state: str
    description: str
    schema: dict[str, Any]
    fingerprint: str | None


class ForeignServers(Protocol):
    """The servers of the file that FLAMECHAT_MCP_SERVERS names."""

    async def listed(self) -> Sequence[ListedForeignTool]:
        """Every tool of each, asked now."""
        ...

    async def allow(self, server: str, tools: Sequence[str]) -> Sequence[ListedForeignTool]:
        """These as they are now; all of the file without any. Raises ConfigError."""
        ...

    async def call(self, server: str, tool: str, arguments: dict[str, Any]) -> str:
        """What a model would read. Raises ConfigError, ForeignCallFailed."""
        ...


def no_foreign_servers() -> ForeignServers:
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

    serve: Callable[[ServeOptions], int]
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
    back_up: Callable[[Path | None, Path], Awaitable[BackupDone]] = no_backups
    restore: Callable[[Path | None, Path], Awaitable[BackupDone]] = no_backups
    export_person: Callable[[Path | None, str, Path], Awaitable[PersonExported]] = no_export
    delete_person: Callable[[Path | None, str, str | None], Awaitable[PersonDeleted]] = no_deletion
    record: Callable[[RecordOptions, Callable[[str], None]], Recorded] = no_recording
    recorders: Callable[[], Sequence[ListedRecorder]] = tuple
    foreign_servers: Callable[[], ForeignServers] = no_foreign_servers
    terminal_sessions: "Callable[[], TerminalSessions]" = no_sessions
    batch: "Callable[[BatchOptions, Callable[[BatchDone], None]], Coroutine[Any, Any, BatchDone]]" = no_batch
