"""Formats that hold a tree of calls with sums."""

from traces.formats.format import Format, sums
from traces.formats.head import Head
from traces.values import Counts, Waits


def looks_like_pyinstrument(head: Head) -> bool:
    """An object with a root frame and a count of samples."""
    keys = head.json.keys if head.json is not None else frozenset[str]()
    return "sample_count" in keys and ("root_frame" in keys or {"target_description", "duration"} <= keys)


def looks_like_memray(head: Head) -> bool:
    """An object with memray's totals, or a page that it made."""
    if head.json is not None:
        return {"total_num_allocations", "total_bytes_allocated"} <= head.json.keys
    return head.text is not None and "<title>memray" in head.text[:4_096]


def looks_like_haskell(head: Head) -> bool:
    """An object with GHC's runtime arguments and cost centres, or a text with the report's title."""
    if head.json is not None:
        return {"rts_arguments", "cost_centres"} <= head.json.keys
    return head.text is not None and "Time and Allocation Profiling Report" in head.text[:1_000]


PYINSTRUMENT = Format(
    "pyinstrument",
    "pyinstrument JSON",
    looks_like_pyinstrument,
    __name__,
    (sums(waits=Waits.BOTH),),
    lines=True,
)
MEMRAY = Format(
    "memray",
    "memray flame graphs and statistics",
    looks_like_memray,
    __name__,
    (sums(Counts.EVENTS, Waits.NEITHER, count_value=1),),
    lines=True,
)
HASKELL = Format("haskell", "GHC profiles", looks_like_haskell, __name__, (sums(waits=Waits.WORK),), lines=True)
