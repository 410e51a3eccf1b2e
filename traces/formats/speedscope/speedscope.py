"""speedscope's own JSON, evented and sampled. Schema: https://www.speedscope.app/file-format-schema.json."""

import json
from dataclasses import replace
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import MAX_TIME_NS, TraceBuilder
from traces.errors import DamagedTrace
from traces.formats.time_units import in_unit, unit_named
from traces.kernels.calls import Event, NotMatched, scan_calls
from traces.kernels.library import NotReadable
from traces.kernels.numbers import scan_numbers, scan_stacks
from traces.kernels.trees import paths_of_stacks
from traces.model import NONE, Int32, Values
from traces.nesting import Nested
from traces.stacks import with_frames
from traces.values import Clock, Unit, ValueType

COUNTED = frozenset({"none", "", "count", "counts", "samples", "sample"})
"""Units of what is only counted: the schema has "none"."""
LONGEST_UNIT = 40
PY_SPY = "py-spy"
WITHOUT_NAME = ("<lambda>", "<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>")
"""Python's functions that have no name of their own: lines alone keep several of a file apart."""
LOST_NAME = "(name lost)"
MAX_LOST = 1 << 24
"""Numbers of functions beyond are no numbers of functions."""


class Frame(msgspec.Struct, gc=False):
    name: str
    file: str | None = None
    line: float | None = None
    col: float | None = None


class Shared(msgspec.Struct):
    frames: list[Frame]


class AnyProfile(msgspec.Struct):
    type: str
    unit: str
    name: str = ""
    start_value: float | int = msgspec.field(name="startValue", default=0)
    end_value: float | int = msgspec.field(name="endValue", default=0)
    samples: msgspec.Raw = msgspec.Raw(b"[]")
    weights: msgspec.Raw = msgspec.Raw(b"[]")


class Profile(AnyProfile):
    events: msgspec.Raw = msgspec.Raw(b"[]")


class ProfileOfEvents(AnyProfile):
    """The same with each event, to say where one is that is none."""

    events: list[Event] = []


OneProfile = TypeVar("OneProfile", bound=AnyProfile)


class File(msgspec.Struct, Generic[OneProfile]):
    profiles: list[OneProfile]
    shared: Shared | None = None
    active: Any = msgspec.field(name="activeProfileIndex", default=None)
    exporter: Any = None


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed all profiles; the file's active one is the default. Raises DamagedTrace."""
    try:
        _read(msgspec.json.decode(content, type=File[Profile]), builder)
    except (DamagedTrace, msgspec.DecodeError):
        msgspec.json.decode(content, type=File[ProfileOfEvents])  # what is wrong with an event is found first
        raise


def _read(file: File[Profile], builder: TraceBuilder) -> None:
    builder.origin.says("recorder", file.exporter)
    if file.shared is None:
        raise builder.damaged("the list of functions (shared.frames) is missing.")
    frames = np.array(_frames(file.shared.frames, file.exporter, builder), np.int32)
    sampled = sum(profile.type == "sampled" for profile in file.profiles)
    for profile in file.profiles:
        try:
            if profile.type == "evented":
                _read_evented(profile, frames, builder)
            elif profile.type == "sampled":
                _read_sampled(profile, frames, builder, apart=sampled > 1)
            else:
                raise builder.damaged("a profile is neither evented nor sampled.")
        except ValueError as error:
            raise builder.damaged(f"{error}.") from error
    if type(file.active) is int and 0 <= file.active < len(file.profiles):  # true is no number
        builder.default_profile = file.active


def _frames(listed: list[Frame], exporter: Any, builder: TraceBuilder) -> list[int]:
    """The builder's frame of each. py-spy lists a function once for each line that it was sampled at: it is one, at the
    lowest of them."""
    lowest: dict[tuple[str, str | None], float] = {}
    if isinstance(exporter, str) and exporter.startswith(PY_SPY):
        for one in listed:
            if one.line is not None and not one.name.endswith(WITHOUT_NAME):
                lowest[one.name, one.file] = min(one.line, lowest.get((one.name, one.file), one.line))
    lines = [lowest.get((one.name, one.file), one.line) for one in listed]
    return [
        builder.frame(one.name, one.file or None, _place(line), _place(one.col))
        for one, line in zip(listed, lines, strict=True)
    ]


def _unit(profile: Profile, builder: TraceBuilder) -> tuple[Unit, int]:
    """The unit of a profile; of one that speedscope does not know nobody can say what a value is."""
    unit, factor = unit_named(profile.unit)
    if unit is Unit.COUNT and profile.unit.lower() not in COUNTED:
        written = json.dumps(profile.unit[:LONGEST_UNIT], ensure_ascii=False)
        builder.warn("unknown_unit", f"profiles have a unit that is not known, {written}: values are read as counts")
    return unit, factor


def _place(number: float | None) -> int | None:
    return int(number) if number is not None and number >= 0 else None


def _read_sampled(profile: Profile, frames: Int32, builder: TraceBuilder, *, apart: bool) -> None:
    """Samples lie end to end. `apart`: the file has several such profiles, which need not have been taken at the same
    time: py-spy and others leave out what a thread waited.
    """
    unit, factor = _unit(profile, builder)
    try:
        stacks, ends = scan_stacks(memoryview(profile.samples))
        weights = _weights(profile.weights, unit, factor)
    except NotReadable as error:
        raise builder.damaged(f"{error}.") from error
    if builder.breaks_off:
        ends, weights = ends[: len(weights)], weights[: len(ends)]
        stacks = stacks[: ends[-1] if len(ends) else 0]
        frames = _with_lost_names(frames, stacks, builder)
    if len(ends) != len(weights):
        raise builder.damaged(f"it has {len(ends):,} samples but {len(weights):,} weights.")
    if len(stacks) and not 0 <= stacks.min() <= stacks.max() < len(frames):
        raise builder.damaged("a sample names a frame that is not in its list.")
    kept = weights != 0
    builder.warn("zero_weight", "samples of no weight were dropped", int((~kept).sum()))
    if not kept.all():
        sizes = np.diff(ends, prepend=0)
        stacks, ends = stacks[np.repeat(kept, sizes)], np.cumsum(sizes[kept])
    # First in the file's frame numbers; two of them that are one of ours merge.
    paths = paths_of_stacks(stacks, ends, MAX_STACK_DEPTH)
    paths = with_frames(paths, frames)
    weights = weights[kept]
    start = in_unit([profile.start_value], unit, factor)[0]
    until = start + np.cumsum(weights)
    builder.add_sampled(
        profile.name,
        paths,
        paths.leaf,
        [weights],
        values=(ValueType("time" if unit.is_time else "weight", unit),),
        time=until - weights,
        axis_start=start,
        axis_end=until[-1] if len(until) else start,
        facts=replace(builder.facts, clock=Clock.OWN if apart else Clock.TRACE),
    )


def _with_lost_names(frames: Int32, stacks: Int32, builder: TraceBuilder) -> Int32:
    """The frames, and one for all whose names stand behind where the file breaks off."""
    lost = int(stacks.max(initial=NONE)) + 1 - len(frames)
    if lost <= 0 or not len(frames):
        return frames
    builder.warn("lost_names", "functions have no name, as their names stand behind where the file breaks off", lost)
    return np.append(frames, np.full(min(lost, MAX_LOST), builder.frame(LOST_NAME), np.int32))


def _weights(text: msgspec.Raw, unit: Unit, factor: int) -> Values:
    """The weights in our unit; time as the exact decimals that the file says."""
    if unit.is_time:
        weights, _ = scan_numbers(*_entire(text), scale=len(str(factor)) - 1)
        if len(weights) and np.abs(weights).max() > MAX_TIME_NS:
            raise ValueError("a time is out of range")
        return weights
    try:
        numbers, _ = scan_numbers(*_entire(text), exact=True)
    except NotReadable:
        return in_unit(msgspec.json.decode(text, type=list[float]), unit, factor)
    return in_unit(numbers, unit, factor)


def _entire(text: msgspec.Raw) -> tuple[memoryview, tuple[list[int], list[int]]]:
    view = memoryview(text)
    return view, ([0], [len(view)])


def _read_evented(profile: Profile, frames: Int32, builder: TraceBuilder) -> None:
    """Opens and closes must match, as the schema says: a frame closes only while it is innermost."""
    unit, factor = _unit(profile, builder)
    try:
        calls = scan_calls(memoryview(profile.events), MAX_STACK_DEPTH)
    except NotMatched as error:
        _in_order(in_unit(error.at, unit, factor), builder)
        raise builder.damaged(f"{error}.") from error
    at = _in_order(in_unit(calls.at, unit, factor), builder)
    if len(calls.frame) and not 0 <= calls.frame.min() <= calls.frame.max() < len(frames):
        raise builder.damaged("an event names a frame that is not in its list.")
    start, end = in_unit([profile.start_value, profile.end_value], unit, factor).tolist()
    latest = in_unit([profile.end_value], unit, factor)
    if len(at):
        start, end = min(start, at[0].item()), max(end, at[-1].item())
        latest = np.maximum(latest, at[-1])
    nested = Nested(
        source=calls.opened,
        start=at[calls.opened],
        end=np.append(at, latest)[calls.closed],  # what is still open lasts to the end
        frame=frames[calls.frame],
        parent=calls.parent,
        unfinished=np.flatnonzero(calls.closed == NONE).astype(np.int32),
    )
    builder.add_evented(profile.name, nested, unit=unit, axis_start=start, axis_end=end)


def _in_order(times: Values, builder: TraceBuilder) -> Values:
    if (times[1:] < times[:-1]).any():
        raise builder.damaged("its events are not in time order.")
    return times
