""".NET's event pipe."""

from traces.formats.format import SAMPLED, Format
from traces.formats.head import Head

NETTRACE_STREAM = b"Nettrace\x14\0\0\0!FastSerialization.1"


def looks_like_nettrace(head: Head) -> bool:
    """Its sign, and that of the list of objects that follows."""
    return head.data.startswith(NETTRACE_STREAM)


NETTRACE = Format("nettrace", ".NET traces (.nettrace)", looks_like_nettrace, __name__, (SAMPLED,), threads=True)
