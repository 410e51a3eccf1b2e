"""What V8 writes: CPU profiles, heap profiles, and the log of `node --prof`."""

from traces.formats.format import SAMPLED, Format, sums
from traces.formats.head import Head
from traces.values import Counts, Waits

COUNTED = sums(Counts.SAMPLES, Waits.BOTH, count_value=0)
"""Samples of a file that breaks off before their times."""


def looks_like_heap_profile(head: Head) -> bool:
    """An object with a tree of call frames that have sizes."""
    return head.json is not None and "head" in head.json.keys and b'"selfSize"' in head.data


def looks_like_cpuprofile(head: Head) -> bool:
    """An object with a list or a tree of nodes that hold call frames."""
    if head.json is None or head.json.root != "object":
        return False
    keys = head.json.keys
    if "nodes" in keys and b'"callFrame"' in head.data:
        return True
    if {"nodes", "samples", "timeDeltas"} <= keys:
        return True
    return "head" in keys and b'"functionName"' in head.data and b'"selfSize"' not in head.data


def looks_like_v8_log(head: Head) -> bool:
    """An object with code, functions and ticks, or a text that begins with V8's version, or as it did before 2016."""
    if head.json is None:
        text = head.text or ""
        is_old = text.startswith(("shared-library,", "profiler,")) and "\ncode-creation," in text
        return text.startswith("v8-version,") or is_old
    if {"code", "functions", "ticks"} <= head.json.keys:
        return True
    return "code" in head.json.keys and b'"type": "SHARED_LIB"' in head.data


HEAP_PROFILE = Format(
    "heap-profile",
    "V8 heap profiles",
    looks_like_heap_profile,
    __name__,
    (sums(waits=Waits.NEITHER),),
    lines=True,
)
CPUPROFILE = Format("cpuprofile", "V8 .cpuprofile", looks_like_cpuprofile, __name__, (SAMPLED, COUNTED), lines=True)
V8_LOG = Format("v8-log", "V8 logs (node --prof)", looks_like_v8_log, __name__, (SAMPLED,), lines=True)
