"""Which code lies at an address, while a virtual machine makes, moves and deletes it."""

from bisect import bisect_right

from traces.model import NONE

PAGE_BITS = 14
MAX_CODE_BYTES = 4 << 20
"""Machine code of one function stays far below; a larger one is a broken number and would fill memory with pages."""


class CodeMap:
    """Ranges of addresses with the number of what lies there. The latest code wins; libraries lie below all code."""

    def __init__(self) -> None:
        self._pages: dict[int, list[tuple[int, int, int]]] = {}  # start, end and number of all code on a page
        self._code: dict[int, tuple[int, int, int]] = {}  # by start
        self._library_starts: list[int] = []
        self._libraries: list[tuple[int, int]] = []  # end and number, in order of start

    def add_library(self, start: int, end: int, number: int) -> None:
        """A mapped file."""
        at = bisect_right(self._library_starts, start)
        self._library_starts.insert(at, start)
        self._libraries.insert(at, (end, number))

    def add(self, start: int, size: int, number: int) -> None:
        """New code; what lay there before is gone. Raises ValueError for an impossible size."""
        if not 0 <= size <= MAX_CODE_BYTES:
            raise ValueError("a code's size is out of range")
        end = start + size
        pages = range(start >> PAGE_BITS, (end >> PAGE_BITS) + 1)
        for page in pages:
            for old in [c for c in self._pages.get(page, ()) if c[0] < end and start < c[1]]:
                self.remove(old[0])
        self.remove(start)
        entry = self._code[start] = (start, end, number)
        for page in pages:
            self._pages.setdefault(page, []).append(entry)

    def move(self, start: int, to: int) -> None:
        """Code has a new place; nothing happens when none began at `start`."""
        entry = self._code.get(start)
        if entry is not None:
            self.remove(start)
            self.add(to, entry[1] - start, entry[2])

    def remove(self, start: int) -> None:
        """The code that begins at `start`, if there is one, is gone."""
        entry = self._code.pop(start, None)
        if entry is not None:
            for page in range(start >> PAGE_BITS, (entry[1] >> PAGE_BITS) + 1):
                self._pages[page].remove(entry)

    def find(self, address: int) -> int:
        """The number of the code or library at an address, or -1."""
        for start, end, number in self._pages.get(address >> PAGE_BITS, ()):
            if start <= address < end:
                return number
        at = bisect_right(self._library_starts, address) - 1
        if at >= 0 and address < self._libraries[at][0]:
            return self._libraries[at][1]
        return NONE
