"""What was found in a cached trace, as a small file next to its columns."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from server.adapters.workers.cache_eviction import FINDINGS, UNFINISHED


@dataclass(frozen=True, slots=True)
class FindingsFile:
    """The place of one trace's findings: they go with its columns, and are not written once those are gone."""

    columns: Path

    def read(self) -> bytes | None:
        """What was written; None where nothing was."""
        try:
            return self._file.read_bytes()
        except OSError:
            return None

    def write(self, data: bytes) -> None:
        """Completely or not at all; a folder that is full or only read keeps none."""
        file = self._file
        aside = file.with_name(f"{file.name}.{os.getpid()}-{os.urandom(4).hex()}{UNFINISHED}")
        with suppress(OSError):
            if not self.columns.exists():
                return
            try:
                aside.write_bytes(data)
                aside.replace(file)
            finally:
                aside.unlink(missing_ok=True)
            if not self.columns.exists():  # forgotten meanwhile: names of functions do not outlive their trace
                file.unlink(missing_ok=True)

    @property
    def _file(self) -> Path:
        return self.columns.with_suffix(FINDINGS)
