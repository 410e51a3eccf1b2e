"""pprof profiles (Go, node, parca, perf_to_profile). Format: github.com/google/pprof, proto/profile.proto; what was
written before it is read by `pprof_legacy`.

All value types are kept. Inlined functions are frames of their own. A function is one frame whatever line it was
sampled at; its line is where it begins, or, where the file does not say that, the lowest it was sampled at.
"""

from collections import defaultdict
from dataclasses import replace
from functools import partial

import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TraceBuilder
from traces.counting import counting
from traces.errors import UnrecognisedTrace
from traces.formats.format import CUT, break_off
from traces.formats.pprof_otlp.locations import Function, frames_of_stacks, sampled_lines, with_empty_ones, with_lines
from traces.formats.pprof_otlp.memory_map import Mapping, place_name
from traces.formats.pprof_otlp.protobuf_columns import complete_fields, messages_in, number_of, numbers_of, texts
from traces.formats.pprof_otlp.sample_values import waits_of
from traces.formats.time_units import in_unit, unit_named
from traces.kernels.library import NotReadable
from traces.kernels.protobuf import LENGTH, VARINT, Fields
from traces.kernels.trees import paths_of_stacks
from traces.model import Int32, Int64
from traces.origin import Origin
from traces.values import ValueType

SAMPLE_TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, TIME_NANOS, DURATION_NANOS = 1, 2, 3, 4, 5, 6, 9, 10
COMMENT, DEFAULT_TYPE = 13, 14
BUILD_ID = 6
MOST_COMMENTS = 100
LOST_NAME = "(name lost)"


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile. Raises DamagedTrace."""
    try:
        _read(content, builder)
    except NotReadable as error:
        raise builder.damaged(f"{error}.") from error
    except IndexError as error:
        if builder.breaks_off:
            raise builder.damaged("no function has a name: names stand at the end.") from error
        raise builder.damaged("it points to a string, location or function that it does not hold.") from error
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error


def _read(data: memoryview, builder: TraceBuilder) -> None:
    profile_fields, kept = complete_fields(data)
    strings = texts(data, profile_fields, STRING)
    if kept < len(data):
        break_off(builder, kept)
        builder.warn("cut", CUT)
    types = messages_in(data, profile_fields, SAMPLE_TYPE)
    named = [
        (_text(strings, name), *unit_named(_text(strings, unit)))
        for name, unit in zip(number_of(types, 1).tolist(), number_of(types, 2).tolist(), strict=True)
    ]
    samples = messages_in(data, profile_fields, SAMPLE)
    locations, location_ends = numbers_of(data, samples, 1)
    values, value_ends = numbers_of(data, samples, 2)
    del samples
    if (np.diff(value_ends, prepend=0) != len(named)).any():
        raise builder.damaged("a sample has another number of values than there are value types.")
    table = values.reshape(len(value_ends), len(named))
    if table.min(initial=0) < 0:
        raise UnrecognisedTrace(
            f"{builder.name}: this is the difference of two pprof profiles (it has values below zero), as "
            "`pprof -base` writes. Open the two that it was made from, and compare them."
        )
    columns = [in_unit(table[:, k], unit, factor) for k, (_, unit, factor) in enumerate(named)]
    known = _frames_of_locations(data, profile_fields, strings, builder)
    if builder.breaks_off:
        known = _with_lost(known, locations, builder)
    frames, stacks = frames_of_stacks(locations, location_ends, *known)
    del locations
    frames, stacks = with_empty_ones(frames, stacks, builder)
    paths = paths_of_stacks(frames, stacks, MAX_STACK_DEPTH, inner_first=True)
    del frames, stacks
    default_type = _last(profile_fields, DEFAULT_TYPE) or 0
    default = strings[default_type] if 0 < default_type < len(strings) else None
    began, length = _last(profile_fields, TIME_NANOS), _last(profile_fields, DURATION_NANOS)
    builder.recorded(began, for_ns=length)
    _read_origin(data, profile_fields, strings, builder.origin)
    kinds = tuple(ValueType(name or f"value {k}", unit) for k, (name, unit, _) in enumerate(named))
    shown = next((k for k, (name, _, _) in enumerate(named) if name == default), len(named) - 1)
    facts = replace(builder.facts, waits=waits_of(kinds[shown]))
    builder.add_sampled(
        builder.name,
        paths,
        paths.leaf,
        columns,
        values=kinds,
        default_value=shown,
        facts=counting(facts, kinds, shown, may_count_calls=False),
    )


def _last(fields: Fields, number: int) -> int | None:
    """What the profile's field has, which is an integer; its last value counts."""
    found = fields.first[(fields.number == number) & (fields.wire == VARINT)]
    return int(found[-1]) if len(found) else None


def _read_origin(data: memoryview, profile_fields: Fields, strings: list[str], origin: Origin) -> None:
    """The first comments, and the build of the first mapping, which is the program's own; nothing of what is no such
    field: the file is read without."""
    try:
        comments, _ = numbers_of(data, profile_fields, COMMENT)
        builds = number_of(messages_in(data, profile_fields, MAPPING), BUILD_ID)[:1]
    except NotReadable:
        return
    for index in comments[:MOST_COMMENTS].tolist():
        if 0 < index < len(strings):
            origin.comment(strings[index])
    for index in builds.tolist():
        if 0 < index < len(strings):
            origin.says("build_id", strings[index])


def _text(strings: list[str], index: int) -> str:
    if index < 0:
        raise IndexError(index)
    return strings[index]


def _frames_of_locations(
    data: memoryview, profile_fields: Fields, strings: list[str], builder: TraceBuilder
) -> tuple[Int64, Int32, Int64]:
    """The id of each location, the builder's frames of all of them, innermost first, and where each one's end."""
    functions = messages_in(data, profile_fields, FUNCTION)
    parts = (number_of(functions, number).tolist() for number in (1, 2, 4, 5))
    locations = messages_in(data, profile_fields, LOCATION)
    lines = messages_in(data, locations, 4)
    sampled = sampled_lines(number_of(lines, 1), number_of(lines, 2))
    frame_of: dict[int, int] = {}
    known = with_lines(zip(*parts, strict=True), sampled)
    if builder.breaks_off:
        known = _with_names(known, strings, builder)
    for ident, name, file, line in known:
        place = _text(strings, file) or None
        frame_of[ident] = builder.frame(_text(strings, name) or "(unknown)", place, line or None)
    if builder.breaks_off and frame_of:
        frame_of = defaultdict(partial(builder.frame, LOST_NAME), frame_of)
    try:
        of_lines = [frame_of[function] for function in number_of(lines, 1).tolist()]
    except KeyError as error:
        raise IndexError from error
    line_rows = (locations.number == 4) & (locations.wire == LENGTH)
    sizes = np.bincount(locations.message[line_rows], minlength=len(locations.ends))
    unnamed = np.flatnonzero(sizes == 0)
    addresses = number_of(locations, 3).view(np.uint64)[unnamed]
    # Without symbols the address is all there is to know, and the file that was mapped there.
    mappings = _mappings(data, profile_fields, strings, builder)
    mapped = zip(addresses.tolist(), number_of(locations, 2)[unnamed].tolist(), strict=True)
    of_addresses = [builder.frame(place_name(address, mappings.get(mapping))) for address, mapping in mapped]
    frames = np.insert(np.array(of_lines, np.int32), (np.cumsum(sizes) - sizes)[unnamed], of_addresses)
    return number_of(locations, 1), frames, np.cumsum(np.maximum(sizes, 1))


def _mappings(
    data: memoryview, profile_fields: Fields, strings: list[str], builder: TraceBuilder
) -> dict[int, Mapping]:
    """What was mapped where, by the number that locations give."""
    rows = messages_in(data, profile_fields, MAPPING)
    columns = (number_of(rows, number).tolist() for number in (1, 2, 3, 4, 5))
    known = len(strings) if builder.breaks_off else 1 << 63
    return {
        ident: Mapping(start, end, offset, _text(strings, file if file < known else 0))
        for ident, start, end, offset, file in zip(*columns, strict=True)
    }


def _with_names(functions: list[Function], strings: list[str], builder: TraceBuilder) -> list[Function]:
    """Functions of a file that breaks off: where the text of a name or a file was behind that, they have none."""
    names = len(strings)
    if not any(0 < name < names for _, name, _, _ in functions):
        raise builder.damaged("no function has a name: names stand at the end.")
    strings.append(LOST_NAME)
    lost = sum(name >= names for _, name, _, _ in functions)
    builder.warn("lost_names", "functions have no name, as their names stand behind where the file breaks off", lost)
    return [(k, min(names, name), file if file < names else 0, line) for k, name, file, line in functions]


def _with_lost(
    known: tuple[Int64, Int32, Int64], locations: Int64, builder: TraceBuilder
) -> tuple[Int64, Int32, Int64]:
    """The frames of locations, and one for those that stood behind where the file breaks off."""
    idents, frames, ends = known
    lost = np.setdiff1d(locations, idents)
    if not len(lost) or not len(frames):
        return known
    count = ends[-1] + np.arange(1, len(lost) + 1)
    more = np.full(len(lost), builder.frame(LOST_NAME), np.int32)
    return np.concatenate((idents, lost)), np.concatenate((frames, more)), np.concatenate((ends, count))
