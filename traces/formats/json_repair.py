"""A JSON document that breaks off, or whose texts are broken, as one that can be read.

A recorder that died, a full disk and a halted copy leave a document without its end. Everything complete is kept, what
is open is closed. What to do with the element that breaks off depends on the format: half an event is nothing, half a
list of threads is worth reading. So a small one among complete ones is left out; and where the format cannot read what
is kept, more is left out, up to the outermost list.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from traces.formats.invalid_utf8 import with_question_marks
from traces.formats.strict_json import with_nulls
from traces.formats.surrogates import without_half_characters
from traces.kernels.json_levels import Level, Levels, scan_levels
from traces.kernels.library import NotReadable

SMALL_BYTES, SMALL_PART = 4_096, 64
"""An element that breaks off is left out where it has fewer bytes than this, or is smaller than this part of all."""
MOST_ATTEMPTS = 6
SPACE = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class Repaired:
    """`kept` bytes of the document are in `content`, at their places; `breaks_off` says whether brackets were closed
    behind them. `halves` of characters, `invalid` bytes and what is `loose` (`strict_json`) were replaced."""

    content: memoryview
    kept: int
    breaks_off: bool
    halves: int
    invalid: int
    loose: int = 0


def repairs(content: memoryview) -> Iterator[Repaired]:
    """The document repaired, with as much of it as can be kept first; nothing where nothing is to be repaired."""
    text, halves = without_half_characters(content)
    plain, invalid = with_question_marks(text if halves else content)
    document = memoryview(plain if invalid else text) if halves or invalid else content
    size = size_without_padding(document)
    strict: bytes | memoryview = b""
    loose = 0
    levels: Levels | None
    try:
        levels = scan_levels(document[:size])
        if not levels.open_:
            strict, loose = with_nulls(document[: levels.end])
    except NotReadable:  # broken in its middle
        strict, loose = with_nulls(document[:size])
        levels = _levels_of_broken(strict) if loose else None
        document = document if levels is None else memoryview(strict)
    if loose and not (levels and levels.open_):
        yield Repaired(memoryview(strict), len(strict), breaks_off=False, halves=halves, invalid=invalid, loose=loose)
    if levels is None:
        if halves or invalid:
            yield Repaired(document, len(document), breaks_off=False, halves=halves, invalid=invalid)
        return
    if not levels.open_:
        if halves or invalid or bytes(document[levels.end :]).strip(SPACE):
            yield Repaired(document[: levels.end], levels.end, breaks_off=False, halves=halves, invalid=invalid)
        return
    for at in _places(levels.open_, size):
        kept = levels.open_[at].kept
        closing = b"".join(b"]" if level.is_array else b"}" for level in reversed(levels.open_[: at + 1]))
        repaired = b"".join((document[:kept], closing))
        strict, more = with_nulls(repaired)
        yield Repaired(memoryview(strict), kept, breaks_off=True, halves=halves, invalid=invalid, loose=loose + more)


def _levels_of_broken(strict: bytes | memoryview) -> Levels | None:
    """Of a document without what made it unreadable, where it breaks off as well."""
    try:
        levels = scan_levels(memoryview(strict))
    except NotReadable:
        return None
    return levels if levels.open_ else None


def _places(levels: tuple[Level, ...], size: int) -> list[int]:
    """At which levels to break off, the best first."""
    innermost = len(levels) - 1
    lists = [at for at, level in enumerate(levels) if level.is_array and level.count]
    small = [at for at in lists if size - levels[at].element <= max(SMALL_BYTES, size // SMALL_PART)]
    return list(dict.fromkeys((*small[:1], innermost, *reversed(lists))))[:MOST_ATTEMPTS]


def size_without_padding(document: memoryview) -> int:
    """The size without zeros at the end: what a file system leaves of a file that was not written in full."""
    size = len(document)
    while size and document[size - 1] == 0:
        step = min(size, 1 << 16)
        size -= step - len(bytes(document[size - step : size]).rstrip(b"\0"))
    return size
