"""What a Perfetto trace says that was lost: its buffers' statistics, and those of the kernel's.

Format: https://github.com/google/perfetto, protos/perfetto/common/trace_stats.proto, trace/ftrace/ftrace_stats.proto.
"""

import numpy as np

from traces.builder import TraceBuilder
from traces.formats.perfetto.perfetto_packets import Packets, column, parts
from traces.kernels.protobuf import scan_fields
from traces.losses import LOST, OVERFLOW, PIECES
from traces.model import Int64

KERNEL_STATISTICS, STATISTICS = 34, 35
BUFFERS = 1
OVERWRITTEN, DISCARDED, PACKETS_LOST = 3, 18, 19
PHASE, OF_PROCESSOR = 1, 2
PROCESSOR, OVERRUN, DROPPED = 1, 3, 8
AT_START = 1
MOST = 1 << 53


def warn_of_losses(packets: Packets, builder: TraceBuilder) -> None:
    """Say how many pieces of buffers and how many of the kernel's events are missing. Raises NotReadable."""
    of, firsts, lasts = packets.parts(STATISTICS)
    if len(of):  # they add up from one to the next: the last one has all
        _, begins, ends = parts(scan_fields(packets.data, firsts[-1:], lasts[-1:]), BUFFERS)
        buffers = scan_fields(packets.data, begins, ends)
        pieces = [column(buffers, len(begins), number) for number in (OVERWRITTEN, DISCARDED, PACKETS_LOST)]
        builder.warn(OVERFLOW, PIECES, min(int(np.sum(pieces, dtype=np.float64)), MOST))
    builder.warn(LOST, "events were lost while recording", _of_kernel(packets))


def _of_kernel(packets: Packets) -> int:
    """What each processor's buffer had lost at the end, without what it had lost when the recording began."""
    of, firsts, lasts = packets.parts(KERNEL_STATISTICS)
    said = scan_fields(packets.data, firsts, lasts)
    phase = column(said, len(of), PHASE)
    rows, begins, ends = parts(said, OF_PROCESSOR)
    inner = scan_fields(packets.data, begins, ends)
    processor: Int64 = column(inner, len(rows), PROCESSOR)
    levels = column(inner, len(rows), OVERRUN) + column(inner, len(rows), DROPPED)
    lost: dict[int, int] = {}
    for at_start, one, level in zip(
        (phase[rows] == AT_START).tolist(), processor.tolist(), levels.tolist(), strict=True
    ):
        lost[one] = lost.get(one, 0) + (-level if at_start else level)
    return min(sum(max(0, level) for level in lost.values()), MOST)
