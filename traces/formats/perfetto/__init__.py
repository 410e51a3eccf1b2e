"""Perfetto's protobuf packets."""

from traces.formats.format import CALLS, RUNNING, Format, sums
from traces.formats.head import Head
from traces.formats.protobuf_fields import VARINT, BrokenMessage, opened
from traces.kernels.library import NotReadable
from traces.kernels.protobuf import scan_fields
from traces.values import Counts, Waits

PERFETTO_TIME, PERFETTO_SEQUENCE = 8, 10


def looks_like_perfetto(head: Head) -> bool:
    """A packet that says when or by whom it was written."""
    if head.data[:1] != b"\n" or head.text is not None:
        return False
    try:
        _, _, first, last = opened(head.data, 0)
        said = scan_fields(head.data, [first], [last])
    except (BrokenMessage, NotReadable, IndexError, OverflowError):
        return False
    return not {PERFETTO_TIME, PERFETTO_SEQUENCE}.isdisjoint(said.number[said.wire == VARINT].tolist())


PERFETTO = Format(
    "perfetto",
    "Perfetto traces",
    looks_like_perfetto,
    __name__,
    (CALLS, RUNNING, sums(Counts.EVENTS, Waits.NEITHER)),
    threads=True,
)
