"""pprof, gzip-compressed as its tools write it. Format: github.com/google/pprof, proto/profile.proto.

One sample a call path: sums without moments in time. All values of the profile are kept.
"""

import gzip
from collections.abc import Iterator

import numpy as np

from traces.analysis.selection import Selection
from traces.analysis.window import NodeValues
from traces.export.collapsed import integers
from traces.export.document import Document, path
from traces.model import Values
from traces.values import Unit

UNITS = {Unit.NANOSECONDS: "nanoseconds", Unit.BYTES: "bytes", Unit.COUNT: "count"}
SAMPLE_TYPE, SAMPLE, LOCATION, FUNCTION, STRING, TIME_NANOS, DURATION, DEFAULT_TYPE = 1, 2, 4, 5, 6, 9, 10, 14


class _Strings:
    """The string table; its first entry must be empty."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {"": 0}

    def index(self, text: str | None) -> int:
        return 0 if text is None else self.texts.setdefault(text, len(self.texts))


def export(chosen: Selection) -> Document:
    """The stacks that have weight, with every value of the profile (of several profiles: the one they share)."""
    notes = ["when samples were taken, and columns, are not in this format"]
    values = [chosen.values()]
    names = [(chosen.profiles[0].values[chosen.value[0]].name, chosen.unit)]
    if len(chosen.profiles) == 1 and not chosen.frame_filter:
        profile = chosen.profiles[0]
        names = [(value.name, value.unit) for value in profile.values]
        values = [
            NodeValues(own, total, profile.tree.count)
            for own, total in zip(profile.tree.self_values, profile.tree.total_values, strict=True)
        ]
    columns = [integers(v.self_value) for v in values]
    if any((column != v.self_value).any() for column, v in zip(columns, values, strict=True)):
        notes.append("weights were rounded to whole numbers")
    default = chosen.value[0] if len(names) > 1 else 0
    return Document(_compressed(chosen, names, columns, default), tuple(notes))


def _compressed(
    chosen: Selection, names: list[tuple[str, Unit]], columns: list[Values], default: int
) -> Iterator[bytes]:
    yield gzip.compress(_profile(chosen, names, columns, default), 6, mtime=0)


def _profile(chosen: Selection, names: list[tuple[str, Unit]], columns: list[Values], default: int) -> bytes:
    trace, tree = chosen.trace, chosen.tree
    strings = _Strings()
    out = bytearray()
    for name, unit in names:
        out += _message(SAMPLE_TYPE, _number(1, strings.index(name)) + _number(2, strings.index(UNITS[unit])))
    weighty = np.flatnonzero(np.any([column > 0 for column in columns], axis=0))
    for node in weighty.tolist():
        locations = b"".join(_varint(frame + 1) for frame in reversed(path(tree, node)))
        weights = b"".join(_varint(int(column[node])) for column in columns)
        out += _message(SAMPLE, _message(1, locations) + _message(2, weights))
    for frame in np.unique(tree.frame).tolist():
        line = trace.frame_line(frame) or 0
        place = _number(1, frame + 1) + (_number(2, line) if line > 0 else b"")
        out += _message(LOCATION, _number(1, frame + 1) + _message(4, place))
        called, file = strings.index(trace.frame_names[frame]), strings.index(trace.frame_file(frame))
        said = _number(1, frame + 1) + _number(2, called) + _number(3, called) + _number(4, file)
        out += _message(FUNCTION, said + (_number(5, line) if line > 0 else b""))
    if trace.recorded_at_ns:
        out += _number(TIME_NANOS, trace.recorded_at_ns)
    of_axis = int(chosen.axis_end - chosen.axis_start) if chosen.axis.is_time else 0
    if length := trace.recorded_for_ns or of_axis:
        out += _number(DURATION, length)
    out += _number(DEFAULT_TYPE, strings.index(names[default][0]))
    for text in strings.texts:
        out += _message(STRING, text.encode("utf-8", "replace"))
    return bytes(out)


def _message(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
