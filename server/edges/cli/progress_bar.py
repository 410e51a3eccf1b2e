"""A bar on one line of a terminal: what is done, how much of it, and the time gone. Plain characters and a carriage
return, so that any terminal and encoding shows it.
"""

import os
import sys
import time
import unicodedata

from server.quoting import plain

WIDTH = 24
"""Characters of the bar."""

BLOCK = 6
"""Characters that move where nobody knows how much is left."""

STEPS_A_SECOND = 10
"""Of the moving block."""

DEFAULT_COLUMNS = 80
"""Where the terminal does not say how wide it is, as POSIX has it."""


def drawn(part: float | None, elapsed: float) -> str:
    """The bar filled to a part of 1, or a block on its way there and back for None."""
    if part is not None:
        return "[" + ("#" * int(part * WIDTH)).ljust(WIDTH) + "]"
    room = WIDTH - BLOCK
    step = int(elapsed * STEPS_A_SECOND) % (2 * room)
    return "[" + (" " * min(step, 2 * room - step) + "#" * BLOCK).ljust(WIDTH) + "]"


def fitted(text: str, columns: int) -> str:
    """The beginning of a text, with spaces behind it, so that it takes exactly so many columns of a terminal."""
    taken, kept = 0, []
    for char in text:
        taken += columns_of(char)
        if taken > columns:
            taken -= columns_of(char)
            break
        kept.append(char)
    return "".join(kept) + " " * (columns - taken)


def columns_of(char: str) -> int:
    """How many columns a character takes: none where it combines with the one before, two where it is wide."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


class ProgressBar:
    """`draw` shows it as it stands, `erase` leaves the line empty."""

    def __init__(self, doing: str) -> None:
        self._doing = plain(doing)
        self._began = time.monotonic()
        self._stand: tuple[float | None, str] = (None, "")

    def show(self, part: float | None, read: str) -> None:
        """Take what `draw` shows: the part that is done, None where it is not known, and words for it."""
        self._stand = (part, read)

    def draw(self) -> None:
        """Write the line over itself."""
        part, read = self._stand
        elapsed = time.monotonic() - self._began
        minutes, seconds = divmod(int(elapsed), 60)
        parts = (self._doing, drawn(part, elapsed), read, f"{minutes}:{seconds:02}")
        _write(fitted(" ".join(filter(None, parts)), _columns()))

    def erase(self) -> None:
        """Write spaces over the line."""
        _write(" " * _columns())


def _columns() -> int:
    """One less than the terminal has: a full line would end on the next."""
    try:
        return (os.get_terminal_size(sys.stderr.fileno()).columns or DEFAULT_COLUMNS) - 1
    except (OSError, ValueError):
        return DEFAULT_COLUMNS - 1


def _write(line: str) -> None:
    sys.stderr.write(f"\r{line}\r")
    sys.stderr.flush()
