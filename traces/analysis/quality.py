"""How good a recording is: how often samples were taken, what was cut off, what has no name."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.name_kinds import UNNAMED
from traces.analysis.small_trees import small_tree
from traces.analysis.window import root_total
from traces.model import Int64, Profile, Trace, Values
from traces.values import Waits

LEAST_CUT = 32
"""No profiler known stops at fewer frames."""
CUT_SHARE = 0.005
"""Below this share of stacks of the greatest depth, nothing was cut that matters."""
REGULAR = 0.5
"""An interval within this part of the median is regular: profilers' clocks jitter less, their pauses more."""


@dataclass(frozen=True, slots=True)
class Quality:
    """`interval_ns` is the median distance of samples, `regular_share` the part of distances near it (None for spans
    and for what has no times). `cut_share` is of stacks that seem to have lost their beginning, `unnamed_share` of code
    without a name, both of the default value. `only_running` is True where a profiler sees code only while it runs.
    """

    interval_ns: float | None
    regular_share: float | None
    cut_share: float
    unnamed_share: float
    only_running: bool

    @property
    def rate_hz(self) -> float | None:
        """Samples a second."""
        return 1e9 / self.interval_ns if self.interval_ns else None


OF_WORK, OF_CALLS = (Quality(None, None, 0.0, 0.0, only_running) for only_running in (True, False))
"""Of calls that all have names."""


def quality_of(trace: Trace, profile: Profile) -> Quality:
    """The quality of one profile."""
    tree = profile.tree
    small = small_tree(trace, profile)
    if small is not None and not small.unnamed and profile.samples is None:
        return OF_WORK if profile.waits is Waits.WORK else OF_CALLS
    own = tree.self_values[profile.default_value]
    everything = small.total if small else root_total(tree, tree.total_values[profile.default_value])
    interval = regular = None
    cut = unnamed = 0.0
    if small and everything > 0:
        unnamed = small.unnamed / everything
    elif everything > 0:
        names = np.zeros(len(trace.frames), bool)
        used = np.flatnonzero(np.bincount(tree.frame))
        names[used] = [UNNAMED.match(trace.frame_names[frame]) is not None for frame in used.tolist()]
        unnamed = float(own[names[tree.frame]].sum()) / everything
    if profile.samples is not None and everything > 0:
        share = _cut(profile) / everything
        cut = share if share >= CUT_SHARE else 0.0
        if profile.has_times and len(profile.samples) > 2:
            distances = np.diff(profile.samples.time)
            if distances.min() <= 0:
                distances = distances[distances > 0]
            if len(distances):
                interval = median(distances)
                near = (distances >= (1 - REGULAR) * interval) & (distances <= (1 + REGULAR) * interval)
                regular = float(near.mean())
    return Quality(interval, regular, cut, unnamed, profile.waits is Waits.WORK)


def median(numbers: Values) -> float:
    """Numpy's median, without its look for numbers that are none."""
    middle = len(numbers) // 2
    upper = np.partition(numbers, middle)
    return float(upper[middle]) if len(numbers) % 2 else (float(upper[:middle].max()) + float(upper[middle])) / 2


def _cut(profile: Profile) -> float:
    """The weight of stacks of the greatest depth that begin with a function which others call.

    A profiler that stops at a depth keeps the innermost frames: what it lost stands above such a function elsewhere.
    """
    tree = profile.tree
    deepest = int(tree.depth.max())
    if deepest + 1 < LEAST_CUT:
        return 0.0
    nodes = np.flatnonzero(tree.depth == deepest)
    root: Int64 = nodes.copy()
    for _ in range(deepest):
        root = tree.parent[root].astype(np.int64)
    called = np.zeros(int(tree.frame.max()) + 1, bool)
    called[tree.frame[tree.parent >= 0]] = True
    own = tree.self_values[profile.default_value]
    return float(own[nodes[called[tree.frame[root]]]].sum())
