"""What an export gives, and what the formats share: call paths, gaps, names."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from traces.analysis.window import sample_extent
from traces.model import CallTree, Int32, Profile, Trace, Values
from traces.values import ProfileKind

EXPORTER = "Flamechat"
BATCH = 8192
"""Rows written in one piece: few enough to stay small, enough that pieces do not matter."""


@dataclass(frozen=True, slots=True)
class Document:
    """The file's bytes, made while they are read, and what the format could not hold."""

    chunks: Iterator[bytes]
    notes: tuple[str, ...] = field(default=())

    def read(self) -> bytes:
        """The file."""
        return b"".join(self.chunks)


def text(value: object) -> str:
    """A value as compact JSON; half surrogates, which no file may hold, become replacement characters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace").decode()


def path(tree: CallTree, node: int) -> list[int]:
    """The frames from the root down to a node."""
    frames = []
    while node >= 0:
        frames.append(int(tree.frame[node]))
        node = int(tree.parent[node])
    frames.reverse()
    return frames


def notes_of_sums(profiles: Sequence[Profile]) -> list[str]:
    """What a format that lays samples in time says of profiles that have none."""
    count = sum(not profile.has_times for profile in profiles)
    if not count:
        return []
    which = "the profile is" if len(profiles) == 1 else "all profiles are" if count == len(profiles) else f"{count} are"
    return [f"{which} sums per stack: this format lays them end to end, but their order and times mean nothing"]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Samples end to end from `start` on: `leaf` -1 is idle, or a gap between samples."""

    start: int | float
    leaf: Int32
    weight: Values


def timeline(profile: Profile, value: int) -> Timeline:
    """A sampled profile's samples in one of its values; gaps are kept where the value is what the axis measures."""
    samples = profile.samples
    assert samples is not None
    weight = samples.weights[value]
    if value != profile.default_value or profile.unit is not profile.axis or len(samples) == 0:
        return Timeline(0, samples.leaf, weight)
    begins, ends = sample_extent(profile, samples)
    before = np.diff(begins, prepend=np.asarray([profile.axis_start], begins.dtype))
    before[1:] -= weight[:-1]
    after = profile.axis_end - ends[-1]
    if not profile.axis.is_time:  # sums of fractions: what is no gap but rounding
        before[before < 1e-9 * max(profile.axis_end, 1)] = 0
        after = after if after > 1e-9 * profile.axis_end else 0
    leaf = np.stack((np.full(len(before), -1, np.int32), samples.leaf), axis=1).ravel()
    both = np.stack((before, weight), axis=1).ravel()
    kept = np.ones(len(both), bool)
    kept[::2] = before > 0
    leaf, both = leaf[kept], both[kept]
    if after > 0:
        leaf, both = np.append(leaf, np.int32(-1)), np.append(both, both.dtype.type(after))
    return Timeline(profile.axis_start, leaf, both)


def shown_name(profile: Profile) -> str:
    """The profile's name, or its handle if it has none."""
    return profile.name or profile.handle


def distinct_names(trace: Trace) -> list[str]:
    """Each frame's name; where functions share one, with the place that distinguishes them."""
    places: dict[str, set[tuple[str | None, int | None]]] = {}
    where = [(trace.frame_file(f), trace.frame_line(f)) for f in range(len(trace.frames))]
    for name, at in zip(trace.frame_names, where, strict=True):
        places.setdefault(name, set()).add(at)
    return [
        f"{name} ({file}:{line})"
        if len(places[name]) > 1 and file and line
        else f"{name} ({file})"
        if len(places[name]) > 1 and file
        else name
        for name, (file, line) in zip(trace.frame_names, where, strict=True)
    ]


def is_evented(profile: Profile) -> bool:
    """Whether the profile holds spans, not samples."""
    return profile.kind is ProfileKind.EVENTED
