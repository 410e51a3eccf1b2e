"""Linux perf: its binary recordings, and what `perf script` prints of them."""

import re

from traces.bounds import DETECTION_BYTES
from traces.formats.format import RUNNING, Format, sums
from traces.formats.head import Head
from traces.kernels.perf_script import frame_parts, header_parts
from traces.values import Counts, Waits

PERF_MAGIC = b"PERFILE2"
ENOUGH_LINES = 500
MOST, MOST_OF_A_DOCUMENT = 0.5, 0.75
"""The part of lines that has to be samples and their frames: of what begins with a sample, and of what does not, as
documents and programs that quote some."""
TABBED = re.compile(rb"^([ \t]+[0-9a-f]{1,16})\t", re.MULTILINE)
PERF_HEADER_BYTES, PERF_PIPE_HEADER_BYTES = 104, 16


def looks_like_perf_data(head: Head) -> bool:
    """perf's sign, and a header of one of its two sizes."""
    if not head.data.startswith(PERF_MAGIC) or len(head.data) < PERF_PIPE_HEADER_BYTES:
        return False
    size = int.from_bytes(head.data[8:16], "little")
    return size in (PERF_HEADER_BYTES, PERF_PIPE_HEADER_BYTES)


def with_blanks(text: bytes | memoryview) -> bytes | memoryview:
    """The text as perf writes it where another tool, as Android's simpleperf, has a tab behind a frame's address. Its
    beginning shows that: to look through all of it takes four times as long as reading it."""
    return TABBED.sub(rb"\1 ", bytes(text)) if TABBED.search(text[:DETECTION_BYTES]) else text


def looks_like_perf_script(head: Head) -> bool:
    """A line with a time and an event (and what a tracepoint says of it), and a frame with an address and an object in
    the same line or the next; and most lines are one or the other."""
    if head.text is None or head.json is not None:
        return False
    lines = bytes(with_blanks(head.data)).split(b"\n")
    for at, (line, following) in enumerate(zip(lines, [*lines[1:], b""], strict=True)):
        header = header_parts(line)
        if header is not None:
            if not any(frame_parts(one) is not None for one in (header.rest, following)):
                return False
            if _read_lines(lines[:at]):
                return _share_of_samples(lines) >= MOST_OF_A_DOCUMENT
            return _share_of_samples(lines[at : at + ENOUGH_LINES]) >= MOST
    return False


def _read_lines(lines: list[bytes]) -> list[bytes]:
    return [line for line in lines if line.strip() and not line.lstrip().startswith(b"#")]


def _share_of_samples(lines: list[bytes]) -> float:
    said = _read_lines(lines)
    found = sum(header_parts(line) is not None or frame_parts(line) is not None for line in said)
    return found / max(1, len(said))


PERF_DATA = Format(
    "perf-data",
    "perf.data of Linux",
    looks_like_perf_data,
    __name__,
    (RUNNING, sums(Counts.SAMPLES, Waits.WORK)),
    threads=True,
)
LINUX_PERF = Format(
    "linux-perf",
    "Linux perf script",
    looks_like_perf_script,
    __name__,
    (RUNNING, sums(Counts.SAMPLES, Waits.WORK)),
    threads=True,
)
