"""Chrome's trace event JSON, which many tools write."""

from traces.formats.format import CALLS, RUNNING, SAMPLED, Format
from traces.formats.head import Head

SAMPLES = frozenset({"samples", "stackFrames"})
"""What a trace without events holds."""

EVENT_KEYS = frozenset({"ts", "name", "pid", "tid", "cat"})
"""Some of which stand next to an event's phase."""


def looks_like_trace_event(head: Head) -> bool:
    """An array of events, or an object that holds one."""
    if head.json is None:
        return False
    if head.json.root == "array":
        return "ph" in head.json.element_keys and not head.json.element_keys.isdisjoint(EVENT_KEYS)
    return "traceEvents" in head.json.keys or head.json.keys >= SAMPLES


def looks_like_nothing(_: Head) -> bool:
    """No file is recognised as this by its head."""
    return False


TRACE_EVENT = Format(
    "trace-event",
    "Chrome performance traces and trace event JSON",
    looks_like_trace_event,
    __name__,
    (SAMPLED, CALLS, RUNNING),
    threads=True,
    lines=True,
    arguments=True,
)
CHROME = Format(
    "chrome",
    "Chrome performance traces",
    looks_like_nothing,
    __name__,
    (SAMPLED, CALLS, RUNNING),
    threads=True,
    lines=True,
    arguments=True,
    reader="trace_event",
)
"""What trace event JSON is called once V8's profiles were found in it."""
