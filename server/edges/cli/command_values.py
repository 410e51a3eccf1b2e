"""What commands are asked for by their options, and what comes back of it: loaded by the commands that have them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from server.agent.turn import Agent
    from server.edges.cli.local import LocalWorkers


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
