"""Formats that hold a tree of calls with sums."""

from traces.formats.format import Format, sums
from traces.formats.head import Head
from traces.lazy_regex import lazy_regex
from traces.values import Counts, Waits

REPORT = lazy_regex(r"\s*[\w :,.+-]*Time and Allocation Profiling Report")


def looks_like_pyinstrument(head: Head) -> bool:
    """An object with a root frame and a count of samples."""
    keys = head.json.keys if head.json is not None else frozenset[str]()
    return "sample_count" in keys and ("root_frame" in keys or {"target_description", "duration"} <= keys)


def looks_like_memray(head: Head) -> bool:
    """An object with memray's totals, or a page that it made."""
    if head.json is not None:
        return {"total_num_allocations", "total_bytes_allocated"} <= head.json.keys
    return head.is_page and "<title>memray" in (head.text or "")[:4_096]


def looks_like_haskell(head: Head) -> bool:
    """An object with GHC's runtime arguments and cost centres, or a text whose first line is the report's title."""
    if head.json is not None:
        return {"rts_arguments", "cost_centres"} <= head.json.keys
    return REPORT.match((head.text or "")[:1_000]) is not None


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
