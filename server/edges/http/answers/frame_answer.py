"""Where a function is in its sources."""

from traces.handles import frame_index
from traces.model import Trace


def place_of_frame(trace: Trace, frame: str) -> tuple[str | None, int | None]:
    """A question for a worker: file and line as the trace has them. Raises UnknownHandle."""
    index = frame_index(trace, frame)
    return trace.frame_file(index), trace.frame_line(index)
