"""What files come wrapped in: gzip, zstd, zip and tar with one trace, byte-order marks, UTF-16. Bounded, always."""

import codecs
from typing import TYPE_CHECKING

from traces.compression import Unwrapped, collect, gunzip, truncated, unzstd
from traces.errors import DamagedTrace, UnrecognisedTrace

if TYPE_CHECKING:
    from traces.archives import IsTrace

MAX_LAYERS = 4
"""A gzip of a zip of a gzip is already more than any tool writes."""
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
    start = bytes(data[:3])
    if start == codecs.BOM_UTF8:
        return data[3:]
    if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        try:
            return memoryview(bytes(data[: len(data) // 2 * 2]).decode("utf-16").encode("utf-8", "replace"))
        except UnicodeDecodeError as error:
            raise DamagedTrace(f"{name}: its text is UTF-16 that breaks off. Export it again.") from error
    return data
