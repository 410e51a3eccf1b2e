"""Chrome's trace event JSON, which many tools write."""

from traces.formats.format import Format
from traces.formats.head import Head

SAMPLES = frozenset({"samples", "stackFrames"})
"""What a trace without events holds."""


def looks_like_trace_event(head: Head) -> bool:
    """An array of events, or an object that holds one."""
    if head.json is None:
        return False
    if head.json.root == "array":
        return "ph" in head.json.element_keys
    return "traceEvents" in head.json.keys or head.json.keys >= SAMPLES


TRACE_EVENT = Format("trace-event", "Chrome performance traces and trace event JSON", looks_like_trace_event, __name__)
