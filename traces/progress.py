"""How far the reading of a file is: a counter that readers advance, in memory that another process may share."""

from traces.kernels.inputs import ReadCounter, advance

COUNTER_BYTES = 16
"""Two numbers of 8 bytes: what was read of a content, and its size; both count bytes, once decompressed."""


class Progress:
    """Counts in `memory` of COUNTER_BYTES, zeroed and writable, or in its own. It never goes back: what is read twice
    counts the first time."""

    def __init__(self, memory: bytearray | memoryview | None = None) -> None:
        self._numbers = memoryview(bytearray(COUNTER_BYTES) if memory is None else memory).cast("B").cast("q")

    @property
    def counter(self) -> ReadCounter:
        """The number that kernels advance."""
        return self._numbers[:1]

    def begin(self, content_bytes: int) -> None:
        """A content of this size is read from now on."""
        self._numbers[1] = content_bytes

    def advance(self, place: int) -> None:
        """All bytes before this place were read."""
        advance(self._numbers, place)

    def finish(self) -> None:
        """All was read."""
        self.advance(self._numbers[1])

    def bytes_read(self, file_bytes: int) -> int:
        """How much of a file of this size was read: as much of it as of its content. 0 while it is decompressed."""
        done, total = self._numbers
        return file_bytes * min(done, total) // total if total else 0
