"""Ruby's profilers: rbspy and stackprof."""

from traces.formats.format import Format
from traces.formats.head import Head


def looks_like_rbspy(head: Head) -> bool:
    """The magic, a version and a line's end."""
    return head.data[:5] == b"rbspy" and head.data[5:7].isdigit() and head.data[7:8] == b"\n"


def looks_like_stackprof(head: Head) -> bool:
    """An object with a mode, an interval and frames."""
    return head.json is not None and {"mode", "interval", "frames", "missed_samples"} <= head.json.keys


RBSPY = Format("rbspy", "rbspy recordings", looks_like_rbspy, __name__)
STACKPROF = Format("stackprof", "stackprof JSON", looks_like_stackprof, __name__)
