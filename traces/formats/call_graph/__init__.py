"""Formats that hold who called whom and sums, from which call paths are estimated; and gprof2dot's JSON."""

import re

from traces.formats.format import Format, sums
from traces.formats.head import Head
from traces.values import Counts, Waits

DICTIONARIES, SMALL_TUPLES, TUPLES, TEXTS = b"{\xfb", b")\xa9", b"(\xa8", b"zZaAut"
"""Of Python's marshal format."""
CALLGRIND_EVENTS = re.compile(r"^events: *\S", re.MULTILINE)
CALLGRIND_FUNCTION = re.compile(r"^fn=", re.MULTILINE)
CALLGRIND_LINE = re.compile(
    r"[a-z]+: |events:|(?:c?(?:fn|fl|fi|fe|ob)|calls|jump|jcnd|jfi|jfn)=|[\d+*-]|0x", re.IGNORECASE
)
MOST = 0.7
"""The part of lines that has to be of the format: documents quote it."""


def looks_like_pstats(head: Head) -> bool:
    """A marshalled dictionary whose first key is three things that begin with a text."""
    data = head.data
    if len(data) < 16 or data[0] not in DICTIONARIES:
        return False
    if data[1] in SMALL_TUPLES:
        return data[2] == 3 and data[3] & 0x7F in TEXTS
    return data[1] in TUPLES and data[2:6] == b"\x03\0\0\0" and data[6] & 0x7F in TEXTS


def looks_like_gprof2dot(head: Head) -> bool:
    """An object with costs and events, the first of which have call chains."""
    return head.json is not None and {"costs", "events"} <= head.json.keys and b'"callchain"' in head.data


def looks_like_callgrind(head: Head) -> bool:
    """Text with a list of events and functions."""
    if head.text is None or head.json is not None:
        return False
    if head.text.startswith("# callgrind format"):
        return True
    found = CALLGRIND_EVENTS.search(head.text) is not None and CALLGRIND_FUNCTION.search(head.text) is not None
    return found and head.share(CALLGRIND_LINE) >= MOST


PSTATS = Format(
    "pstats",
    "cProfile",
    looks_like_pstats,
    __name__,
    (sums(Counts.CALLS, Waits.BOTH, count_value=1),),
    lines=True,
)
GPROF2DOT = Format(
    "gprof2dot",
    "gprof2dot JSON",
    looks_like_gprof2dot,
    __name__,
    (sums(), *(sums(counts) for counts in (Counts.CALLS, Counts.SAMPLES, Counts.EVENTS))),
)
CALLGRIND = Format(
    "callgrind",
    "callgrind, cachegrind and xdebug",
    looks_like_callgrind,
    __name__,
    (
        sums(Counts.CALLS, Waits.WORK),
        sums(Counts.CALLS, Waits.BOTH),
        sums(waits=Waits.WORK),
    ),
    threads=True,
)
