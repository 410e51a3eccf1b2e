"""Safari's Web Inspector."""

from traces.formats.format import SAMPLED, Format
from traces.formats.head import Head


def looks_like_safari(head: Head) -> bool:
    """An object with a recording of the Web Inspector's instruments."""
    return head.json is not None and "recording" in head.json.keys and b'"timeline-record-type-' in head.data


SAFARI = Format("safari", "Safari recordings", looks_like_safari, __name__, (SAMPLED,), lines=True)
