"""`perf script` text as columns: lines of samples, and the frames below each. In C: perf_script.c."""

import ctypes
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from traces.kernels.inputs import Buffer, ReadCounter, advance, counted_in
from traces.kernels.library import call, kernels, raise_for, take, texts_at
from traces.kernels.lines import lines_of
from traces.lazy_regex import lazy_regex

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
HEADER = lazy_regex(
    rb"(\S(?:.*?\S)??)[ \t]+(-?\d{1,9}(?:/-?\d{1,9})?)[ \t]+(?:\[\d+\][ \t]+)?(?:[A-Za-z.]{1,8}[ \t]+)?"
    rb"(\d{1,9})\.(\d{1,9}):[ \t]+(?:(\d{1,18})[ \t]+)?(\S+?):(?:[ \t]+(.*))?"
)
MAX_HEADER_BYTES = 1_000
"""Of a sample's line; tracepoints print their arguments behind what is read."""
MISSING = -(1 << 63)
ADDRESS = lazy_regex(rb"[0-9a-f]{1,16}")
OFFSET = lazy_regex(rb"\+0x[0-9a-f]{1,16}$")
DELETED = b" (deleted))"
SPACE = b" \t\n\v\f\r"


@dataclass(frozen=True, slots=True)
class Blocks:
    """A row a sample: nanoseconds, `period` (MISSING where perf printed none), its row of `threads`; its frames are
    `frame[ends[i - 1]:ends[i]]`, innermost first, rows of `frames`.

    `threads` are command, `pid/tid` or `tid`, and event; `frames` are symbol, without the offset into it, and object;
    both in order of first appearance. `unread` lines are neither a sample, a frame, blank nor a comment."""

    time: Int64
    period: Int64
    ends: Int64
    thread: Int32
    frame: Int32
    threads: tuple[tuple[bytes, bytes, bytes], ...]
    frames: tuple[tuple[bytes, bytes], ...]
    unread: int


class Header(NamedTuple):
    """What a sample's line says; `rest` is a frame where perf prints it on the same line."""

    command: bytes
    ids: bytes
    event: bytes
    time: int
    period: int
    rest: bytes


def header_parts(line: bytes) -> Header | None:
    """What a line says, if it is a sample's: `command pid/tid [cpu] flags time: period event: rest`; pid, cpu, flags,
    period and rest may be missing, a command may have any words."""
    header = HEADER.fullmatch(line.strip(SPACE)[:MAX_HEADER_BYTES].rstrip(SPACE))
    if header is None:
        return None
    command, ids, seconds, fraction, period, event, rest = header.groups()
    time = int(seconds) * 1_000_000_000 + int(fraction.ljust(9, b"0"))
    return Header(command, ids, event, time, int(period) if period is not None else MISSING, rest or b"")


def frame_parts(line: bytes) -> tuple[bytes, bytes] | None:
    """Symbol and object of a line of a stack; symbols may hold parentheses, names of objects as good as never."""
    line = line.strip(SPACE)
    if line[-1:] != b")":
        return None
    cut = line.rfind(b" (")
    if line.endswith(DELETED):
        cut = line.rfind(b" (", 0, max(cut, 0))
    address, _, symbol = line[: max(cut, 0)].partition(b" ")
    if ADDRESS.fullmatch(address) is None or not symbol:
        return None
    return OFFSET.sub(b"", symbol), line[cut + 2 : -1]


def scan_blocks(data: Buffer, counter: ReadCounter | None = None) -> Blocks:
    """All samples of a text; lines that begin with # are comments, frames before the first sample are left out.

    `counter` is advanced line by line.
    """
    library = kernels()
    if library is None:
        return scan_blocks_reference(data, counter)
    source = np.frombuffer(data, np.uint8)
    blocks = _BlocksStruct()
    try:
        raise_for(call(library.scan_blocks, source, len(source), counted_in(counter), blocks), 0)
        # Between command and ids any number of blanks may stand.
        threads: dict[tuple[bytes, bytes, bytes], int] = {}
        said = blocks.threads.texts(library, source)
        thread_of = [threads.setdefault((*who.rsplit(None, 1), event), len(threads)) for who, event in said]
        return Blocks(
            take(library, blocks, "time", blocks.count, np.int64),
            take(library, blocks, "period", blocks.count, np.int64),
            take(library, blocks, "ends", blocks.count, np.int64),
            np.array(thread_of, np.int32)[take(library, blocks, "thread", blocks.count, np.int32)],
            take(library, blocks, "frame", blocks.frame_count, np.int32),
            tuple(threads),
            blocks.frames.texts(library, source),
            blocks.unread,
        )
    finally:
        call(library.forget_blocks, blocks)


PAIR = np.dtype([("offset", np.int64, 2), ("length", np.int32, 2), ("hash", np.uint32), ("unused", np.uint32)])


class _PairsStruct(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("rows", "slots")),
        *((name, ctypes.c_int64) for name in ("count", "room", "slot_count")),
    )

    def texts(self, library: ctypes.CDLL, source: npt.NDArray[np.uint8]) -> tuple[tuple[bytes, bytes], ...]:
        """The two parts of each; the rows are no longer the struct's."""
        rows = take(library, self, "rows", self.count, PAIR)
        first, second = (texts_at(source, rows["offset"][:, part], rows["length"][:, part]) for part in (0, 1))
        return tuple(zip(first, second, strict=True))


class _BlocksStruct(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("time", "period", "ends", "thread", "frame")),
        *((f"{name}_room", ctypes.c_int64) for name in ("time", "period", "end", "thread", "frame")),
        *((name, ctypes.c_int64) for name in ("count", "frame_count", "unread")),
        ("threads", _PairsStruct),
        ("frames", _PairsStruct),
        ("below", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("below_room", "below_count")),
    )


def scan_blocks_reference(data: Buffer, counter: ReadCounter | None = None) -> Blocks:
    """The same, a line at a time."""
    threads: dict[tuple[bytes, bytes, bytes], int] = {}
    frames: dict[tuple[bytes, bytes], int] = {}
    samples: list[Header] = []
    frame: list[int] = []
    ends: list[int] = []
    unread = position = 0
    for line in lines_of(data):
        advance(counter, position)
        position += len(line) + 1
        if line.lstrip(SPACE)[:1] in {b"", b"#"}:
            continue
        parts = frame_parts(line)
        # perf puts a tab before frames: `dd 12 1.5: cycles: 1f f (o)` is none.
        header = header_parts(line) if parts is None or line[:1] != b"\t" else None
        if header is not None:
            samples.append(header)
            ends.append(len(frame))
            threads.setdefault((header.command, header.ids, header.event), len(threads))
            parts = frame_parts(header.rest)
        if parts is not None:
            number = frames.setdefault(parts, len(frames))
            if samples:  # there is a sample that it belongs to
                frame.append(number)
        elif header is None:
            unread += 1
    thread = [threads[header.command, header.ids, header.event] for header in samples]
    return Blocks(
        np.array([header.time for header in samples], np.int64),
        np.array([header.period for header in samples], np.int64),
        np.array([*ends[1:], len(frame)] if samples else [], np.int64),
        np.array(thread, np.int32),
        np.array(frame, np.int32),
        tuple(threads),
        tuple(frames),
        unread,
    )
