"""What the call trees and the times of a trace say of functions to each other."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from server.agent.verification.statements.measures import Measures
from traces.edges import EVERYONE
from traces.model import Int32, Profile
from traces.values import Clock

LISTED = 4
GROWS = 1.3
STEADY = 1.1
FEW_CALLS = 9
Frames = tuple[int, ...]


class StackRelations:
    """Answers about one trace, over all of its profiles."""

    def __init__(self, measures: Measures) -> None:
        self._trace = measures.trace
        self._measures = measures
        self._above: dict[tuple[Frames, Frames], bool] = {}

    @cached_property
    def _edges(self) -> tuple[Int32, Int32]:
        """Callers and callees of every node that has a caller, and those that the file has."""
        recorded = np.flatnonzero(self._trace.edges.caller != EVERYONE)
        above, below = [self._trace.edges.caller[recorded]], [self._trace.edges.callee[recorded]]
        for profile in self._trace.profiles:
            inner = np.flatnonzero(profile.tree.parent >= 0)
            above.append(profile.tree.frame[profile.tree.parent[inner]])
            below.append(profile.tree.frame[inner])
        return np.concatenate(above), np.concatenate(below)

    def calls(self, a: Frames, b: Frames) -> bool:
        """Whether one of `a` calls one of `b` directly."""
        callers, callees = self._edges
        return bool((np.isin(callers, a) & np.isin(callees, b)).any())

    def callers(self, frames: Frames) -> set[int]:
        callers, callees = self._edges
        return set(np.unique(callers[np.isin(callees, frames)]).tolist())

    def callees(self, frames: Frames) -> set[int]:
        """Other functions that these call."""
        callers, callees = self._edges
        return set(np.unique(callees[np.isin(callers, frames)]).tolist()) - set(frames)

    def is_above(self, a: Frames, b: Frames) -> bool:
        """Whether one of `a` stands above one of `b` in some stack, at any distance."""
        key = a, b
        if key not in self._above:
            self._above[key] = any(_is_above(profile, a, b) for profile in self._trace.profiles)
        return self._above[key]

    def is_recursive(self, frames: Frames) -> bool:
        return any(
            bool((np.isin(p.tree.frame, frames) & (p.tree.outermost == 0)).any()) for p in self._trace.profiles
        ) or self.calls(frames, frames)

    def occurs(self, frames: Frames) -> bool:
        return any(self._on(profile, frames) for profile in self._trace.profiles)

    def _on(self, profile: Profile, frames: Frames) -> bool:
        return bool(np.isin(profile.tree.frame, frames).any())

    def runs_on(self, frames: Frames, profiles: Iterable[int]) -> bool:
        return any(self._on(self._trace.profiles[number], frames) for number in profiles)

    def runs_elsewhere(self, frames: Frames, profiles: Iterable[int]) -> bool:
        threads = set(profiles)
        return any(self._on(p, frames) for p in self._trace.profiles if p.index not in threads)

    def threads(self, frames: Frames) -> str:
        """Where it runs, in words."""
        names = [profile.name[:40] for profile in self._trace.profiles if self._on(profile, frames)]
        return ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "") or "none"

    def listed(self, frames: Iterable[int]) -> str:
        names = [self._trace.frame_name(frame)[:60] for frame in sorted(frames)]
        shown = ", ".join(names[:LISTED])
        return shown + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "") if names else "none"

    def begins_before(self, a: Frames, b: Frames) -> tuple[bool | None, str]:
        """Whether `a` first runs before `b` does, on one clock."""
        timed = [p for p in self._trace.profiles if p.has_times]
        alone = [p for p in timed if self._on(p, a) and self._on(p, b)]
        if alone:
            pairs = [(_first(p, a), _first(p, b)) for p in alone]
        else:
            shared = [p for p in timed if p.clock is Clock.TRACE]
            each = [[at for p in shared if self._on(p, f) and (at := _first(p, f)) is not None] for f in (a, b)]
            pairs = [(min(each[0]), min(each[1]))] if all(each) else []
        found = {then > now for now, then in pairs if now is not None and then is not None and now != then}
        if len(found) != 1:
            return None, ""
        is_before = found.pop()
        return is_before, "" if is_before else "it first runs later"

    def grows(self, frames: Frames) -> tuple[bool | None, str]:
        """Whether a function's last calls take longer than its first: a third of them each."""
        lasted = []
        for profile in self._trace.profiles:
            if profile.spans is not None:
                rows = profile.spans.ended(np.flatnonzero(np.isin(profile.tree.frame, frames)[profile.spans.node]))
                rows = rows[np.argsort(profile.spans.start[rows], kind="stable")]
                lasted.append(profile.spans.end[rows] - profile.spans.start[rows])
        calls = max(lasted, key=len, default=np.zeros(0))
        if len(calls) < FEW_CALLS:
            return None, ""
        third = len(calls) // 3
        early, late = float(np.median(calls[:third])), float(np.median(calls[-third:]))
        factor = late / early if early else 0.0
        shown = f"its last calls take {factor:.2g} times what its first take"
        return (True if factor >= GROWS else False if factor <= STEADY else None), shown


def _is_above(profile: Profile, a: Frames, b: Frames) -> bool:
    tree = profile.tree
    mine = np.isin(tree.frame, a)
    if not mine.any():
        return False
    below = tree.levels.at_or_below(mine)
    parent = tree.parent
    strictly = below[parent] & (parent >= 0)
    return bool((strictly & np.isin(tree.frame, b)).any())


def _first(profile: Profile, frames: Frames) -> float | None:
    mine = np.isin(profile.tree.frame, frames)
    if profile.spans is not None:
        starts = profile.spans.start[mine[profile.spans.node]]
    else:
        assert profile.samples is not None
        inside = np.append(profile.tree.levels.at_or_below(mine), np.False_)
        starts = profile.samples.time[inside[profile.samples.leaf]]
    return float(starts.min()) if len(starts) else None
