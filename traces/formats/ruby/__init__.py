"""Ruby's profilers: rbspy and stackprof."""

from traces.formats.format import SAMPLED, Format, sums
from traces.formats.head import Head
from traces.values import Counts, Waits


def looks_like_rbspy(head: Head) -> bool:
    """The magic, a version and a line's end."""
    return head.data[:5] == b"rbspy" and head.data[5:7].isdigit() and head.data[7:8] == b"\n"


def looks_like_stackprof(head: Head) -> bool:
    """An object with a mode, an interval and frames."""
    return head.json is not None and {"mode", "interval", "frames", "missed_samples"} <= head.json.keys


RBSPY = Format(
    "rbspy",
    "rbspy recordings",
    looks_like_rbspy,
    __name__,
    (sums(Counts.SAMPLES, Waits.WORK),),
    threads=True,
    lines=True,
)
STACKPROF = Format(
    "stackprof",
    "stackprof JSON",
    looks_like_stackprof,
    __name__,
    (
        sums(Counts.SAMPLES, Waits.WORK),
        sums(Counts.SAMPLES, Waits.BOTH),
        SAMPLED,
        sums(Counts.SAMPLES, Waits.NEITHER),
    ),
    lines=True,
)
