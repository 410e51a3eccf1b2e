"""Where a JSON document breaks off: which brackets are open there, and what was complete inside. In C too."""

from dataclasses import dataclass

import numpy as np

from traces.kernels.inputs import Buffer
from traces.kernels.json_reference import END, MAX_JSON_DEPTH, OPENING, JsonReader
from traces.kernels.library import REASONS, NotReadable, Outcome, call, kernels, raise_for


@dataclass(slots=True)
class Level:
    """An open bracket with `count` complete elements or members, the last of which ends at `kept`; without any that is
    behind the bracket. The one that breaks off begins at `element`, which no longer matters where none does."""

    is_array: bool
    element: int
    kept: int
    count: int


@dataclass(frozen=True, slots=True)
class Levels:
    """`open_` are the brackets that are open where the document breaks off, from the outermost on; none where it is
    complete and ends at `end`."""

    open_: tuple[Level, ...]
    end: int


def scan_levels(data: Buffer) -> Levels:
    """Where a document ends or breaks off. Raises NotReadable for what is malformed before, or nested too deeply."""
    library = kernels()
    if library is None:
        return scan_levels_reference(data)
    source = np.frombuffer(data, np.uint8)
    levels = np.zeros((MAX_JSON_DEPTH, 4), np.int64)
    place = np.zeros(2, np.int64)
    outcome = call(library.scan_levels, source, len(source), levels, len(levels), place)
    depth, end = place.tolist()
    if outcome not in (Outcome.OK, Outcome.TRUNCATED):
        raise_for(outcome, end)
    return Levels(tuple(Level(bool(row[0]), *row[1:]) for row in levels[:depth].tolist()), end)


def scan_levels_reference(data: Buffer) -> Levels:
    """The same, a value at a time."""
    json = JsonReader(data)
    levels: list[Level] = []
    try:
        return Levels((), _read(json, levels))
    except NotReadable as error:
        if error.reason != REASONS[Outcome.TRUNCATED]:
            raise
        return Levels(tuple(levels), json.end)


def _read(json: JsonReader, levels: list[Level]) -> int:
    """Fill `levels` up to where the document breaks off; the place behind it."""
    at = json.skip_space(0)
    is_first = False
    while True:
        if json.byte(at) == END:
            raise json.fault(at)
        is_end = is_first and json.byte(at) == _closing(levels[-1])
        if levels and not is_end:
            levels[-1].element = at
            at = at if levels[-1].is_array else json.skip_key(at)[1]
        is_first = not is_end and json.byte(at) in OPENING
        if is_first:
            if len(levels) == MAX_JSON_DEPTH:
                raise NotReadable(REASONS[Outcome.TOO_DEEP], at)
            levels.append(Level(json.byte(at) == ord("["), at + 1, at + 1, 0))
            at = json.skip_space(at + 1)
            continue
        at = _behind_value(json, levels, at if is_end else _skip_scalar(json, at), is_end=is_end)
        if not levels:
            return at
        at = json.skip_space(json.behind_comma(at))


def _behind_value(json: JsonReader, levels: list[Level], at: int, *, is_end: bool) -> int:
    """Behind a value or at a bracket's end: close the brackets that end here, up to a comma or the document's end."""
    while True:
        if is_end:
            at += 1
            levels.pop()
        if not levels:
            return at
        levels[-1].count += 1
        levels[-1].kept = at
        at = json.skip_space(at)
        is_end = json.byte(at) == _closing(levels[-1])
        if not is_end:
            return at


def _skip_scalar(json: JsonReader, at: int) -> int:
    is_number = json.is_number(at)
    at = json.skip_value(at)
    if is_number and at == json.end:
        raise json.fault(at)  # more digits may have followed
    return at


def _closing(level: Level) -> int:
    return ord("]") if level.is_array else ord("}")
