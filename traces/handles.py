"""Handles: short stable names of things in a trace (`f12` frame, `p0` profile, `n345` call-tree node, `s678` span)."""

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from traces.errors import UnknownHandle
from traces.mapped_profile import as_recorded, nodes_of_refs, rows_of_refs
from traces.model import Profile, Trace

Kind = Literal["frame", "profile", "node", "span"]
ALL: Literal["all"] = "all"
"""Instead of a profile: all that measure what the main one measures, added up."""

ProfileChoice = int | Literal["all"] | None
"""A profile's index, `ALL`, or None for the main one."""

LETTERS: dict[str, Kind] = {"f": "frame", "p": "profile", "n": "node", "s": "span"}


@dataclass(frozen=True, slots=True)
class Handle:
    """`index` is unique in the trace; for nodes and spans it counts through all profiles."""

    kind: Kind
    index: int

    def __str__(self) -> str:
        return f"{self.kind[0]}{self.index}"


def parse_handle(text: str) -> Handle:
    """The handle that a text says. Raises UnknownHandle."""
    match = re.fullmatch(r"\s*#?([fpns])(\d{1,12})\s*", text)
    if match is None:
        raise UnknownHandle(
            f"“{text[:40]}” is not a handle: write f12 for a frame, p0 for a profile, n345 for a node, s678 for a span."
        )
    return Handle(LETTERS[match[1]], int(match[2]))


def count_of(trace: Trace, kind: Kind) -> int:
    """How many things of a kind the trace holds."""
    if kind == "frame":
        return len(trace.frames)
    if kind == "profile":
        return len(trace.profiles)
    if not trace.profiles:
        return 0
    last = as_recorded(trace.profiles[-1])
    if kind == "node":
        return last.node_base + len(last.tree)
    return last.span_base + (len(last.spans) if last.spans else 0)


def resolve(trace: Trace, text: str, *kinds: Kind) -> Handle:
    """A handle that exists in the trace and is of one of the kinds. Raises UnknownHandle with the valid range."""
    handle = parse_handle(text)
    if kinds and handle.kind not in kinds:
        raise UnknownHandle(f"{handle} is a {handle.kind}; expected a {' or a '.join(kinds)}.")
    count = count_of(trace, handle.kind)
    if handle.index >= count:
        letter = handle.kind[0]
        valid = f"{letter}0 to {letter}{count - 1}" if count else "none"
        raise UnknownHandle(f"{handle} does not exist in this trace: its {handle.kind}s are {valid}.")
    return handle


def frame_index(trace: Trace, text: str) -> int:
    """The frame a handle names. Raises UnknownHandle."""
    return resolve(trace, text, "frame").index


def profile_index(trace: Trace, text: str) -> int:
    """The profile a handle names. Raises UnknownHandle."""
    return resolve(trace, text, "profile").index


def profile_at(trace: Trace, index: int | None) -> Profile:
    """The profile of an index, the default one for None. Raises UnknownHandle."""
    if index is None:
        return trace.profiles[trace.default_profile]
    if not 0 <= index < len(trace.profiles):
        raise UnknownHandle(
            f"p{index} does not exist in this trace: its profiles are p0 to p{len(trace.profiles) - 1}."
        )
    return trace.profiles[index]


def profile_of_node(trace: Trace, node: int) -> tuple[Profile, int]:
    """The profile that holds a node of the trace, and the node's local index there. Raises UnknownHandle."""
    for profile in trace.profiles:
        if profile.node_base <= node < profile.node_base + len(as_recorded(profile).tree):
            (local,) = nodes_of_refs(profile, np.array([node], np.int64)).tolist()
            if local < 0:
                raise UnknownHandle(f"n{node} is not shown: the transforms leave it out, or merge it.")
            return profile, local
    raise UnknownHandle(f"n{node} does not exist in this trace.")


def profile_of_span(trace: Trace, span: int) -> tuple[Profile, int]:
    """The profile that holds a span of the trace, and the span's local index there. Raises UnknownHandle."""
    for profile in trace.profiles:
        recorded = as_recorded(profile).spans
        if recorded is not None and profile.span_base <= span < profile.span_base + len(recorded):
            (row,) = rows_of_refs(profile, np.array([span], np.int64)).tolist()
            if profile.spans is None or row < 0:
                raise UnknownHandle(f"s{span} is not shown: the transforms leave it out, or merge it.")
            return profile, row
    raise UnknownHandle(f"s{span} does not exist in this trace.")


def frame_behind(trace: Trace, handle: Handle) -> int:
    """The frame of a frame, node or span handle that exists. Raises TraceError for a profile's."""
    if handle.kind == "frame":
        return handle.index
    if handle.kind == "span":
        profile, row = profile_of_span(trace, handle.index)
        assert profile.spans is not None
        return int(profile.tree.frame[profile.spans.node[row]])
    profile, node = profile_of_node(trace, handle.index)
    return int(profile.tree.frame[node])


def place_behind(trace: Trace, handle: Handle) -> tuple[str, str | None, int | None]:
    """Name, file and line of what a handle that exists stands for."""
    if handle.kind == "profile":
        return trace.profiles[handle.index].name, None, None
    frame = frame_behind(trace, handle)
    return trace.frame_name(frame), trace.frame_file(frame), trace.frame_line(frame)
