"""Trace events as a line of JSON each, as loggers and some tracers write them: the array of which they are."""

import json

from traces.bounds import DETECTION_BYTES
from traces.formats.head import outline
from traces.formats.trace_event import EVENT_KEYS
from traces.lazy_regex import lazy_regex

BETWEEN = lazy_regex(rb"[,\s]*\n[,\s]*")


def as_array(content: memoryview) -> memoryview:
    """The content, or where its first two lines are events of a trace the array of all lines. What breaks off does so
    in the array as well."""
    start = bytes(content[:DETECTION_BYTES]).lstrip()
    first, _, rest = start.partition(b"\n")
    if not start.startswith(b"{") or not rest.lstrip().startswith(b"{") or not _is_event(first.rstrip(b" \t\r,")):
        return content
    joined = BETWEEN.sub(b",\n", bytes(content).strip(b" \t\r\n,"))
    return memoryview(b"".join((b"[", joined, b"]" if _is_complete(joined[joined.rfind(b"\n") + 1 :]) else b"")))


def _is_event(line: bytes) -> bool:
    found = outline(line) if line.endswith(b"}") else None
    return found is not None and "ph" in found.keys and not found.keys.isdisjoint(EVENT_KEYS)


def _is_complete(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
