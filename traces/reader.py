"""The way in: bytes of any known format become a trace."""

from collections.abc import Sequence
from mmap import mmap
from typing import Any

from traces import garbage_collection
from traces.analysis.units import format_value
from traces.bounds import DETECTION_BYTES, MAX_UPLOAD_BYTES
from traces.builder import TraceBuilder
from traces.compression import truncated
from traces.content_key import content_key
from traces.contradictions import contradictions
from traces.decompression import unwrapped
from traces.errors import DamagedTrace, EmptyTrace, InvalidQuestion, TraceTooLarge, UnrecognisedTrace
from traces.formats.detection import detect, is_trace
from traces.formats.format import Format, break_off
from traces.formats.head import outline
from traces.formats.json_repair import Repaired, repairs
from traces.formats.surrogates import without_half_characters
from traces.formats.trace_event.json_lines import as_array
from traces.handles import profile_of_span, resolve
from traces.missing_kernels import refuse_too_large_for_reference
from traces.model import Trace
from traces.progress import Progress
from traces.repair_warnings import with_repairs
from traces.restated import restated
from traces.side_tracks import add_tracks
from traces.values import Unit


def read_trace(
    data: bytes | memoryview | mmap, *, name: str, progress: Progress | None = None, key: str | None = None
) -> Trace:
    """Decompress, detect, import. `name` is the file's name: it appears in errors and as the trace's name. `progress`
    is advanced meanwhile. `key` is the data's content key where the caller knows it already.

    Raises EmptyTrace, UnrecognisedTrace, DamagedTrace or TraceTooLarge; each text names the file and what to do.
    """
    given = memoryview(data)
    if len(given) == 0:
        raise EmptyTrace(f"{name}: the file is empty. Record it again and check that the recording was saved.")
    if len(given) > MAX_UPLOAD_BYTES:
        size, limit = format_value(len(given), Unit.BYTES), format_value(MAX_UPLOAD_BYTES, Unit.BYTES)
        raise TraceTooLarge(f"{name}: it is {size} large; {limit} is the limit. Compress it or record a shorter time.")
    opened = unwrapped(given, name, is_trace)
    content = as_array(opened.content)
    if len(content) == 0:
        raise EmptyTrace(f"{name}: nothing is left of it once decompressed. Record it again.")
    refuse_too_large_for_reference(len(content), name)
    try:
        detected = detect(content, name)
    except UnrecognisedTrace as error:
        if opened.cut is not None:  # what is left says little about what it was
            raise truncated(name, opened.cut) from error
        raise
    known, content = detected.format, detected.content
    progress = progress or Progress()
    progress.begin(len(content))
    repaired = None
    key = key or content_key(given)
    try:
        trace = _read(content, known, _builder(name, known, progress), given, key)
    except DamagedTrace as error:
        trace, repaired = _repaired(content, known, name, progress, given, key, error)
    return with_repairs(trace, repaired, content, packed=opened.cut, remarks=detected.remarks)


def _repaired(
    content: memoryview,
    known: Format,
    name: str,
    progress: Progress,
    given: memoryview,
    key: str,
    error: DamagedTrace,
) -> tuple[Trace, Repaired]:
    """What can be read of broken JSON, and how. Raises the error of the attempt with most of it, else the given one."""
    first: DamagedTrace | None = None
    if outline(bytes(content[:DETECTION_BYTES])) is None:
        raise error
    for repaired in repairs(content):
        builder = _builder(name, known, progress)
        if repaired.breaks_off:
            break_off(builder, repaired.kept)
        try:
            trace = _read(repaired.content, known, builder, given, key)
        except DamagedTrace as again:
            first = first or again
        else:
            return trace, repaired
    raise first or error


def _builder(name: str, known: Format, progress: Progress | None) -> TraceBuilder:
    return TraceBuilder(name, known.name, progress, facts=known.facts[0])


def _read(content: memoryview, known: Format, builder: TraceBuilder, given: memoryview, key: str) -> Trace:
    try:
        with garbage_collection.at_rest():
            known.read(content, builder)
            if builder.profile_count == 0:
                add_tracks(builder)
            builder.progress.finish()
            trace = builder.build(content_key=key, source_bytes=len(given))
            return restated(trace, warnings=(*trace.warnings, *contradictions(trace)))
    except EmptyTrace as error:
        if builder.breaks_off:
            raise builder.damaged("nothing is a sample or a span.") from error
        raise
    except _json_error() as error:
        raise builder.damaged(f"{error}.") from error
    except RecursionError as error:
        raise builder.damaged("it is nested too deeply to be read.") from error
    except UnicodeDecodeError as error:
        raise builder.damaged("a text in it is not UTF-8.") from error
    except OverflowError as error:
        raise builder.damaged("a number in it is too large.") from error


def _json_error() -> type[Exception]:
    """What msgspec raises, looked up when a reader has failed."""
    import msgspec  # noqa: PLC0415 - 9 ms that what holds no JSON need not wait for

    return msgspec.MsgspecError


def read_arguments(data: bytes | memoryview | mmap, trace: Trace, spans: Sequence[str]) -> dict[str, Any]:
    """The arguments of some spans, by handle, from the file that the trace was read from; None for those without.

    Raises UnknownHandle, InvalidQuestion (another file), DamagedTrace.
    """
    import msgspec  # noqa: PLC0415 - as above

    given = memoryview(data)
    if content_key(given) != trace.content_key:
        raise InvalidQuestion(f"{trace.name}: this is not the file that the trace was read from.")
    content = as_array(unwrapped(given, trace.name, is_trace).content)
    found: dict[str, Any] = {}
    for span in spans:
        profile, row = profile_of_span(trace, resolve(trace, span, "span").index)
        assert profile.spans is not None
        offset, length = int(profile.spans.args_offset[row]), int(profile.spans.args_length[row])
        try:
            said = content[offset : offset + length]
            repaired, halves = without_half_characters(said)
            found[span] = msgspec.json.decode(repaired if halves else said) if length else None
        except msgspec.DecodeError as error:
            raise DamagedTrace(f"{trace.name}: the arguments of {span} cannot be read: {error}.") from error
    return found
