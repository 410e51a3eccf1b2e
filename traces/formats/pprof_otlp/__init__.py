"""pprof and OpenTelemetry profiles, both protobuf messages of samples, locations and strings."""

import re
from dataclasses import replace

from traces.formats.format import RUNNING, SAMPLED, Format, sums
from traces.formats.head import Head
from traces.formats.pprof_otlp.legacy_signs import HEAD_BYTES, is_legacy
from traces.formats.protobuf_fields import LENGTH, VARINT, BrokenMessage, fields, opened
from traces.values import Counts, Waits

PPROF_LENGTHS = {1, 2, 3, 4, 5, 6, 11, 13}
PPROF_VARINTS = {7, 8, 9, 10, 12, 13, 14, 15}
PPROF_SAMPLE_TYPE = 1
OTLP_KEY = re.compile(rb"[A-Za-z][A-Za-z0-9_.\-/]*")
"""What an attribute is called: https://opentelemetry.io/docs/specs/semconv/general/naming/."""


def looks_like_pprof(head: Head) -> bool:
    """Fields of a Profile message, each with its own wire type, among them a well-formed sample type."""
    if not head.data or head.data[:1] in b"{[":
        return False
    types = 0
    try:
        for number, wire, first, last in fields(head.data, 0, len(head.data)):
            if number not in (PPROF_LENGTHS if wire == LENGTH else PPROF_VARINTS if wire == VARINT else ()):
                return False
            if number == PPROF_SAMPLE_TYPE:
                inner = [(n, w) for n, w, _, _ in fields(head.data, first, last)]
                if not inner or any(n not in (1, 2) or w != VARINT for n, w in inner):
                    return False
                types += 1
    except BrokenMessage:
        # The head cuts the message; what stood before must have shown a sample type, and a text never does.
        return types > 0 and (len(head.data) >= 1024 or head.text is None)
    return types > 0


def looks_like_legacy_pprof(head: Head) -> bool:
    """The words or the line that such a form begins with."""
    return is_legacy(head.data[:HEAD_BYTES])


def looks_like_otlp(head: Head) -> bool:
    """Profiles of a resource, which begin with an attribute of it or, without one, with the profiles of a scope."""
    try:
        return _is_resource(head.data, _entered(head.data, 0, 1))
    except (BrokenMessage, IndexError):
        return False


def _is_resource(data: bytes, at: int) -> bool:
    resource, profiles_of_scope, scope, profiles = 1, 2, 1, 2
    number, _, first, last = opened(data, at)
    if number == resource and last > first:
        attribute = _entered(data, first, 1)
        key = _entered(data, attribute, 1)
        return OTLP_KEY.fullmatch(data, key, opened(data, attribute)[3]) is not None
    inside = _entered(data, at if number == profiles_of_scope else last, profiles_of_scope)
    number, wire, first, _ = opened(data, inside)
    if number == profiles:
        return opened(data, _entered(data, first, 1))[:2] == (1, VARINT)
    return (number, wire) == (scope, LENGTH)


def _entered(data: bytes, at: int, number: int) -> int:
    """Where the message in the field at a place begins. Raises BrokenMessage where there is another field."""
    found, wire, first, _ = opened(data, at)
    if (found, wire) != (number, LENGTH):
        raise BrokenMessage("another field")
    return first


PPROF = Format(
    "pprof",
    "pprof profiles",
    looks_like_pprof,
    __name__,
    (
        sums(Counts.EVENTS),
        sums(Counts.SAMPLES, Waits.WORK),
        sums(Counts.EVENTS, Waits.WAITING),
        sums(Counts.EVENTS, Waits.NEITHER),
        sums(Counts.SAMPLES, Waits.BOTH),
        sums(waits=Waits.NEITHER),
        sums(Counts.SAMPLES),
    ),
    lines=True,
)
PPROF_LEGACY = Format(
    "pprof-legacy",
    "older pprof profiles (CPU, heap, growth, contention, threads)",
    looks_like_legacy_pprof,
    __name__,
    (
        sums(Counts.EVENTS),
        sums(Counts.SAMPLES, Waits.WORK),
        sums(Counts.EVENTS, Waits.WAITING),
        sums(Counts.EVENTS, Waits.NEITHER),
    ),
    lines=True,
)
OTLP = Format(
    "otlp",
    "OpenTelemetry profiles",
    looks_like_otlp,
    __name__,
    (
        SAMPLED,
        RUNNING,
        sums(Counts.SAMPLES),
        replace(SAMPLED, counts=Counts.EVENTS, waits=Waits.UNKNOWN),
        sums(waits=Waits.NEITHER),
    ),
    threads=True,
    lines=True,
)
