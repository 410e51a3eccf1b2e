"""By what pprof's forms from before protobuf are recognised; it loads nothing, as every file is asked for them."""

import re
import struct
from enum import Enum, auto

from traces.lazy_regex import lazy_regex

HEAD_BYTES = 4_096
SYMBOLS = lazy_regex(rb"\A--- symbol\r?\n(.*?)^---\r?\n(?:--- \w+\r?\n)?", re.DOTALL | re.MULTILINE)
"""gperftools' list of names, which may stand before any of the forms."""
COMMENTS = rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*+"


class LegacyForm(Enum):
    """The text forms."""

    HEAP = auto()
    JEMALLOC = auto()
    JAVA = auto()
    CONTENTION = auto()
    THREADS = auto()
    COUNT = auto()


SIGNS: tuple[tuple[re.Pattern[bytes], LegacyForm], ...] = (
    (
        lazy_regex(rb"heap profile: *\d+: *\d+ *\[ *\d+: *\d+ *\] *@ *(?:heap|growth|fragmentation)"),
        LegacyForm.HEAP,
    ),
    (lazy_regex(rb"heap_v2/\d+\s"), LegacyForm.JEMALLOC),
    (lazy_regex(rb"--- (?:heapz 1 ---|contentionz 1 ---\s+format *= *java)"), LegacyForm.JAVA),
    (lazy_regex(rb"--- (?:contentionz |mutex:|contention:)"), LegacyForm.CONTENTION),
    (lazy_regex(COMMENTS + rb"--- (?:threadz \d+ ---|Thread [0-9a-fA-F]+ \(name: )"), LegacyForm.THREADS),
    (
        lazy_regex(COMMENTS + rb"\S{1,200} profile: total \d+\r?\n" + COMMENTS + rb"(?:\d+ @ 0x|---|\Z)"),
        LegacyForm.COUNT,
    ),
)
LAYOUTS = ("<I", ">I", "<Q", ">Q")
HEADER_WORDS = 5


def is_legacy(start: bytes) -> bool:
    """Whether a file that begins so is one of these forms."""
    return start.startswith(b"--- symbol\n") or word_layout(start) is not None or text_form(start) is not None


def text_form(start: bytes) -> LegacyForm | None:
    """Which text form begins so."""
    return next((form for sign, form in SIGNS if sign.match(start)), None)


def word_layout(start: bytes) -> str | None:
    """Of which words a CPU profile is that begins so, as `struct` and numpy name them: 0, 3, 0 or 1, a period, 0."""
    for layout in LAYOUTS:
        size = struct.calcsize(layout) * HEADER_WORDS
        if len(start) >= size:
            first = struct.unpack_from(f"{layout[0]}{HEADER_WORDS}{layout[1]}", start)
            if first[:2] == (0, 3) and first[2] in (0, 1) and first[3] > 0 and first[4] == 0:
                return layout
    return None
