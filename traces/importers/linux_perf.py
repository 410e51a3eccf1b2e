"""What `perf script` prints: samples with stacks, of one process or the whole system.

Format: tools/perf/Documentation/perf-script.txt of Linux; a line `comm pid/tid [cpu] time: period event:` and under
it the stack, innermost first, `address symbol+offset (object)`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from traces.builder import TraceBuilder
from traces.importers.head import Head
from traces.importers.perf_threads import PerfThread, add_threads
from traces.kernels.perf import Blocks, frame_parts, scan_blocks
from traces.kernels.trees import distinct_rows
from traces.model import NONE, Int32, Int64

HEADER = re.compile(
    rb"[ \t]*(\S(?:.*?\S)??)[ \t]+(-?\d{1,9})(?:/(-?\d{1,9}))?[ \t]+(?:\[\d+\][ \t]+)?(?:[A-Za-z.]{1,8}[ \t]+)?"
    rb"(\d{1,9})\.(\d{1,9}):[ \t]+(?:(\d{1,18})[ \t]+)?(\S+?):(?:[ \t]+(.*))?"
)
MAX_HEADER_BYTES = 1_000
"""Of a sample's first line; tracepoints print their arguments behind what is read."""


class Header(NamedTuple):
    """`pid` is empty where perf printed the thread only. `frame` is what stood on the same line (-1: nothing)."""

    comm: bytes
    pid: bytes
    tid: bytes
    time: int
    period: int | None
    event: bytes
    frame: int


@dataclass(slots=True)
class Thread:
    """The samples of one thread and event, by their rank in the file."""

    header: Header
    rank: list[int] = field(default_factory=list)
    time: list[int] = field(default_factory=list)
    period: list[int] = field(default_factory=list)

    def finished(self) -> PerfThread:
        """The same as columns; the period counts only where every sample has one."""
        header = self.header
        comm, pid, tid, event = (_text(text) for text in (header.comm, header.pid, header.tid, header.event))
        period = np.array(self.period, np.int64) if len(self.period) == len(self.time) else None
        return PerfThread(comm, pid, tid, event, np.array(self.rank, np.int64), np.array(self.time, np.int64), period)


def looks_like(head: Head) -> bool:
    """A line with a time and an event, and a frame with an address and an object in the same line or the next."""
    if head.text is None or head.json is not None:
        return False
    lines = head.data.split(b"\n")
    for line, following in zip(lines, [*lines[1:], b""], strict=True):
        header = HEADER.fullmatch(line[:MAX_HEADER_BYTES].rstrip())
        if header is not None:
            return frame_parts(header[8] or following) is not None
    return False


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread and event: time, samples, and the event's count if it was printed."""
    blocks = scan_blocks(content)
    said = [_header(line, builder) for line in _lines(content, blocks)]
    at = np.array([place for place, header in enumerate(said) if header is not None], np.int64)
    headers = [header for header in said if header is not None]
    builder.warn("unread_lines", "lines that are neither a sample nor a frame were skipped", len(said) - len(headers))
    if not headers:
        return
    frames, ends = _stacks(_frames(blocks, builder), blocks, at, headers)
    threads: dict[tuple[bytes, ...], Thread] = {}
    for rank, header in enumerate(headers):
        key = (header.comm, header.pid, header.tid, header.event)
        thread = threads.get(key)
        if thread is None:
            thread = threads[key] = Thread(header)
        thread.rank.append(rank)
        thread.time.append(header.time)
        if header.period is not None:
            thread.period.append(header.period)
    add_threads([thread.finished() for thread in threads.values()], _text(headers[0].event), frames, ends, builder)


def _lines(content: memoryview, blocks: Blocks) -> Iterator[bytes]:
    for offset, length in zip(blocks.header_offset.tolist(), blocks.header_length.tolist(), strict=True):
        yield bytes(content[offset : offset + min(length, MAX_HEADER_BYTES)])


def _header(line: bytes, builder: TraceBuilder) -> Header | None:
    header = HEADER.fullmatch(line.rstrip())
    if header is None:
        return None
    comm, first, second, seconds, fraction, period, event, rest = header.groups()
    alone = frame_parts(rest) if rest else None
    return Header(
        comm,
        first if second is not None else b"",
        second if second is not None else first,
        int(seconds) * 1_000_000_000 + int(fraction.ljust(9, b"0")),
        int(period) if period is not None else None,
        event,
        _frame(builder, *alone) if alone is not None else NONE,
    )


def _frame(builder: TraceBuilder, symbol: bytes, file: bytes) -> int:
    place = _text(file)
    return builder.frame(f"??? ({place})" if symbol == b"[unknown]" else _text(symbol), place)


def _frames(blocks: Blocks, builder: TraceBuilder) -> Int32:
    """The builder's frame of each line of a stack."""
    which, first = distinct_rows(blocks.symbol, blocks.object)
    pairs = zip(blocks.symbol[first].tolist(), blocks.object[first].tolist(), strict=True)
    frames = [_frame(builder, blocks.symbols[symbol], blocks.objects[thing]) for symbol, thing in pairs]
    return np.array(frames, np.int32)[which]


def _stacks(frames: Int32, blocks: Blocks, at: Int64, headers: list[Header]) -> tuple[Int32, Int64]:
    """All frames in a row, and where each sample's end. What stands before the first sample belongs to none."""
    begins = np.concatenate(([blocks.stray], blocks.ends))[at]
    ends = np.append(begins[1:], len(frames)) - begins[0]
    beside = np.array([header.frame for header in headers], np.int32)
    frames = frames[begins[0] :]
    if (beside >= 0).any():
        frames = np.insert(frames, begins[beside >= 0] - begins[0], beside[beside >= 0])
        ends = ends + np.cumsum(beside >= 0)
    return frames, ends


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
