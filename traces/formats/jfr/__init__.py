"""Java Flight Recorder, and the pages of async-profiler."""

from traces.formats.format import Format
from traces.formats.head import Head

JFR_CHUNK = b"FLR\0"


def looks_like_jfr(head: Head) -> bool:
    """The first bytes of a chunk."""
    return head.data[:4] == JFR_CHUNK


def looks_like_async_profiler(head: Head) -> bool:
    """A page that names async-profiler and draws on a canvas."""
    return head.text is not None and head.json is None and "async-profiler" in head.text and "<canvas" in head.text


JFR = Format("jfr", "Java Flight Recorder", looks_like_jfr, __name__)
ASYNC_PROFILER = Format("async-profiler", "async-profiler pages", looks_like_async_profiler, __name__)
