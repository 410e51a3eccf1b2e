"""OpenTelemetry profiles (OTLP, `ProfilesData`), as the eBPF profiler and the Collector write them.

Format: github.com/open-telemetry/opentelemetry-proto, profiles/v1development/profiles.proto. All profiles of a file
share one dictionary, whose tables begin with an entry that stands for "none". A profile a thread, where samples say
theirs.
"""

from dataclasses import dataclass, replace
from itertools import count
from typing import Self

import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TraceBuilder
from traces.counting import counting
from traces.equal_rows import numbered, rows_of_each
from traces.formats.pprof_otlp.locations import frames_of_stacks, sampled_lines, with_empty_ones, with_lines
from traces.formats.pprof_otlp.protobuf_columns import (
    fixed_numbers_of,
    messages_in,
    number_of,
    numbers_of,
    parts,
    texts,
)
from traces.formats.pprof_otlp.sample_values import waits_of
from traces.formats.protobuf_fields import fields
from traces.formats.time_units import in_unit, unit_named
from traces.kernels.library import NotReadable
from traces.kernels.protobuf import FIXED64, LENGTH, VARINT, Fields, scan_fields
from traces.kernels.trees import Paths, paths_of_stacks
from traces.model import Int32, Int64, Values
from traces.values import Clock, Order, Unit, ValueType

RESOURCE_PROFILES, DICTIONARY = 1, 2
RESOURCE, SCOPE_PROFILES = 1, 2
SCOPE, PROFILES = 1, 2
SAMPLE_TYPE, SAMPLES, STARTED, PERIOD_TYPE, PERIOD = 1, 2, 3, 5, 6
MAPPINGS, LOCATIONS, FUNCTIONS, STRINGS, ATTRIBUTES, STACKS = 1, 2, 3, 5, 6, 7
THREAD_KEYS = ("process.pid", "thread.id", "thread.name")

Attributes = dict[str, str]


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile for each thread of each profile; the busiest is the default. Raises DamagedTrace."""
    try:
        _read(content, builder)
    except NotReadable as error:
        raise builder.damaged(f"{error}.") from error
    except IndexError as error:
        raise builder.damaged("it points to an entry that its dictionary does not hold.") from error
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error


def _read(data: memoryview, builder: TraceBuilder) -> None:
    data_fields = scan_fields(data, [0], [len(data)])
    dictionary = Dictionary.of(data, messages_in(data, data_fields, DICTIONARY), builder)
    for first, last in parts(data_fields, RESOURCE_PROFILES).tolist():
        of_resource = scan_fields(data, [first], [last])
        about: Attributes = {}
        for start, stop in parts(messages_in(data, of_resource, RESOURCE), 1).tolist():
            about.update([_attribute(bytes(data[start:stop]), dictionary.strings)])
        scopes = messages_in(data, of_resource, SCOPE_PROFILES)
        for start, stop in parts(scopes, PROFILES).tolist():
            _read_profile(scan_fields(data, [start], [stop]), dictionary, about, builder)


@dataclass(frozen=True)
class Dictionary:
    """What all profiles of the file point to. Stack `i` is `frames[stacks[i - 1]:stacks[i]]`, innermost first."""

    data: memoryview
    strings: list[str]
    attributes: list[tuple[str, str]]
    frames: Int32
    stacks: Int64

    @classmethod
    def of(cls, data: memoryview, tables: Fields, builder: TraceBuilder) -> Self:
        """Read the tables. Raises NotReadable, IndexError."""
        strings = texts(data, tables, STRINGS) or [""]
        attributes = [
            _attribute(bytes(data[first:last]), strings, in_table=True)
            for first, last in parts(tables, ATTRIBUTES).tolist()
        ]
        frames, ends = _frames_of_locations(data, tables, strings, builder)
        locations, stacks = numbers_of(data, messages_in(data, tables, STACKS), 1)
        frames, stacks = frames_of_stacks(locations, stacks, np.arange(len(ends)), frames, ends)
        return cls(data, strings, attributes, *with_empty_ones(frames, stacks, builder))

    def paths(self, requested: Int64) -> Paths:
        """The paths of a sequence of stacks. Raises IndexError."""
        used, which = numbered(requested)
        if len(used) and not 0 <= used[0] <= used[-1] < len(self.stacks):
            raise IndexError
        first = np.where(used > 0, self.stacks[used - 1], 0)
        sizes = self.stacks[used] - first
        ends = np.cumsum(sizes)
        places = np.arange(sizes.sum()) + np.repeat(first - (ends - sizes), sizes)
        paths = paths_of_stacks(self.frames[places], ends, MAX_STACK_DEPTH, inner_first=True)
        return Paths(paths.frame, paths.parent, paths.depth, paths.leaf[which], paths.truncated)


def _attribute(message: bytes, strings: list[str], *, in_table: bool = False) -> tuple[str, str]:
    """The key and value (a text or an integer, as text; else empty) of a KeyValue, or of a row of the table."""
    key = value = ""
    for number, wire, first, last in fields(message, 0, len(message)):
        if number == 1 and wire == LENGTH:
            key = message[first:last].decode("utf-8", "replace")
        elif wire == VARINT and number == (1 if in_table else 3):
            key = strings[first]
        elif number == 2 and wire == LENGTH:
            for kind, inner, start, stop in fields(message, first, last):
                if (kind, inner) == (1, LENGTH):
                    value = message[start:stop].decode("utf-8", "replace")
                elif (kind, inner) == (3, VARINT):
                    value = str(start)
                elif (kind, inner) == (8, VARINT):
                    value = strings[start]
    return key, value


def _frames_of_locations(
    data: memoryview, tables: Fields, strings: list[str], builder: TraceBuilder
) -> tuple[Int32, Int64]:
    """The builder's frames of all locations, innermost first, and where each one's end."""
    functions = messages_in(data, tables, FUNCTIONS)
    said = zip(count(), *(number_of(functions, number).tolist() for number in (1, 3, 4)), strict=False)
    locations = messages_in(data, tables, LOCATIONS)
    lines = messages_in(data, locations, 3)
    of_functions = [
        builder.frame(strings[name] or "(unknown)", strings[file] or None, line or None)
        for _, name, file, line in with_lines(said, sampled_lines(number_of(lines, 1), number_of(lines, 2)))
    ]
    modules = [strings[file] for file in number_of(messages_in(data, tables, MAPPINGS), 4).tolist()] or [""]
    of_lines = [of_functions[index] for index in number_of(lines, 1).tolist()]
    line_rows = (locations.number == 3) & (locations.wire == LENGTH)
    sizes = np.bincount(locations.message[line_rows], minlength=len(locations.ends))
    unnamed = np.flatnonzero(sizes == 0)
    addresses, mappings = number_of(locations, 2).view(np.uint64), number_of(locations, 1)
    # Without symbols the address, and the file that was mapped there, are all there is to know.
    of_addresses = [
        builder.frame(f"0x{address:x}", modules[mapping] or None)
        for address, mapping in zip(addresses[unnamed].tolist(), mappings[unnamed].tolist(), strict=True)
    ]
    frames = np.insert(np.array(of_lines, np.int32), (np.cumsum(sizes) - sizes)[unnamed], of_addresses)
    return frames, np.cumsum(np.maximum(sizes, 1))


def _read_profile(profile: Fields, dictionary: Dictionary, about: Attributes, builder: TraceBuilder) -> list[int]:
    """Feed the threads of one profile; returns their indices."""
    data = dictionary.data
    samples = messages_in(data, profile, SAMPLES)
    counts, times, rows = _events(data, samples)
    values, columns = _value_columns(profile, dictionary, counts)
    started = profile.first[(profile.number == STARTED) & (profile.wire == FIXED64)]
    if len(started):
        builder.recorded(int.from_bytes(data[started[-1] : started[-1] + 8], "little"))
    facts = replace(
        counting(builder.facts, values, may_count_calls=False),
        order=Order.NONE if times is None else Order.TIME,
        clock=Clock.NONE if times is None else Clock.TRACE,
        waits=waits_of(values[0]),
    )
    threads, of_sample = _threads(samples, dictionary, about)
    stacks = number_of(samples, 1)
    indices = []
    of_thread = dict(rows_of_each(of_sample[rows]))
    for number, (pid, tid, name) in enumerate(threads):
        mine = of_thread.get(number, np.zeros(0, np.int64))
        if times is not None:
            mine = mine[np.argsort(times[mine], kind="stable")]
        paths = dictionary.paths(stacks[rows[mine]])
        index = builder.add_sampled(
            name or about.get("service.name") or builder.name,
            paths,
            paths.leaf,
            [column[mine] for column in columns],
            values=values,
            default_value=len(values) - 1,
            time=times[mine] if times is not None else None,
            facts=facts,
            pid=pid,
            tid=tid,
        )
        indices.append(index)
    return indices


def _events(data: memoryview, samples: Fields) -> tuple[Int64, Int64 | None, Int64]:
    """The weight and time of each event, in the order of the samples, and the sample of each.

    A sample lists its moments, their values, or both; without values each moment counts once. Times are None where a
    sample has none. Raises ValueError.
    """
    values, value_ends = numbers_of(data, samples, 4)
    times, time_ends = fixed_numbers_of(data, samples, 5)
    said, moments = np.diff(value_ends, prepend=0), np.diff(time_ends, prepend=0)
    if ((said > 0) & (moments > 0) & (said != moments)).any():
        raise ValueError("a sample has another number of values than of times")
    sizes = np.maximum(said, moments)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    weights = np.ones(len(rows), np.int64)
    weights[np.repeat(said > 0, sizes)] = values
    return weights, times if (moments == sizes).all() and len(times) else None, rows


def _value_columns(
    profile: Fields, dictionary: Dictionary, weights: Int64
) -> tuple[tuple[ValueType, ...], list[Values]]:
    """What was counted, and the time it stands for where the file says how much passes from one to the next."""
    name, unit_name = _type(profile, SAMPLE_TYPE, dictionary)
    unit, factor = unit_named(unit_name)
    values, columns = [ValueType(name or "samples", unit)], [in_unit(weights, unit, factor)]
    every, every_unit = _type(profile, PERIOD_TYPE, dictionary)
    period = profile.first[(profile.number == PERIOD) & (profile.wire == VARINT)]
    passed, each = unit_named(every_unit)
    if unit is Unit.COUNT and passed.is_time and len(period) and period[-1] > 0:
        values.append(ValueType(every or "time", passed))
        columns.append(in_unit(weights * period[-1], passed, each))
    return tuple(values), columns


def _type(profile: Fields, number: int, dictionary: Dictionary) -> tuple[str, str]:
    """The names of a value type and its unit; empty where the profile does not say."""
    said = messages_in(dictionary.data, profile, number)
    if not len(said.ends):
        return "", ""
    return dictionary.strings[number_of(said, 1)[-1]], dictionary.strings[number_of(said, 2)[-1]]


def _threads(samples: Fields, dictionary: Dictionary, about: Attributes) -> tuple[list[tuple[str, str, str]], Int64]:
    """Process, thread and name of each thread, and the thread of each sample."""
    indices, ends = numbers_of(dictionary.data, samples, 2)
    known: dict[tuple[int, ...], int] = {}
    threads: dict[tuple[str, str, str], int] = {}
    of_sample = np.zeros(len(ends), np.int64)
    begin = 0
    for sample, end in enumerate(ends.tolist()):
        attributes = tuple(indices[begin:end].tolist())
        begin = end
        if attributes not in known:
            said = dict(dictionary.attributes[index] for index in attributes)
            pid, tid, name = (said.get(key, about.get(key, "")) for key in THREAD_KEYS)
            thread = pid, tid, name
            known[attributes] = threads.setdefault(thread, len(threads))
        of_sample[sample] = known[attributes]
    return list(threads), of_sample
