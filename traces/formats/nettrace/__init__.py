""".NET's event pipe."""

from traces.formats.format import SAMPLED, Format
from traces.formats.head import Head

NETTRACE_STREAM = b"Nettrace\x14\0\0\0!FastSerialization.1"

NETPERF_STREAM = NETTRACE_STREAM.removeprefix(b"Nettrace")
"""Of .NET Core 2: the same list of objects without a sign of its own."""
NETPERF_TRACE = b"Trace"
FIRST_OBJECT = 64


def looks_like_nettrace(head: Head) -> bool:
    """Its sign, and that of the list of objects that follows; without the sign, a trace as the first of them."""
    if head.data.startswith(NETPERF_STREAM):
        return NETPERF_TRACE in head.data[:FIRST_OBJECT]
    return head.data.startswith(NETTRACE_STREAM)


NETTRACE = Format(
    "nettrace", ".NET traces (.nettrace, .netperf)", looks_like_nettrace, __name__, (SAMPLED,), threads=True
)
