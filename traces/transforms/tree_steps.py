"""One transform of a call tree: which nodes stay, and where what the others spent goes.

Whatever a transform does, a stack becomes some of its own frames in their order, or goes: so that calls in time are
changed as sums are.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.analysis.filters import MAX_PATTERN, frames_that, library_frames, pattern
from traces.analysis.shared_paths import shared_paths
from traces.bounds import MAX_STACK_DEPTH
from traces.errors import InvalidQuestion, TraceError, UnknownHandle
from traces.handles import frame_behind, parse_handle, resolve
from traces.kernels.columns import first_rows, pick
from traces.kernels.trees import outermost, sum_upwards
from traces.model import NONE, Int32, Int64, Profile, Trace
from traces.transforms.vocabulary import Kind, Transform

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Mapped:
    """A call tree made from a profile's. For each node of that: `leaf` is the node here that has what it spent itself,
    `shown` the one that stands for it, -1 where there is none."""

    frame: Int32
    parent: Int32
    depth: Int32
    leaf: Int32
    shown: Int32


def unchanged(profile: Profile) -> Mapped:
    """The profile's own tree."""
    tree, same = profile.tree, np.arange(len(profile.tree), dtype=np.int32)
    return Mapped(tree.frame, tree.parent, tree.depth, same, same)


def step(trace: Trace, profile: Profile, before: Mapped, transform: Transform) -> Mapped:
    """The tree after one transform of any kind but `invert`. Raises UnknownHandle, InvalidQuestion."""
    match transform.kind:
        case Kind.FOCUS_SUBTREE | Kind.DROP_FUNCTION | Kind.FILTER_SAMPLES:
            return _with_some_samples(trace, profile, before, transform)
        case Kind.INVERT:
            raise InvalidQuestion("invert comes last.")
        case _:
            return _merged(before, _frames_kept(trace, before, transform))


def _with_some_samples(trace: Trace, profile: Profile, before: Mapped, transform: Transform) -> Mapped:
    """Some stacks go; the others stay as they are, or begin later."""
    every = np.arange(len(before.frame), dtype=np.int32)
    if transform.kind is Kind.FILTER_SAMPLES:
        found = _by_frame(frames_that(trace, pattern(_short(transform))), before.frame)
        inside = nearest(found, before.parent) >= 0
        leads_there = sum_upwards(found.astype(np.int64), before.parent) > 0
        return _thinned(before, inside | leads_there, np.where(inside, every, NONE))
    if transform.kind is Kind.DROP_FUNCTION:
        kept = nearest(_of_frames(trace, before, transform), before.parent) < 0
    else:
        at = _node(trace, profile, transform)
        node = NONE if at == NONE else int(before.shown[at])
        kept = nearest(every == node, before.parent) >= 0
    return _thinned(before, kept, np.where(kept, every, NONE))


def _frames_kept(trace: Trace, before: Mapped, transform: Transform) -> Mask:
    """Which nodes stay where stacks lose some of their frames."""
    if transform.kind is Kind.DROP_LIBRARY:
        return ~_by_frame(library_frames(trace), before.frame)
    if transform.argument is None:
        only: Mask = outermost(before.frame, before.parent) == 1
        return only
    found = _of_frames(trace, before, transform)
    match transform.kind:
        case Kind.FOCUS_FUNCTION:
            return nearest(found, before.parent) >= 0
        case Kind.MERGE_FUNCTION:
            return ~found
        case Kind.COLLAPSE_FUNCTION_SUBTREE:
            return ~_below(found, before.parent)
        case _:
            return ~(found & _below(found, before.parent))


def nearest(matching: Mask, parent: Int32) -> Int32:
    """The nearest matching node at or above each one, -1 where there is none: each look doubles how far is looked."""
    to = np.where(matching, np.arange(len(parent), dtype=np.int32), parent)
    searching = np.flatnonzero(to >= 0)
    searching = searching[~matching[to[searching]]]
    while len(searching):
        further = to[to[searching]]
        to[searching] = further
        searching = searching[further >= 0]
        searching = searching[~matching[to[searching]]]
    return to


def frames_named(trace: Trace, argument: str) -> Mask:
    """Which frames a function's handle, exact name, or part of a name between stars means. Raises UnknownHandle where
    there is none."""
    found = np.zeros(len(trace.frames), bool)
    try:
        parse_handle(argument)
    except TraceError:
        pass
    else:
        found[frame_behind(trace, resolve(trace, argument, "frame", "node", "span"))] = True
        return found
    found[[index for index, name in enumerate(trace.frame_names) if name == argument]] = True
    if not found.any() and "*" in argument:
        parts = [part.casefold() for part in argument.split("*")]
        found[[index for index, name in enumerate(trace.frame_names) if _fits(name.casefold(), parts)]] = True
    if not found.any():
        raise UnknownHandle(
            f"no function is named “{argument[:80]}”: write its exact name, its handle (f12), or a part of its name "
            "between stars (*parse*)."
        )
    return found


def _fits(name: str, parts: list[str]) -> bool:
    """Whether the name has the parts in order, beginning with the first and ending with the last."""
    first, *inner, last = parts
    if not name.startswith(first) or not name[len(first) :].endswith(last):
        return False
    at, end = len(first), len(name) - len(last)
    for part in inner:
        if (place := name.find(part, at, end)) < 0:
            return False
        at = place + len(part)
    return True


def _of_frames(trace: Trace, before: Mapped, transform: Transform) -> Mask:
    return _by_frame(frames_named(trace, transform.argument or ""), before.frame)


def _by_frame(frames: Mask, frame: Int32) -> Mask:
    """Which nodes have one of the frames."""
    return pick(frames.view(np.uint8), frame).view(np.bool_)


def _short(transform: Transform) -> str:
    text = transform.argument or ""
    if len(text) > MAX_PATTERN:
        raise InvalidQuestion(f"the text of {transform.kind} is longer than {MAX_PATTERN} characters.")
    return text


def _below(matching: Mask, parent: Int32) -> Mask:
    """Which nodes lie below a matching one."""
    at_or_below = nearest(matching, parent) >= 0
    found: Mask = at_or_below[parent] & (parent >= 0)
    return found


def _node(trace: Trace, profile: Profile, transform: Transform) -> int:
    """The node of the profile's own tree whose subtree is meant, -1 for one of another profile."""
    handle = resolve(trace, transform.argument or "", "node", "span")
    if handle.kind == "node":
        local = handle.index - profile.node_base
        return local if 0 <= local < len(profile.tree) else NONE
    row = handle.index - profile.span_base
    return int(profile.spans.node[row]) if profile.spans is not None and 0 <= row < len(profile.spans) else NONE


def _thinned(before: Mapped, kept: Mask, leaf: Int32) -> Mapped:
    """Without the nodes that are not kept, where no two of the others come to have one path."""
    nodes = np.flatnonzero(kept)
    place = np.full(len(kept) + 1, NONE, np.int32)  # the last one is where -1 leads
    place[nodes] = np.arange(len(nodes), dtype=np.int32)
    parent = place[before.parent[nodes]]
    depth = before.depth[nodes]
    if len(nodes) and (parent < 0).any():
        depth = depth - depth[parent < 0].min()  # a subtree's root comes to the top; all other roots are there
    goes = np.append(place[leaf], np.int32(NONE))
    return Mapped(before.frame[nodes], parent, depth, goes[before.leaf], place[before.shown])


def _merged(before: Mapped, kept: Mask) -> Mapped:
    """Without the nodes that are not kept: what they spent is the next caller's that is, and paths that come to be one
    are."""
    nodes = np.flatnonzero(kept)
    to = nearest(kept, before.parent)
    above = before.parent[nodes]
    above = np.where(above >= 0, to[above], NONE)
    paths = shared_paths(before.frame, kept, above.astype(np.int64), MAX_STACK_DEPTH)
    place = np.full(len(kept) + 1, NONE, np.int32)
    place[nodes] = paths.leaf
    goes = np.append(place[to], np.int32(NONE))
    return Mapped(paths.frame, paths.parent, paths.depth, goes[before.leaf], place[before.shown])


def first_of_each(mapped: Mapped) -> Int64:
    """For each node of the tree the first of those that it stands for."""
    return first_rows(mapped.shown, len(mapped.frame) + 1)[:-1]
