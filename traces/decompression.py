"""What files come wrapped in: gzip, zstd, zip and tar with one trace, byte-order marks, UTF-16. Bounded, always."""

import codecs
from typing import TYPE_CHECKING

from traces.bounds import DETECTION_BYTES
from traces.compression import Unwrapped, collect, gunzip, truncated, unzstd
from traces.errors import DamagedTrace, UnrecognisedTrace
from traces.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from traces.archives import IsTrace

MAX_LAYERS = 4
"""A gzip of a zip of a gzip is already more than any tool writes."""
CONTROL = lazy_regex(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
"""Bytes that no text has."""
SIGN_BYTES = 32
MARKS = (
    (codecs.BOM_UTF8, None),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""In the order of asking: UTF-32's begins with UTF-16's."""
TAR = b"ustar"
TAR_MAGIC_AT = 257


def unwrapped(data: memoryview, name: str, is_trace: "IsTrace") -> Unwrapped:
    """What a file holds once unpacked; of one that breaks off, as much as there is, and of an archive the file that
    `is_trace`.

    Raises DamagedTrace (broken, or nothing is left), TraceTooLarge (over `bounds`), UnrecognisedTrace (an archive of
    several files, or what is packed too often).
    """
    found = Unwrapped(data)
    for layer in range(MAX_LAYERS + 1):
        start, packed = bytes(found.content[:4]), found.content
        if start[:3] == b"\x1f\x8b\x08":
            chunks = gunzip(packed, name, found)
        elif start == b"\x28\xb5\x2f\xfd":
            chunks = unzstd(packed, name, found)
        elif start in (b"PK\x03\x04", b"PK\x05\x06"):
            from traces.archives import is_bundle, unzip  # noqa: PLC0415 - 8 ms that others need not wait for

            if is_bundle(packed):
                return found
            chunks = unzip(packed, name, found, is_trace)
        elif _is_tar(packed):
            from traces.archives import untar  # noqa: PLC0415 - as above

            chunks = untar(packed, name, is_trace)
        else:
            break
        if layer == MAX_LAYERS:
            raise UnrecognisedTrace(f"{name}: it is packed more than {MAX_LAYERS} times over. Pack the trace itself.")
        found.content = collect(chunks, len(packed), name)
        if found.cut is not None and not len(found.content):
            raise truncated(name, found.cut)
    found.content = _as_utf8(found.content, name)
    return found


def _is_tar(data: memoryview) -> bool:
    """POSIX's and GNU's archives have their magic in the first header."""
    return bytes(data[TAR_MAGIC_AT : TAR_MAGIC_AT + len(TAR)]) == TAR


def _as_utf8(data: memoryview, name: str) -> memoryview:
    """Text as UTF-8, its lines as elsewhere; other bytes as they are. Raises DamagedTrace."""
    coding, mark = _coding(bytes(data[:SIGN_BYTES]))
    if coding is not None:
        width = 4 if "32" in coding else 2
        try:
            text = str(bytes(data[mark : mark + (len(data) - mark) // width * width]), coding)
        except UnicodeDecodeError as error:
            raise DamagedTrace(f"{name}: its text is {coding.upper()} that breaks off. Export it again.") from error
        return memoryview(text.encode("utf-8", "replace"))
    plain = data[mark:]
    start = bytes(plain[:DETECTION_BYTES])
    if b"\r" in start and b"\n" not in start and CONTROL.search(start) is None:
        return memoryview(bytes(plain).replace(b"\r", b"\n"))  # ends of lines of old
    return plain


def _coding(start: bytes) -> tuple[str | None, int]:
    """What text is written in that is not UTF-8, by its mark or as every other byte is zero, and the mark's length."""
    for mark, coding in MARKS:
        if start.startswith(mark):
            return coding, len(mark)
    for at, coding in ((0, "utf-16-le"), (1, "utf-16-be")):
        letters, zeros = start[at::2], start[1 - at :: 2]
        if len(start) == SIGN_BYTES and not any(zeros) and all(9 <= letter < 127 for letter in letters):
            return coding, 0
    return None, 0
