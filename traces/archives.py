"""Archives: which of the files in a zip or a tar is the trace. Nothing is unpacked to disk."""

import io
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import IO

from traces.bounds import DETECTION_BYTES, MAX_DECOMPRESSED_BYTES
from traces.compression import INPUT_CHUNK, OUTPUT_CHUNK, Unwrapped, broken, collect, inflated
from traces.errors import DamagedTrace, UnrecognisedTrace

MAX_MEMBERS = 200
"""Files of an archive that are looked into; of more, none is."""
SHOWN = 5
SHOWN_CHARACTERS = 60
ZIP = b"PK\x03\x04"
LOCAL_HEADER = struct.Struct("<4s5H3I2H")
"""Of a file in a zip: APPNOTE.TXT of PKWARE, section 4.3.7."""
ENCRYPTED = 1
NEVER = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
"""What file managers add to archives."""
BROKEN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error, EOFError, ValueError, OSError)
"""What the libraries raise for archives that are broken."""

CTF_METADATA = (b"\x57\x1d\xd1\x75", b"\x75\xd1\x1d\x57", b"/* CTF 1")
"""How the file `metadata` of a folder of LTTng begins: packets of either byte order, or text (CTF 1.8, section 7)."""
CTF = "a CTF trace (LTTng). Record stacks with `perf record -g`, then `perf script`"
BUNDLE_SIGN = ".trace/form.template"

UNREADABLE_ZIP = "this zip is encrypted or packed in a way that is not read. Unpack it and choose the trace in it."
DOCUMENTS = (".md", ".rst", "readme", "readme.txt", "license", "license.txt")
"""What lies next to a trace and may quote one."""

IsTrace = Callable[[bytes, str], bool]
"""Whether a file of these first bytes and this name is a trace."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file of an archive; `is_link` is none, but points to one."""

    name: str
    is_link: bool
    open: Callable[[], IO[bytes]]


def zip_members(archive: zipfile.ZipFile, opened: Callable[[zipfile.ZipInfo], IO[bytes]]) -> list[Member]:
    """The files of a zip, without folders and what file managers add."""
    return [
        Member(info.filename, stat.S_ISLNK(info.external_attr >> 16), partial(opened, info))
        for info in archive.infolist()
        if not info.is_dir() and not _is_noise(info.filename)
    ]


def tar_members(archive: tarfile.TarFile) -> list[Member]:
    """The files of a tar, up to one more than are looked into."""
    found: list[Member] = []
    for info in archive:
        if (info.isfile() or info.issym() or info.islnk()) and not _is_noise(info.name):
            found.append(Member(info.name, not info.isfile(), partial(_open, archive, info)))
        if len(found) > MAX_MEMBERS:
            break
    return found


def _open(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    file = archive.extractfile(info)
    return io.BytesIO() if file is None else file


def _is_noise(name: str) -> bool:
    return name.startswith(NEVER[0]) or name.rsplit("/", 1)[-1].startswith((*NEVER[1:], "._"))


def chosen(members: list[Member], kind: str, name: str, is_trace: IsTrace) -> Member:
    """The one file that is a trace, or the only one. Raises UnrecognisedTrace, which names them."""
    if any(_leaves(member.name) for member in members):
        raise UnrecognisedTrace(
            f"{name}: this {kind} names files outside of its own folder, which is not opened. Pack the trace alone."
        )
    if len(members) > MAX_MEMBERS:
        raise UnrecognisedTrace(
            f"{name}: this {kind} holds more than {MAX_MEMBERS} files; one trace is expected. Unpack it and choose one."
        )
    files = [member for member in members if not member.is_link]
    if not files:
        what = "links, no files" if members else "no files"
        raise UnrecognisedTrace(f"{name}: this {kind} holds {what}. Pack the trace itself.")
    if len(files) == 1:
        return files[0]
    traces = [member for member in files if is_trace(_head(member), member.name)]
    if len(traces) > 1:
        traces = [member for member in traces if not member.name.lower().endswith(DOCUMENTS)] or traces
    if len(traces) == 1:
        return traces[0]
    if not traces and any(_is_ctf(member) for member in files):
        raise UnrecognisedTrace(f"{name}: this {kind} is {CTF}.")
    named = ", ".join(_shown(member.name) for member in (traces or files)[:SHOWN])
    more = f" and {len(traces or files) - SHOWN} more" if len(traces or files) > SHOWN else ""
    what = f"{len(traces)} traces" if traces else "none of which is a trace that is known here"
    raise UnrecognisedTrace(
        f"{name}: this {kind} holds {len(files)} files, {what}: {named}{more}. Unpack it and choose one."
    )


def _is_ctf(member: Member) -> bool:
    return member.name.rpartition("/")[2] == "metadata" and _head(member).startswith(CTF_METADATA)


def _head(member: Member) -> bytes:
    with member.open() as file:
        return file.read(DETECTION_BYTES)


def _leaves(name: str) -> bool:
    """Whether a file would lie outside of the folder that it is unpacked to."""
    parts = name.replace("\\", "/").split("/")
    return ".." in parts or parts[0] == "" or parts[0][1:2] == ":"


def _shown(name: str) -> str:
    plain = "".join(letter if letter.isprintable() else "?" for letter in name)
    return plain if len(plain) <= SHOWN_CHARACTERS else f"…{plain[-SHOWN_CHARACTERS:]}"


def inflated_first(data: memoryview, step: int) -> Iterator[bytes]:
    """The first file of a zip whose list of files at the end is missing, as far as it goes. Raises zlib.error,
    struct.error or ValueError."""
    _, _, flags, method, _, _, _, packed, _, name_size, extra_size = LOCAL_HEADER.unpack_from(data, 0)
    start = LOCAL_HEADER.size + name_size + extra_size
    if flags & ENCRYPTED or method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or start >= len(data):
        raise ValueError("nothing of it can be read")
    if method == zipfile.ZIP_STORED:
        yield bytes(data[start : start + packed if packed else len(data)])
        return
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    for offset in range(start, len(data), step):
        feed: bytes | memoryview = data[offset : offset + step]
        while feed and not inflate.eof:
            yield inflate.decompress(feed, step)
            feed = inflate.unconsumed_tail


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
            data = collect(iter(lambda: file.read(OUTPUT_CHUNK), b""), info.compress_size, name, limit)
        if bytes(data[:1]) == b"\x78" and len(data) > 1 and (0x7800 | data[1]) % 31 == 0:
            data = collect(inflated(data), len(data), name, limit)
    except RuntimeError as error:
        raise UnrecognisedTrace(f"{name}: {UNREADABLE_ZIP}") from error
    except BROKEN as error:
        raise broken(name, "zip") from error
    return data


def _opened(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise RuntimeError("packed in a way that is not read")  # LZMA takes the memory that its first bytes ask for
    return archive.open(info)


def unzip(data: memoryview, name: str, found: Unwrapped, is_trace: IsTrace) -> Iterator[bytes]:
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
        raise UnrecognisedTrace(f"{name}: {UNREADABLE_ZIP}") from error
    except BROKEN as error:
        raise broken(name, "zip") from error


def _first_of_cut_zip(data: memoryview, name: str) -> Iterator[bytes]:
    try:
        yield from inflated_first(data, INPUT_CHUNK)
    except BROKEN as error:
        raise broken(name, "zip") from error


def untar(data: memoryview, name: str, is_trace: IsTrace) -> Iterator[bytes]:
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
