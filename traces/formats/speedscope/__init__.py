"""speedscope's own JSON."""

from dataclasses import replace

from traces.formats.format import CALLS, SAMPLED, Format, sums
from traces.formats.head import Head
from traces.values import Counts, Waits


def looks_like_speedscope(head: Head) -> bool:
    """An object that names the schema, or has its two parts."""
    if head.json is None or head.json.root != "object":
        return False
    if "$schema" in head.json.keys and b"speedscope.app/file-format-schema" in head.data:
        return True
    kinds = b'"evented"' in head.data or b'"sampled"' in head.data
    return "profiles" in head.json.keys and (kinds or ("shared" in head.json.keys and b'"frames"' in head.data))


SPEEDSCOPE = Format(
    "speedscope",
    "speedscope JSON",
    looks_like_speedscope,
    __name__,
    (
        replace(SAMPLED, waits=Waits.UNKNOWN),
        CALLS,
        sums(Counts.SAMPLES),
        sums(Counts.CALLS, Waits.BOTH),
    ),
    threads=True,
    lines=True,
)
