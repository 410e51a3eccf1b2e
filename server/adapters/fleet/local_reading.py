"""Files of a fleet read by the worker processes of this machine."""

import errno
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from server.adapters.fleet.sources import FoundFile, Source
from server.adapters.workers.jobs import MeasuredFile
from server.errors import ServiceUnavailable

OF_THE_MACHINE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EROFS})
"""Failures that are no property of a file."""


class Measuring(Protocol):
    async def measure(self, source: Path, name: str) -> MeasuredFile:
        """Raises TraceError, WorkerFailed."""
        ...


@dataclass(frozen=True, slots=True)
class LocalReading:
    """Fetches each file and has a worker measure it."""

    source: Source
    workers: Measuring

    async def read(self, file: FoundFile) -> MeasuredFile:
        """Raises TraceError, WorkerFailed, NotFound, OSError, ServiceUnavailable where no file could be read."""
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = await self.source.fetch(file, Path(folder))
                return await self.workers.measure(path, Path(file.name).name)
        except OSError as error:
            if error.errno in OF_THE_MACHINE:
                text = f"Files cannot be kept while they are read: {error.strerror}."
                raise ServiceUnavailable(text, service="temporary folder") from None
            raise
