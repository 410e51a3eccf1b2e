"""How far an import is: a counter that the worker's reader advances and the server looks at, in memory of both.

The memory is an anonymous file of the kernel (memfd_create(2)), which has no name and goes with its last user; a worker
maps it through the descriptor of the server (/proc/PID/fd, proc(5)). Both are Linux's: elsewhere nobody learns how far
an import is.
"""

import mmap
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from traces.progress import COUNTER_BYTES, Progress


@dataclass(frozen=True, slots=True)
class Place:
    """Where a worker finds the memory, as long as the server keeps it."""

    process: int
    descriptor: int


class SharedProgress:
    """The server's end. `progress` and `place` are None where there is no such memory."""

    def __init__(self) -> None:
        self.progress: Progress | None = None
        self.place: Place | None = None
        self._memory: mmap.mmap | None = None
        if sys.platform == "linux":
            descriptor = os.memfd_create("import-progress")
            os.ftruncate(descriptor, COUNTER_BYTES)
            self._memory = mmap.mmap(descriptor, COUNTER_BYTES)
            self.place = Place(os.getpid(), descriptor)
            self.progress = Progress(memoryview(self._memory))

    def close(self) -> None:
        """Give the memory back; the worker's end is not concerned."""
        if self.place is not None:
            os.close(self.place.descriptor)
        self.progress = self.place = self._memory = None


@contextmanager
def shared_progress() -> Iterator[SharedProgress]:
    """The server's end, for as long as an import lasts."""
    shared = SharedProgress()
    try:
        yield shared
    finally:
        shared.close()


def attached_progress(place: Place | None) -> Progress:
    """The worker's end; a counter that nobody looks at without a place. Raises OSError when the server has gone."""
    if place is None:
        return Progress()
    with Path(f"/proc/{place.process}/fd/{place.descriptor}").open("r+b", buffering=0) as memory:
        return Progress(memoryview(mmap.mmap(memory.fileno(), COUNTER_BYTES)))
