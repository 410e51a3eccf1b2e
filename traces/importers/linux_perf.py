"""What `perf script` prints: samples with stacks, of one process or the whole system.

Format: tools/perf/Documentation/perf-script.txt of Linux; a line `comm pid/tid [cpu] time: period event:` and under
it the stack, innermost first, `address symbol+offset (object)`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TraceBuilder
from traces.importers.head import Head
from traces.kernels.trees import paths_of_stacks
from traces.model import Int32, Int64
from traces.values import Unit, ValueType

HEADER = re.compile(
    rb"[ \t]*(\S.*?)[ \t]+(-?\d{1,9})(?:/(-?\d{1,9}))?[ \t]+(?:\[\d+\][ \t]+)?(?:[A-Za-z.]{1,8}[ \t]+)?"
    rb"(\d{1,9})\.(\d{1,9}):[ \t]+(?:(\d{1,18})[ \t]+)?(\S+?):(?:[ \t]+(.*))?"
)
ADDRESS = re.compile(rb"[0-9a-f]{1,16}")
OFFSET = re.compile(rb"\+0x[0-9a-f]{1,16}$")
DELETED = b" (deleted))"
MAX_HEADER_BYTES = 1_000
"""Of a sample's first line; tracepoints print their arguments behind what is read."""
CHUNK_BYTES = 4 << 20
NOTHING, SAMPLE = -1, -2
TIME = ValueType("time", Unit.NANOSECONDS)
SAMPLES = ValueType("samples", Unit.COUNT)
CLOCKS = ("cpu-clock", "task-clock")
"""Events whose period is nanoseconds of CPU time."""


@dataclass(frozen=True, slots=True)
class Header:
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


class Lines(dict[bytes, int]):
    """What each line says: a frame of the builder, NOTHING, or SAMPLE for the next of `headers`.

    Most lines were seen before, and stacks share most of theirs, so that nearly all of a file is one look-up a line.
    """

    def __init__(self, builder: TraceBuilder) -> None:
        super().__init__()
        self.headers: list[Header] = []
        self.unread = 0
        self._builder = builder

    def __missing__(self, line: bytes) -> int:
        if (parts := frame_parts(line)) is not None:
            self[line] = code = self._frame(*parts)
            return code
        header = HEADER.fullmatch(line[:MAX_HEADER_BYTES].rstrip())
        if header is None:
            self.unread += bool(line.strip()) and line[:1] != b"#"
            return NOTHING
        comm, first, second, seconds, fraction, period, event, rest = header.groups()
        alone = frame_parts(rest) if rest else None
        self.headers.append(
            Header(
                comm,
                first if second is not None else b"",
                second if second is not None else first,
                int(seconds) * 1_000_000_000 + int(fraction.ljust(9, b"0")),
                int(period) if period is not None else None,
                event,
                self._frame(*alone) if alone is not None else NOTHING,
            )
        )
        return SAMPLE

    def _frame(self, symbol: bytes, file: bytes) -> int:
        place = _text(file)
        name = f"??? ({place})" if symbol == b"[unknown]" else _text(symbol)
        return self._builder.frame(name, place)


def frame_parts(line: bytes) -> tuple[bytes, bytes] | None:
    """Symbol and object of a line of a stack; symbols may hold parentheses, names of objects as good as never."""
    line = line.strip()
    if line[-1:] != b")":
        return None
    cut = line.rfind(b" (")
    if line.endswith(DELETED):
        cut = line.rfind(b" (", 0, cut)
    address, _, symbol = line[: max(cut, 0)].partition(b" ")
    if ADDRESS.fullmatch(address) is None or not symbol:
        return None
    return OFFSET.sub(b"", symbol), line[cut + 2 : -1]


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
    lines = Lines(builder)
    codes = np.concatenate([np.fromiter(map(lines.__getitem__, part), np.int32, len(part)) for part in _parts(content)])
    builder.warn("unread_lines", "lines that are neither a sample nor a frame were skipped", lines.unread)
    at = np.flatnonzero(codes == SAMPLE)
    headers = lines.headers
    if not headers:
        return
    frames, ends = _stacks(codes, at, headers)
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
    first_event = headers[0].event
    for thread in sorted(threads.values(), key=lambda thread: thread.header.event != first_event):
        other = "" if thread.header.event == first_event else f", {_text(thread.header.event)}"
        _add(thread, frames, ends, other, builder)


def _parts(content: memoryview) -> Iterator[list[bytes]]:
    """The lines, some megabytes of them at a time."""
    rest = b""
    for begin in range(0, len(content), CHUNK_BYTES):
        lines = (rest + bytes(content[begin : begin + CHUNK_BYTES])).split(b"\n")
        rest = lines.pop()
        yield lines
    yield [rest]


def _stacks(codes: Int32, at: Int64, headers: list[Header]) -> tuple[Int32, Int64]:
    """All frames in a row, and where each sample's end. What stands before the first sample belongs to none."""
    codes = codes[at[0] :]
    at = at - at[0]
    if any(header.frame >= 0 for header in headers):
        codes = codes.copy()
        codes[at] = [header.frame if header.frame >= 0 else NOTHING for header in headers]
    is_frame = codes >= 0
    counted = np.concatenate(([0], np.cumsum(is_frame)))
    return codes[is_frame], counted[np.append(at[1:], len(codes))]


def _add(thread: Thread, frames: Int32, ends: Int64, suffix: str, builder: TraceBuilder) -> None:
    rank = np.array(thread.rank, np.int64)
    time = np.array(thread.time, np.int64)
    order = np.argsort(time, kind="stable")
    rank, time = rank[order], time[order]
    begins = np.where(rank > 0, ends[rank - 1], 0)
    sizes = ends[rank] - begins
    own_ends = np.cumsum(sizes)
    picked = np.arange(own_ends[-1]) + np.repeat(begins - own_ends + sizes, sizes)
    paths = paths_of_stacks(frames[picked], own_ends, MAX_STACK_DEPTH, inner_first=True)
    # A sample stands for the time from half way to the one before it to half way to the next.
    middle = time[:-1] + np.diff(time) // 2
    begin = np.concatenate((time[:1], middle))
    weights: list[Int64] = [np.append(middle, time[-1]) - begin, np.ones(len(time), np.int64)]
    values = [TIME, SAMPLES]
    header = thread.header
    event = _text(header.event)
    if len(thread.period) == len(time):
        weights.append(np.array(thread.period, np.int64)[order])
        is_clock = event.startswith(CLOCKS)
        values.append(ValueType("CPU time" if is_clock else event, Unit.NANOSECONDS if is_clock else Unit.COUNT))
    comm, pid, tid = _text(header.comm), _text(header.pid), _text(header.tid)
    name = f"{comm} (pid {pid}, tid {tid})" if pid else f"{comm} (tid {tid})"
    builder.add_sampled(
        name + suffix,
        paths,
        paths.leaf,
        weights,
        values=tuple(values),
        default_value=0 if time[-1] > time[0] else 1,  # one sample alone says nothing about time
        time=begin,
        axis=Unit.NANOSECONDS,
        axis_start=begin[0].item(),
        axis_end=time[-1].item(),
        pid=pid,
        tid=tid,
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
