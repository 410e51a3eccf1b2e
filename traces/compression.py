"""Streams of compressed bytes, unpacked within bounds: gzip, zstd, zlib."""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from traces.analysis.units import format_value
from traces.bounds import (
    EXPANSION_GRACE_BYTES,
    GREAT_BYTES,
    MAX_DECOMPRESSED_BYTES,
    MAX_EXPANSION,
    MAX_GREAT_EXPANSION,
)
from traces.errors import DamagedTrace, TraceTooLarge
from traces.values import Unit

OUTPUT_CHUNK = 16 << 20
INPUT_CHUNK = 1 << 20
GZIP_WINDOW = 31
"""zlib's number for the largest window in a gzip member."""
ZSTD_INPUT_CHUNK = 8 << 10
"""zstd gives all the output of what it is fed: small bites keep it below 256 MB even for a bomb."""


@dataclass(slots=True)
class Unwrapped:
    """A file's own bytes, as UTF-8 where they are text. `cut` names what they came packed as where that breaks off."""

    content: memoryview
    cut: str | None = None


def collect(chunks: Iterable[bytes], packed: int, name: str, most: int = MAX_DECOMPRESSED_BYTES) -> memoryview:
    """What the chunks are together. Raises TraceTooLarge over `most`, or over MAX_EXPANSION times `packed`,
    MAX_GREAT_EXPANSION where it is great."""
    out = bytearray()
    for chunk in chunks:
        out += chunk
        if len(out) > most:
            limit = format_value(most, Unit.BYTES)
            raise TraceTooLarge(f"{name}: it holds more than {limit} once decompressed. Record a shorter time.")
        if len(out) > EXPANSION_GRACE_BYTES and len(out) > packed * MAX_EXPANSION:
            raise TraceTooLarge(
                f"{name}: it decompresses to more than {MAX_EXPANSION} times its size, which no trace does. "
                "If it is one, upload it uncompressed."
            )
        if len(out) > GREAT_BYTES and len(out) > packed * MAX_GREAT_EXPANSION:
            great = format_value(GREAT_BYTES, Unit.BYTES)
            raise TraceTooLarge(
                f"{name}: it decompresses to more than {great}, and more than {MAX_GREAT_EXPANSION} times its size. "
                "Record a shorter time, or upload it uncompressed."
            )
    return memoryview(out).toreadonly()


def read_zstd_stream(data: memoryview, name: str) -> memoryview:
    """What a zstd stream holds that its writer may never have ended. Raises DamagedTrace, TraceTooLarge."""
    return collect(unzstd(data, name, Unwrapped(data)), len(data), name)


def gunzip(data: memoryview, name: str, found: Unwrapped) -> Iterator[bytes]:
    """Members one after the other (RFC 1952), zeros between them; what else stands behind the first is left out."""
    inflate, members = zlib.decompressobj(GZIP_WINDOW), 0
    try:
        for offset in range(0, len(data), INPUT_CHUNK):
            feed: bytes | memoryview = data[offset : offset + INPUT_CHUNK]
            while feed:
                if inflate.eof:
                    members += 1
                    feed = bytes(feed).lstrip(b"\0")
                    if not feed:
                        break
                    inflate = zlib.decompressobj(GZIP_WINDOW)
                yield inflate.decompress(feed, OUTPUT_CHUNK)
                feed = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
    except zlib.error as error:
        if not members:
            raise broken(name, "gzip") from error
    if not inflate.eof:
        found.cut = "gzip"


def unzstd(data: memoryview, name: str, found: Unwrapped) -> Iterator[bytes]:
    """Frames one after the other. Raises DamagedTrace."""
    import zstandard  # noqa: PLC0415 - 2 ms that what is packed otherwise, or not at all, need not wait for

    decompressor = zstandard.ZstdDecompressor()
    inflate = decompressor.decompressobj()
    for offset in range(0, len(data), ZSTD_INPUT_CHUNK):
        feed: bytes | memoryview = data[offset : offset + ZSTD_INPUT_CHUNK]
        while feed:
            if inflate.eof:  # another frame follows
                inflate = decompressor.decompressobj()
            try:
                yield inflate.decompress(feed)
            except zstandard.ZstdError as error:
                raise broken(name, "zstd") from error
            feed = inflate.unused_data if inflate.eof else b""
    if not inflate.eof:
        found.cut = "zstd"


def inflated(data: memoryview) -> Iterator[bytes]:
    """What zlib packed. Raises EOFError where it breaks off, zlib.error."""
    decompressor = zlib.decompressobj()
    feed: bytes | memoryview = data
    while not decompressor.eof:
        yield (chunk := decompressor.decompress(feed, OUTPUT_CHUNK))
        feed = decompressor.unconsumed_tail
        if not feed and not chunk and not decompressor.eof:
            raise EOFError


def broken(name: str, kind: str) -> DamagedTrace:
    """The error for what cannot be unpacked."""
    return DamagedTrace(f"{name}: its {kind} compression is damaged. Copy or export the file again.")


def truncated(name: str, kind: str) -> DamagedTrace:
    """The error for what breaks off before anything came of it."""
    return DamagedTrace(f"{name}: the {kind} file is truncated: it ends before its data does. Copy it again in full.")
