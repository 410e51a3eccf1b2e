"""What people are told of a file that was repaired or breaks off: what was kept of it, in bytes and in time."""

from collections.abc import Sequence
from dataclasses import replace

from traces.analysis.units import format_value
from traces.bounds import DETECTION_BYTES
from traces.decompression import CONTROL
from traces.formats.invalid_utf8 import invalid_bytes
from traces.formats.json_repair import Repaired
from traces.model import Trace
from traces.restated import restated
from traces.values import TraceWarning, Unit

REPLACEMENT = "\ufffd".encode()
BROKEN_OFF = frozenset({"unterminated", "cut"})
"""The warnings of importers that read on to where a file breaks off."""


def with_repairs(
    trace: Trace, repaired: Repaired | None, content: memoryview, *, packed: str | None = None, remarks: int = 0
) -> Trace:
    """The trace with warnings of what was repaired in JSON, of what it was `packed` as where that breaks off, of lines
    before it, and of bytes in its texts that are no characters."""
    size = len(content)
    warnings = [_with_extent(each, trace, size) for each in trace.warnings]
    if remarks:
        warnings.append(TraceWarning("remarks", "lines before the recording were left out", remarks))
    if packed is not None:
        text = f"the {packed} file breaks off: {size:,} bytes could be unpacked{_time_of(trace)}"
        warnings.append(TraceWarning("cut_package", text))
    if repaired is not None:
        warnings += _of_json(repaired, trace, size)
    elif count := _replaced_bytes(trace, content):
        warnings.append(TraceWarning("not_utf8", "bytes of texts that are not UTF-8 were read as \ufffd", count))
    return restated(trace, warnings=tuple(warnings)) if warnings else trace


def _of_json(repaired: Repaired, trace: Trace, size: int) -> Sequence[TraceWarning]:
    left_out = size - repaired.kept
    found = []
    if repaired.breaks_off:
        text = f"the file breaks off: {repaired.kept:,} of its {size:,} bytes were read{_time_of(trace)}"
        found.append(TraceWarning("unterminated", text))
    elif left_out:
        found.append(TraceWarning("trailing", "bytes behind the end of the JSON were left out", left_out))
    if repaired.loose:
        text = "numbers that are none (NaN, Infinity) and commas behind last elements were left out"
        found.append(TraceWarning("loose_json", text, repaired.loose))
    if repaired.halves:
        text = "half characters in texts were read as \ufffd"
        found.append(TraceWarning("half_character", text, repaired.halves))
    if repaired.invalid:
        found.append(TraceWarning("not_utf8", "bytes of texts that are not UTF-8 were read as ?", repaired.invalid))
    return found


def _with_extent(warning: TraceWarning, trace: Trace, size: int) -> TraceWarning:
    """The warning of an importer that a file breaks off, with how much there is before."""
    if warning.code not in BROKEN_OFF:
        return warning
    return replace(warning, text=f"{warning.text}: {size:,} bytes{_time_of(trace)}")


def _time_of(trace: Trace) -> str:
    """How long what was read lasts, where it has times."""
    ends = [profile.axis_end for profile in trace.profiles if profile.has_times]
    return f", {format_value(max(ends), Unit.NANOSECONDS)} of the recording" if ends else ""


def _replaced_bytes(trace: Trace, content: memoryview) -> int:
    """How many bytes of a text are no characters, where one of its names has such."""
    names = trace.strings.arena
    if not len(names) or names.max() < REPLACEMENT[0] or CONTROL.search(content[:DETECTION_BYTES]):
        return 0
    if REPLACEMENT not in names.tobytes():
        return 0
    return invalid_bytes(content)
