"""What changed between two traces, function by function."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

import numpy as np

from traces.analysis.filters import FrameFilter
from traces.analysis.moved_files import moved_files
from traces.analysis.selection import Selection, select
from traces.analysis.window import Window
from traces.bounds import MAX_STACK_DEPTH
from traces.errors import InvalidQuestion
from traces.handles import ProfileChoice
from traces.kernels.trees import outermost, paths_of_spans, sum_by_node, sum_upwards
from traces.model import NONE, Int32, Trace, Values
from traces.values import Unit

FrameKey = tuple[str, str | None]
Status = Literal["new", "vanished", "grew", "shrank", "same"]
FILE_SCHEME = "file://"
UNRELATED = 0.1
"""Share of all names of functions that both have, below which two recordings are not of one program. Measured: two
programs in one language and format share 2 to 7 %, two pages in one browser 18 %, runs of one program 70 % and more."""
ENOUGH_NAMES = 10
"""Names that both must have at least for that share to say anything."""
DIFFERENT_LENGTHS = 1.5
"""Wholes that differ by more than this factor: absolute differences say more about the recordings than about code."""


@dataclass(frozen=True, slots=True)
class ComparedFunction:
    """One function in both traces (handles of its heaviest frame there; None where it is missing).

    `self_change` and `total_change` are after minus before, of normalised values when the comparison is normalised:
    then `after` values are scaled so that both wholes are equal. `*_ratio` is after over before (None from nothing).
    """

    name: str
    file: str | None
    before: str | None
    after: str | None
    status: Status
    self_before: float
    self_after: float
    self_change: float
    total_before: float
    total_after: float
    total_change: float
    self_share_before: float
    self_share_after: float
    total_share_before: float
    total_share_after: float
    total_ratio: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Some of `total_rows` functions, the largest change first. `scale` is what `after` values were multiplied by;
    `overlap` the share of all names of functions, from 0 to 1, that both recordings have, and `is_related` whether that
    is enough to compare them function by function."""

    rows: tuple[ComparedFunction, ...]
    total_rows: int
    unit: Unit
    scope_total_before: float
    scope_total_after: float
    normalised: bool
    scale: float
    profile_before: str
    profile_after: str
    notes: tuple[str, ...]
    overlap: float
    is_related: bool


@dataclass(frozen=True, slots=True)
class Side:
    """Values of one trace by function key; `frame` is the heaviest frame of each, -1 where it has none."""

    own: Values
    total: Values
    frame: Int32
    scope_total: float


def compare_traces(
    before: Trace,
    after: Trace,
    *,
    profile_before: ProfileChoice = None,
    profile_after: ProfileChoice = None,
    sort_by: Literal["self", "total"] = "self",
    limit: int = 20,
    normalise: bool = True,
    window_before: Window | None = None,
    window_after: Window | None = None,
    value: str | None = None,
    frame_filter: FrameFilter | None = None,
) -> Comparison:
    """Functions of both, matched by name and file, by how much their self or total value changed. None of them when
    the two have next to nothing in common: differences between two programs are no changes.

    Raises UnknownHandle, InvalidQuestion (two things that are not measured alike).
    """
    if sort_by not in ("self", "total"):
        raise InvalidQuestion(f"changes are sorted by self or total, not by {sort_by}.")
    old = select(before, profile_before, value=value, frame_filter=frame_filter)
    new = select(after, profile_after, value=value, frame_filter=frame_filter)
    if old.unit is not new.unit:
        raise InvalidQuestion(
            f"{before.name} measures {old.unit.value} and {after.name} {new.unit.value}: choose profiles that measure "
            "the same."
        )
    keys: dict[FrameKey, int] = {}
    old_keys, new_keys = (keyed_frames(trace, keys) for trace in (before, after))
    left = side_of(old, old_keys, len(keys), window_before)
    right = side_of(new, new_keys, len(keys), window_after)
    scale = left.scope_total / right.scope_total if normalise and left.scope_total and right.scope_total else 1.0
    one, other = (left.own, right.own) if sort_by == "self" else (left.total, right.total)
    change = np.abs(other * scale - one)
    present = np.flatnonzero((left.total > 0) | (right.total > 0))
    weight = np.maximum(left.total, right.total * scale)
    order = present[np.lexsort((present, -weight[present], -change[present]))][: max(limit, 0)]
    names = list(keys)
    named = [frozenset(trace.frame_names) for trace in (before, after)]
    overlap, is_related = overlap_of(*named), are_related(*named)
    compared = order.tolist() if is_related else []
    rows = tuple(_row(names[key], key, left, right, scale) for key in compared)
    return Comparison(
        rows=rows,
        total_rows=len(present),
        unit=old.unit,
        scope_total_before=left.scope_total,
        scope_total_after=right.scope_total,
        normalised=normalise,
        scale=scale,
        profile_before=old.handle,
        profile_after=new.handle,
        notes=_notes(old, new, left.scope_total, right.scope_total, normalise=normalise)
        if is_related
        else (_unrelated(old, new, overlap),),
        overlap=overlap,
        is_related=is_related,
    )


def keyed_frames(trace: Trace, keys: dict[FrameKey, int]) -> Int32:
    """The key of each frame; functions that are new get the next keys. `file:///a/b.js` is `/a/b.js`, and a file that
    lies elsewhere than in the traces before is the same."""
    files = [None if file is None else file.removeprefix(FILE_SCHEME) for file in _files(trace)]
    moved = moved_files(_by_file(keys), _by_file(zip(trace.frame_names, files, strict=True)))
    named = zip(trace.frame_names, (moved.get(file or "", file) for file in files), strict=True)
    return np.array([keys.setdefault(key, len(keys)) for key in named], np.int32)


def _by_file(named: Iterable[FrameKey]) -> dict[str, set[str]]:
    """The names of the functions of each file."""
    found: dict[str, set[str]] = {}
    for name, file in named:
        if file:
            found.setdefault(file, set()).add(name)
    return found


def overlap_of(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """The part of all names of functions that both have. By name alone: the same program lies in other folders on
    another machine."""
    return len(one & other) / len(one | other) if one or other else 1.0


def are_related(one: AbstractSet[str], other: AbstractSet[str]) -> bool:
    """Whether two recordings with these names of functions may be of one program."""
    return overlap_of(one, other) >= UNRELATED or min(len(one), len(other)) < ENOUGH_NAMES


def _files(trace: Trace) -> list[str | None]:
    return [trace.frame_file(frame) for frame in range(len(trace.frame_names))]


def side_of(chosen: Selection, keys: Int32, count: int, window: Window | None) -> Side:
    """Values by key. Frames of one key that call each other count once: their call tree is merged by key first."""
    tree, values = chosen.tree, chosen.values(window)
    paths = paths_of_spans(keys[tree.frame], tree.parent, MAX_STACK_DEPTH)
    own = sum_by_node(paths.leaf, values.self_value, len(paths.frame))
    total = sum_upwards(own, paths.parent)
    outer = np.where(outermost(paths.frame, paths.parent) == 1, paths.frame, NONE).astype(np.int32)
    frame = np.full(count, NONE, np.int32)
    lightest_first = np.argsort(values.total_value, kind="stable")
    frame[keys[tree.frame[lightest_first]]] = tree.frame[lightest_first]
    return Side(
        own=sum_by_node(paths.frame, own, count),
        total=sum_by_node(outer, total, count),
        frame=frame,
        scope_total=chosen.total(values),
    )


def _row(name: FrameKey, key: int, left: Side, right: Side, scale: float) -> ComparedFunction:
    self_before, self_after = left.own[key].item(), right.own[key].item()
    total_before, total_after = left.total[key].item(), right.total[key].item()
    change = total_after * scale - total_before
    status: Status = "same" if change == 0 else "grew" if change > 0 else "shrank"
    if total_before == 0:
        status = "new"
    elif total_after == 0:
        status = "vanished"
    return ComparedFunction(
        name=name[0],
        file=name[1],
        before=f"f{left.frame[key]}" if left.frame[key] >= 0 else None,
        after=f"f{right.frame[key]}" if right.frame[key] >= 0 else None,
        status=status,
        self_before=self_before,
        self_after=self_after,
        self_change=self_after * scale - self_before,
        total_before=total_before,
        total_after=total_after,
        total_change=change,
        self_share_before=self_before / left.scope_total if left.scope_total else 0.0,
        self_share_after=self_after / right.scope_total if right.scope_total else 0.0,
        total_share_before=total_before / left.scope_total if left.scope_total else 0.0,
        total_share_after=total_after / right.scope_total if right.scope_total else 0.0,
        total_ratio=total_after * scale / total_before if total_before else None,
    )


def unrelated(old: Selection, new: Selection) -> str | None:
    """Why no function of these two can be compared, or None where they are of one program."""
    named = [frozenset(side.trace.frame_names) for side in (old, new)]
    return None if are_related(*named) else _unrelated(old, new, overlap_of(*named))


def _unrelated(old: Selection, new: Selection, overlap: float) -> str:
    formats = dict.fromkeys(side.trace.format for side in (old, new))
    which = "not of one program" if len(formats) == 1 else "not of one program, or not named alike"
    return f"{which}: only {overlap:.1%} of their functions are in both, so no function can be compared"


def _notes(old: Selection, new: Selection, before: float, after: float, *, normalise: bool) -> tuple[str, ...]:
    notes = []
    formats = dict.fromkeys(side.trace.format for side in (old, new))
    if len(formats) > 1:
        notes.append(f"the traces are of two formats ({', '.join(formats)}): names may differ")
    if old.kind is not new.kind:
        notes.append(f"one is {old.kind.value}, the other {new.kind.value}: small functions are counted differently")
    if before and after and not normalise and not 1 / DIFFERENT_LENGTHS < after / before < DIFFERENT_LENGTHS:
        notes.append("one recorded much more than the other: compare shares (normalised) unless both did the same work")
    return tuple(notes)
