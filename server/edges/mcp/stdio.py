"""`flamechat mcp [TRACE...]`: the tools for a program on this machine, over stdin and stdout."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from mcp.server.stdio import stdio_server

from server.agent.tools.contract.tool_context import KnownTrace, Need
from server.edges.cli.local import LocalWorkers
from server.edges.mcp.call_progress import ImportUnderWay
from server.edges.mcp.caller_traces import OpenedTrace
from server.edges.mcp.numbered_results import NumberedResults
from server.edges.mcp.tools import Context, tools_server
from server.errors import NotFound, NotSupported
from server.ports.traces import OpenTrace
from server.protocol.wire_values import LimitsView


class LocalTraces:
    """Implements `CallerTraces` over files of this machine, read when they are first asked about. Without files to
    begin with, the other program may open some; where it `records`, it may have commands run and recorded."""

    def __init__(
        self, workers: LocalWorkers, files: Sequence[Path], *, source_folder: Path | None = None, records: bool = False
    ) -> None:
        self._workers = workers
        self._files = {f"t{index}": file for index, file in enumerate(files, 1)}
        self._source_folder = source_folder
        self._opens_files = not files
        self._records = records
        self._read: dict[str, OpenTrace] = {}
        self._reading = anyio.Lock()
        self._being_read: Path | None = None
        self._results = NumberedResults()

    @property
    def workers(self) -> LocalWorkers:
        return self._workers

    @property
    def opens_files(self) -> bool:
        return self._opens_files

    @property
    def records(self) -> bool:
        return self._records

    @property
    def results(self) -> NumberedResults:
        return self._results

    @property
    def has(self) -> frozenset[Need]:
        met: frozenset[Need] = frozenset({"traces", "upload"})
        return met | {"sources"} if self._source_folder is not None else met

    async def importing(self) -> ImportUnderWay | None:
        if (file := self._being_read) is None or (found := await self._workers.importing(file)) is None:
            return None
        return ImportUnderWay(file.name, found.bytes_read, (await anyio.Path(file).stat()).st_size)

    async def hidden_tools(self) -> frozenset[str]:
        return frozenset()

    async def traces(self) -> Sequence[KnownTrace]:
        """What was opened last comes first; files of the command line stay in its order."""
        known = [
            KnownTrace(trace_id=trace_id, name=file.name, created="", summary={})
            for trace_id, file in self._files.items()
        ]
        return known[::-1] if self._opens_files else known

    async def open(self, trace_id: str) -> OpenedTrace:
        """Raises NotFound, traces.errors.TraceError."""
        return OpenedTrace(await self.opened(trace_id), LocalToolContext(self, trace_id, self._source_folder))

    async def opened(self, trace_id: str) -> OpenTrace:
        file = self.file(trace_id)
        async with self._reading:
            if trace_id not in self._read:
                self._being_read = file
                try:
                    self._read[trace_id] = await self._workers.open(file)
                except OSError as error:
                    raise NotFound(f"{file.name} cannot be read: {error.strerror or error}.") from None
                finally:
                    self._being_read = None
            return self._read[trace_id]

    def file(self, trace_id: str) -> Path:
        if trace_id not in self._files:
            raise NotFound(f"There is no trace {trace_id}.")
        return self._files[trace_id]

    async def open_file(self, path: str) -> KnownTrace:
        """Raises NotFound, NotSupported, traces.errors.TraceError."""
        if not self._opens_files and not self._records:
            raise NotSupported("Only the files of the command line are answered about.")
        file = Path(await anyio.Path(path).expanduser())
        if not path or not await anyio.Path(file).is_file():
            raise NotFound(f"There is no file {path}.")
        trace_id = f"t{len(self._files) + 1}"
        self._files[trace_id] = file
        try:
            await self.opened(trace_id)
        except BaseException:
            del self._files[trace_id]
            raise
        return KnownTrace(trace_id=trace_id, name=file.name, created="", summary={})


@dataclass(frozen=True, slots=True)
class LocalToolContext:
    """Implements `ToolContext` over the local files."""

    local_traces: LocalTraces
    trace_id: str
    source_folder: Path | None

    @property
    def has(self) -> frozenset[Need]:
        return self.local_traces.has

    @property
    def repository(self) -> None:
        return None

    @property
    def recall(self) -> None:
        return None

    @property
    def documents(self) -> None:
        return None

    async def labels(self) -> Mapping[str, str]:
        return {}

    @property
    def memory(self) -> None:
        return None

    @property
    def runs(self) -> None:
        return None

    async def traces(self) -> Sequence[KnownTrace]:
        return [known for known in await self.local_traces.traces() if known.trace_id != self.trace_id]

    async def open(self, trace_id: str) -> OpenTrace:
        return await self.local_traces.opened(trace_id)

    def upload(self) -> AbstractAsyncContextManager[Path]:
        return self._upload()

    @asynccontextmanager
    async def _upload(self) -> AsyncIterator[Path]:
        yield self.local_traces.file(self.trace_id)

    async def usage(self) -> LimitsView:
        raise NotSupported("There is no plan here.")


async def serve_stdio(local_traces: LocalTraces, *, version: str) -> None:
    """Answer until stdin closes. Only the protocol writes to stdout."""

    async def traces_of(_: Context) -> LocalTraces:
        return local_traces

    server = tools_server(traces_of, version=version)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
