"""What JSON formats look like, a function each, by the format's name: names at the top, and words in the head. A sign
imports no reader.
"""

from traces.importers.head import Head

SAMPLES = frozenset({"samples", "stackFrames"})
"""What a trace without events holds."""


def speedscope(head: Head) -> bool:
    """An object that names the schema, or has its two parts."""
    if head.json is None or head.json.root != "object":
        return False
    if "$schema" in head.json.keys and b"speedscope.app/file-format-schema" in head.data:
        return True
    return "profiles" in head.json.keys and ("shared" in head.json.keys or b'"evented"' in head.data)


def heap_profile(head: Head) -> bool:
    """An object with a tree of call frames that have sizes."""
    return head.json is not None and "head" in head.json.keys and b'"selfSize"' in head.data


def firefox(head: Head) -> bool:
    """An object with threads and what is known about them, or DevTools' recording around one."""
    if head.json is None:
        return False
    keys = head.json.keys
    if {"meta", "threads"} <= keys:
        return bool(keys & {"libs", "shared", "pausedRanges"}) or b'"preprocessedProfileVersion"' in head.data
    return {"profile", "systemHost", "duration"} <= keys


def safari(head: Head) -> bool:
    """An object with a recording of the Web Inspector's instruments."""
    return head.json is not None and "recording" in head.json.keys and b'"timeline-record-type-' in head.data


def cpuprofile(head: Head) -> bool:
    """An object with a list or a tree of nodes that hold call frames."""
    if head.json is None or head.json.root != "object":
        return False
    keys = head.json.keys
    if "nodes" in keys and b'"callFrame"' in head.data:
        return True
    if {"nodes", "samples", "timeDeltas"} <= keys:
        return True
    return "head" in keys and b'"functionName"' in head.data and b'"selfSize"' not in head.data


def trace_event(head: Head) -> bool:
    """An array of events, or an object that holds one."""
    if head.json is None:
        return False
    if head.json.root == "array":
        return "ph" in head.json.element_keys
    return "traceEvents" in head.json.keys or head.json.keys >= SAMPLES


def v8_log(head: Head) -> bool:
    """An object with code, functions and ticks, or a text that begins with V8's version."""
    if head.json is None:
        return head.text is not None and head.text.startswith("v8-version,")
    if {"code", "functions", "ticks"} <= head.json.keys:
        return True
    return "code" in head.json.keys and b'"type": "SHARED_LIB"' in head.data


def pyinstrument(head: Head) -> bool:
    """An object with a root frame and a count of samples."""
    keys = head.json.keys if head.json is not None else frozenset[str]()
    return "sample_count" in keys and ("root_frame" in keys or {"target_description", "duration"} <= keys)


def memray(head: Head) -> bool:
    """An object with memray's totals, or a page that it made."""
    if head.json is not None:
        return {"total_num_allocations", "total_bytes_allocated"} <= head.json.keys
    return head.text is not None and "<title>memray" in head.text[:4_096]


def gprof2dot(head: Head) -> bool:
    """An object with costs and events, the first of which have call chains."""
    return head.json is not None and {"costs", "events"} <= head.json.keys and b'"callchain"' in head.data


def stackprof(head: Head) -> bool:
    """An object with a mode, an interval and frames."""
    return head.json is not None and {"mode", "interval", "frames", "missed_samples"} <= head.json.keys


def haskell(head: Head) -> bool:
    """An object with GHC's runtime arguments and cost centres, or a text with the report's title."""
    if head.json is not None:
        return {"rts_arguments", "cost_centres"} <= head.json.keys
    return head.text is not None and "Time and Allocation Profiling Report" in head.text[:1_000]
