"""What files come wrapped in: gzip, zstd, zip with one member, byte-order marks, UTF-16. Bounded, always."""

import codecs
import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import IO

import zstandard

from traces.analysis.units import format_value
from traces.archives import (
    BROKEN,
    IsTrace,
    chosen,
    inflated_first,
    is_tar,
    tar_members,
    zip_members,
)
from traces.bounds import EXPANSION_GRACE_BYTES, MAX_DECOMPRESSED_BYTES, MAX_EXPANSION
from traces.errors import DamagedTrace, TraceTooLarge, UnrecognisedTrace
from traces.values import Unit

MAX_LAYERS = 4
"""A gzip of a zip of a gzip is already more than any tool writes."""
OUTPUT_CHUNK = 16 << 20
BUNDLE_SIGN = ".trace/form.template"
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


def unwrapped(data: memoryview, name: str, is_trace: IsTrace) -> Unwrapped:
    """What a file holds once unpacked; of one that breaks off, as much as there is, and of an archive the file that
    `is_trace`.

    Raises DamagedTrace (broken, or nothing is left), TraceTooLarge (over `bounds`), UnrecognisedTrace (an archive of
    several files).
    """
    found = Unwrapped(data)
    for _ in range(MAX_LAYERS):
        start, packed = bytes(found.content[:4]), found.content
        if start[:3] == b"\x1f\x8b\x08":
            chunks = _gunzip(packed, name, found)
        elif start == b"\x28\xb5\x2f\xfd":
            chunks = _unzstd(packed, name, found)
        elif start in (b"PK\x03\x04", b"PK\x05\x06"):
            if is_bundle(packed):
                return found
            chunks = _unzip(packed, name, found, is_trace)
        elif is_tar(packed):
            chunks = _untar(packed, name, is_trace)
        else:
            break
        found.content = _collect(chunks, len(packed), name)
        if found.cut is not None and not len(found.content):
            raise _truncated(name, found.cut)
    found.content = _as_utf8(found.content, name)
    return found


def is_bundle(data: memoryview) -> bool:
    """Whether a zip holds the one kind of trace that is a folder: what Apple's Instruments saves."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(member.endswith(BUNDLE_SIGN) for member in archive.namelist())
    except BROKEN:
        return False


def read_member(archive: zipfile.ZipFile, member: str, name: str, limit: int = MAX_DECOMPRESSED_BYTES) -> memoryview:
    """One file of an archive, and what it holds where it is zlib itself. Raises DamagedTrace, TraceTooLarge."""
    try:
        info = archive.getinfo(member)
        with _opened(archive, info) as file:
            data = _collect(iter(lambda: file.read(OUTPUT_CHUNK), b""), info.compress_size, name, limit)
        if bytes(data[:1]) == b"\x78" and len(data) > 1 and (0x7800 | data[1]) % 31 == 0:
            data = _collect(_inflate(data), len(data), name, limit)
    except RuntimeError as error:
        raise UnrecognisedTrace(f"{name}: this zip is encrypted or packed in a way that is not read.") from error
    except BROKEN as error:
        raise _broken(name, "zip") from error
    return data


def read_zstd_stream(data: memoryview, name: str) -> memoryview:
    """What a zstd stream holds that its writer may never have ended. Raises DamagedTrace, TraceTooLarge."""
    return _collect(_unzstd(data, name, Unwrapped(data)), len(data), name)


def _opened(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise RuntimeError("packed in a way that is not read")  # LZMA takes the memory that its first bytes ask for
    return archive.open(info)


def _collect(chunks: Iterable[bytes], packed: int, name: str, most: int = MAX_DECOMPRESSED_BYTES) -> memoryview:
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
    return memoryview(out).toreadonly()


def _gunzip(data: memoryview, name: str, found: Unwrapped) -> Iterator[bytes]:
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
            raise _broken(name, "gzip") from error
    if not inflate.eof:
        found.cut = "gzip"


def _unzstd(data: memoryview, name: str, found: Unwrapped) -> Iterator[bytes]:
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
                raise _broken(name, "zstd") from error
            feed = inflate.unused_data if inflate.eof else b""
    if not inflate.eof:
        found.cut = "zstd"


def _inflate(data: memoryview) -> Iterator[bytes]:
    decompressor = zlib.decompressobj()
    feed: bytes | memoryview = data
    while not decompressor.eof:
        yield (chunk := decompressor.decompress(feed, OUTPUT_CHUNK))
        feed = decompressor.unconsumed_tail
        if not feed and not chunk and not decompressor.eof:
            raise EOFError


def _unzip(data: memoryview, name: str, found: Unwrapped, is_trace: IsTrace) -> Iterator[bytes]:
    """The one trace in a zip; of one that breaks off, its first file as far as it goes."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except BROKEN:
        found.cut = "zip"
        yield from _first_of_cut_zip(data, name)
        return
    try:
        with archive, chosen(zip_members(archive, partial(_opened, archive)), "zip", name, is_trace).open() as file:
            while chunk := file.read(OUTPUT_CHUNK):
                yield chunk
    except RuntimeError as error:
        raise UnrecognisedTrace(f"{name}: this zip is encrypted or packed in a way that is not read.") from error
    except BROKEN as error:
        raise _broken(name, "zip") from error


def _first_of_cut_zip(data: memoryview, name: str) -> Iterator[bytes]:
    try:
        yield from inflated_first(data, INPUT_CHUNK)
    except BROKEN as error:
        raise _broken(name, "zip") from error


def _untar(data: memoryview, name: str, is_trace: IsTrace) -> Iterator[bytes]:
    """The one trace in a tar."""
    try:
        with (
            tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive,
            chosen(tar_members(archive), "tar", name, is_trace).open() as file,
        ):
            while chunk := file.read(OUTPUT_CHUNK):
                yield chunk
    except BROKEN as error:
        raise DamagedTrace(f"{name}: this tar archive is damaged. Copy or pack it again.") from error


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


def _broken(name: str, kind: str) -> DamagedTrace:
    return DamagedTrace(f"{name}: its {kind} compression is damaged. Copy or export the file again.")


def _truncated(name: str, kind: str) -> DamagedTrace:
    return DamagedTrace(f"{name}: the {kind} file is truncated: it ends before its data does. Copy it again in full.")
