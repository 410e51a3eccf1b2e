"""The figures of a path in one trace: asked in a worker, so that what comes back is small."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from traces.analysis.calls_in_turn import Mask, Step, call_path
from traces.gate.function_keys import AT, matching
from traces.gate.rules import InvalidRule
from traces.gate.run_measures import function_keys
from traces.model import Int32, Int64, Trace

KEPT_ENDINGS = 5


@dataclass(frozen=True, slots=True)
class StepFigures:
    """A step in one trace. `unknown` says why its function was not found, with the nearest."""

    reached: float
    took: Int64
    endings: tuple[tuple[str | None, float], ...]
    unknown: str | None


@dataclass(frozen=True, slots=True)
class PathFigures:
    """`unit` is `calls`, or that of the samples' weights."""

    unit: str
    steps: tuple[StepFigures, ...]


def path_figures(trace: Trace, steps: Sequence[tuple[str, str | None]]) -> PathFigures:
    """The steps over all threads whose calls were recorded, else over the main profile's samples."""
    keys = function_keys(trace)
    known = set(keys)
    masks: list[Mask] = []
    unknown: list[str | None] = []
    for name, file in steps:
        try:
            meant = matching(name if file is None else f"{name}{AT}{file}", known)
        except InvalidRule as error:
            meant = frozenset()
            unknown.append(str(error))
        else:
            unknown.append(None)
        masks.append(np.array([key in meant for key in keys], bool))
    profiles = [one for one in trace.profiles if one.spans is not None and _has(one.tree.frame, masks[0])]
    unit = "calls"
    if not profiles and len(trace.profiles):
        main = trace.profiles[trace.default_profile]
        unit = "calls" if main.spans is not None else str(main.unit)
        profiles = [main]
    found = [call_path(one, masks) for one in profiles]
    return PathFigures(
        unit, tuple(_joined(trace, [path[place] for path in found], unknown[place]) for place in range(len(steps)))
    )


def _has(frames: Int32, mask: Mask) -> bool:
    return bool(mask[frames].any())


def _joined(trace: Trace, parts: Sequence[Step], unknown: str | None) -> StepFigures:
    endings: Counter[str | None] = Counter()
    for part in parts:
        for frame, much in part.endings:
            endings[None if frame < 0 else trace.frame_name(frame)] += much  # type: ignore[assignment]
    took = np.concatenate([np.zeros(0, np.int64), *(part.took for part in parts)])
    reached = sum(part.reached for part in parts)
    return StepFigures(reached, took, tuple(endings.most_common(KEPT_ENDINGS)), unknown)
