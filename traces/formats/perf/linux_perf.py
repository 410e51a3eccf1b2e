"""What `perf script` prints: samples with stacks, of one process or all of the system.

Format: tools/perf/Documentation/perf-script.txt of Linux; a line `comm pid/tid [cpu] time: period event:` and under
it the stack, innermost first, `address symbol+offset (object)`.
"""

import re

import numpy as np

from traces.builder import TraceBuilder
from traces.equal_rows import rows_of_each
from traces.formats.perf import with_blanks
from traces.formats.perf.perf_threads import PerfThread, add_threads
from traces.kernels.columns import pick
from traces.kernels.perf_script import MISSING, Blocks, scan_blocks
from traces.lazy_regex import lazy_regex
from traces.losses import LOST
from traces.model import Int32, Int64

LOST_LINE = lazy_regex(rb"\bPERF_RECORD_LOST(?:_SAMPLES)? lost ([0-9]{1,18})[ \t\r]*$", re.MULTILINE)
"""What `perf script --show-lost-events` prints where the kernel had no room."""
MOST = 1 << 53
MOST_BACKWARDS = 0.125
"""Of samples: processors that are written one after the other have fewer that lie before the one in front of them."""


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread and event: time, samples, and the event's count if it was printed."""
    blocks = scan_blocks(with_blanks(content), builder.progress.counter)
    lost = [int(number) for number in LOST_LINE.findall(content)] if blocks.unread else []
    builder.warn(LOST, "samples and other records were lost while recording", min(sum(lost), MOST))
    unread = blocks.unread - len(lost)
    builder.warn("unread_lines", "lines that are neither a sample nor a frame were skipped", unread)
    if not len(blocks.time):
        return
    time = _moments(blocks.time, builder)
    threads = [_thread(blocks, time, rank) for _, rank in rows_of_each(blocks.thread)]
    add_threads(threads, threads[0].event, pick(_frames(blocks, builder), blocks.frame), blocks.ends, builder)


def _moments(time: Int64, builder: TraceBuilder) -> Int64:
    """When each sample was taken, by what is printed: with `--deltatime` that is how long after the one before."""
    if time[0] != 0 or (np.diff(time) < 0).sum() <= MOST_BACKWARDS * len(time):
        return time
    builder.warn("time_steps", "times are steps from the sample before (--deltatime), and were added up", len(time))
    return np.cumsum(time)


def _thread(blocks: Blocks, time: Int64, rank: Int64) -> PerfThread:
    """The samples of one thread and event; the period counts only where every sample has one. The pid is empty where
    perf printed the thread only."""
    comm, ids, event = map(_text, blocks.threads[blocks.thread[rank[0]]])
    pid, _, tid = ids.rpartition("/")
    period = blocks.period[rank]
    return PerfThread(comm, pid, tid, event, rank, time[rank], None if MISSING in period else period)


def _frames(blocks: Blocks, builder: TraceBuilder) -> Int32:
    """The builder's frame of each of theirs."""
    named = ((_text(symbol), _text(thing)) for symbol, thing in blocks.frames)
    frames = [builder.frame(f"??? ({thing})" if symbol == "[unknown]" else symbol, thing) for symbol, thing in named]
    return np.array(frames, np.int32)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
