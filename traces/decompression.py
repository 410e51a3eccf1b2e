"""What files come wrapped in: gzip, zstd, zip with one member, byte-order marks, UTF-16. Bounded, always."""

import codecs
import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO

import zstandard

from traces.analysis.units import format_value
from traces.bounds import EXPANSION_GRACE_BYTES, MAX_DECOMPRESSED_BYTES, MAX_EXPANSION
from traces.errors import DamagedTrace, TraceTooLarge, UnrecognisedTrace
from traces.values import Unit

MAX_LAYERS = 4
"""A gzip of a zip of a gzip is already more than any tool writes."""
OUTPUT_CHUNK = 16 << 20
BUNDLE_SIGN = ".trace/form.template"
BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, OSError)
"""What zipfile raises for files that are broken."""
ZSTD_INPUT_CHUNK = 8 << 10
"""zstd gives all the output of what it is fed: small bites keep it below 256 MB even for a bomb."""


def unwrap(data: memoryview, name: str) -> memoryview:
    """The trace's own bytes, as UTF-8 where they are text.

    Raises DamagedTrace (truncated or broken), TraceTooLarge (over `bounds`), UnrecognisedTrace (an archive of several
    files).
    """
    for _ in range(MAX_LAYERS):
        start = bytes(data[:4])
        if start[:3] == b"\x1f\x8b\x08":
            data = _collect(_gunzip(data, name), len(data), name)
        elif start == b"\x28\xb5\x2f\xfd":
            data = _collect(_unzstd(data, name), len(data), name)
        elif start in (b"PK\x03\x04", b"PK\x05\x06"):
            if is_bundle(data):
                return data
            data = _collect(_unzip(data, name), len(data), name)
        else:
            break
    return _as_utf8(data, name)


def is_bundle(data: memoryview) -> bool:
    """Whether a zip holds the one kind of trace that is a folder: what Apple's Instruments saves."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(member.endswith(BUNDLE_SIGN) for member in archive.namelist())
    except BROKEN_ZIP:
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
    except BROKEN_ZIP as error:
        raise _broken(name, "zip") from error
    return data


def read_zstd_stream(data: memoryview, name: str) -> memoryview:
    """What a zstd stream holds that its writer may never have ended. Raises DamagedTrace, TraceTooLarge."""
    return _collect(_unzstd(data, name, ended=False), len(data), name)


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


def _gunzip(data: memoryview, name: str) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while chunk := file.read(OUTPUT_CHUNK):
                yield chunk
    except EOFError as error:
        raise _truncated(name, "gzip") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise _broken(name, "gzip") from error


def _unzstd(data: memoryview, name: str, *, ended: bool = True) -> Iterator[bytes]:
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
    if ended and not inflate.eof:
        raise _truncated(name, "zstd")


def _inflate(data: memoryview) -> Iterator[bytes]:
    decompressor = zlib.decompressobj()
    feed: bytes | memoryview = data
    while not decompressor.eof:
        yield (chunk := decompressor.decompress(feed, OUTPUT_CHUNK))
        feed = decompressor.unconsumed_tail
        if not feed and not chunk and not decompressor.eof:
            raise EOFError


def _unzip(data: memoryview, name: str) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]
            if len(members) != 1:
                raise UnrecognisedTrace(
                    f"{name}: this zip holds {len(members)} files; one trace is expected. Unpack it and choose one."
                )
            with _opened(archive, members[0]) as member:
                while chunk := member.read(OUTPUT_CHUNK):
                    yield chunk
    except RuntimeError as error:
        raise UnrecognisedTrace(f"{name}: this zip is encrypted or packed in a way that is not read.") from error
    except BROKEN_ZIP as error:
        raise _broken(name, "zip") from error


def _as_utf8(data: memoryview, name: str) -> memoryview:
    start = bytes(data[:3])
    if start == codecs.BOM_UTF8:
        return data[3:]
    if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        try:
            return memoryview(bytes(data).decode("utf-16").encode("utf-8", "replace"))
        except UnicodeDecodeError as error:
            raise DamagedTrace(f"{name}: its text is UTF-16 that breaks off. Export it again.") from error
    return data


def _broken(name: str, kind: str) -> DamagedTrace:
    return DamagedTrace(f"{name}: its {kind} compression is damaged. Copy or export the file again.")


def _truncated(name: str, kind: str) -> DamagedTrace:
    return DamagedTrace(f"{name}: the {kind} file is truncated: it ends before its data does. Copy it again in full.")
