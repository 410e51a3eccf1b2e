"""What recorders of trace events say that they lost: viztracer's and Chrome's full buffers, Perfetto's statistics."""

from typing import Any

import msgspec

from traces.builder import TraceBuilder
from traces.formats.trace_event.event_list import Events
from traces.losses import OVERFLOW, PIECES

EARLY = "the recorder's buffer was full: the calls that ended first were overwritten, and nothing says how many"
LATE = "the recorder's buffer was full: what came afterwards is missing, and nothing says how much"
STATISTICS = (("perfetto_trace_stats", "buffer_stats"), ("trace_processor_stats", "traced_buf"))
"""Members of the metadata and of these, in which Perfetto says what became of each buffer."""
PIECES_LOST = ("chunks_overwritten", "chunks_discarded", "trace_writer_packet_loss")
MOST = 1 << 53


def warn_of_losses(events: Events, builder: TraceBuilder) -> None:
    """Say what the file says that it lacks."""
    if _member(events, "viztracer_metadata").get("overflow") is True:
        builder.warn(OVERFLOW, EARLY)
    full = events.rows("phase", "M") & events.rows("name", "trace_buffer_overflowed")
    builder.warn(OVERFLOW, LATE, int(full.any()))
    metadata = _member(events, "metadata")
    for name, buffers in STATISTICS:
        said = metadata.get(name)
        listed = said.get(buffers) if isinstance(said, dict) else None
        for buffer in listed if isinstance(listed, list) else ():
            numbers = [buffer.get(key) for key in PIECES_LOST] if isinstance(buffer, dict) else []
            builder.warn(OVERFLOW, PIECES, sum(min(one, MOST) for one in numbers if isinstance(one, int) and one > 0))


def _member(events: Events, name: str) -> dict[str, Any]:
    """A member of the file that is an object; empty where there is none."""
    offset, length = events.table.members.get(name, (0, 0))
    try:
        return msgspec.json.decode(events.content[offset : offset + length], type=dict[str, Any]) if length else {}
    except msgspec.ValidationError:
        return {}
