"""What binary formats look like, a function each, by the format's name. What reads a format is imported only for a file
of it: a sign imports no reader.
"""

import re

from traces.importers.head import Head
from traces.importers.protobuf import LENGTH, VARINT, BrokenMessage, fields, opened
from traces.kernels.library import NotReadable
from traces.kernels.protobuf import scan_fields

JFR_CHUNK = b"FLR\0"
NETTRACE_STREAM = b"Nettrace\x14\0\0\0!FastSerialization.1"
PERF_DATA = b"PERFILE2"
PERF_HEADER_BYTES, PERF_PIPE_HEADER_BYTES = 104, 16
PPROF_LENGTHS = {1, 2, 3, 4, 5, 6, 11, 13}
PPROF_VARINTS = {7, 8, 9, 10, 12, 13, 14, 15}
PPROF_SAMPLE_TYPE = 1
PERFETTO_TIME, PERFETTO_SEQUENCE = 8, 10
OTLP_KEY = re.compile(rb"[A-Za-z][A-Za-z0-9_.\-/]*")
"""What an attribute is called: https://opentelemetry.io/docs/specs/semconv/general/naming/."""
DICTIONARIES, SMALL_TUPLES, TUPLES, TEXTS = b"{\xfb", b")\xa9", b"(\xa8", b"zZaAut"
"""Of Python's marshal format."""
NEWEST_MOJO = 4


def pprof(head: Head) -> bool:
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
        return types > 0 and len(head.data) >= 1024
    return types > 0


def otlp(head: Head) -> bool:
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


def instruments_trace(head: Head) -> bool:
    """A zip whose first names are those of a folder something.trace."""
    return head.data[:4] == b"PK\x03\x04" and b".trace/" in head.data[:300]


def jfr(head: Head) -> bool:
    """The first bytes of a chunk."""
    return head.data[:4] == JFR_CHUNK


def perfetto(head: Head) -> bool:
    """A packet that says when or by whom it was written."""
    if head.data[:1] != b"\n" or head.text is not None:
        return False
    try:
        _, _, first, last = opened(head.data, 0)
        said = scan_fields(head.data, [first], [last])
    except (BrokenMessage, NotReadable, IndexError, OverflowError):
        return False
    return not {PERFETTO_TIME, PERFETTO_SEQUENCE}.isdisjoint(said.number[said.wire == VARINT].tolist())


def perf_data(head: Head) -> bool:
    """perf's sign, and a header of one of its two sizes."""
    if not head.data.startswith(PERF_DATA) or len(head.data) < PERF_PIPE_HEADER_BYTES:
        return False
    size = int.from_bytes(head.data[8:16], "little")
    return size in (PERF_HEADER_BYTES, PERF_PIPE_HEADER_BYTES)


def nettrace(head: Head) -> bool:
    """Its sign, and that of the list of objects that follows."""
    return head.data.startswith(NETTRACE_STREAM)


def pstats(head: Head) -> bool:
    """A marshalled dictionary whose first key is three things that begin with a text."""
    data = head.data
    if len(data) < 16 or data[0] not in DICTIONARIES:
        return False
    if data[1] in SMALL_TUPLES:
        return data[2] == 3 and data[3] & 0x7F in TEXTS
    return data[1] in TUPLES and data[2:6] == b"\x03\0\0\0" and data[6] & 0x7F in TEXTS


def rbspy(head: Head) -> bool:
    """The magic, a version and a line's end."""
    return head.data[:5] == b"rbspy" and head.data[5:7].isdigit() and head.data[7:8] == b"\n"


def austin_mojo(head: Head) -> bool:
    """The magic and a small version."""
    return len(head.data) > 4 and head.data[:3] == b"MOJ" and 1 <= head.data[3] <= NEWEST_MOJO


def nsys(head: Head) -> bool:
    """A database whose schema, on its first pages, names tables of Nsight Systems."""
    return head.data.startswith(b"SQLite format 3\0") and b"StringIds" in head.data
