"""What one run measured, as far as rules ask: a small value that outlives its recording."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from traces.analysis.compare import side_of
from traces.analysis.selection import Selection
from traces.analysis.window import Window
from traces.gate.function_keys import FunctionKey, file_key
from traces.model import Int32, Trace
from traces.values import Counts, ProfileKind, Unit

HEAVIEST = 500
"""Functions that a run's measures have, by self and by total value each: what comes after them is below 0.2 % of it."""


@dataclass(frozen=True, slots=True)
class FunctionValues:
    """By itself, and with what it calls, recursion counted once; in the unit of the run."""

    self_value: float
    total_value: float


@dataclass(frozen=True, slots=True)
class RunMeasures:
    """One run. `content_key` is the same for copies of a file, `scope_total` all that the run measured, `resolution`
    the value of one sample (0 where values are exact).

    `functions` are the heaviest, `targets` those that rules name, by the rules' own word for them; `names` all names of
    functions, `findings` whether it has each finding that a rule names (None: the recording cannot show it).
    """

    name: str
    content_key: str
    format: str
    unit: Unit
    kind: ProfileKind
    value: str
    profile: str
    scope_total: float
    resolution: float
    functions: Mapping[FunctionKey, FunctionValues]
    targets: Mapping[str, FunctionValues] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    findings: Mapping[str, bool | None] = field(default_factory=dict)


def function_keys(trace: Trace) -> list[FunctionKey]:
    """The key of each frame of a trace."""
    files: dict[int, str | None] = {-1: None}
    keys = []
    for name, file in zip(trace.frame_names, trace.frames.file.tolist(), strict=True):
        if file not in files:
            files[file] = file_key(trace.strings[file])
        keys.append((name, files[file]))
    return keys


def measure_run(
    chosen: Selection,
    *,
    targets: Mapping[str, Collection[FunctionKey]],
    window: Window | None = None,
    findings: Mapping[str, bool | None] | None = None,
) -> RunMeasures:
    """What a selection measured in a window. `targets` are the functions that rules name, by their word for them; one
    word may stand for functions of one name in several files."""
    trace = chosen.trace
    index: dict[FunctionKey, int] = {}
    of_frame = np.array([index.setdefault(key, len(index)) for key in function_keys(trace)], np.int32)
    side = side_of(chosen, of_frame, len(index), window)
    keys = list(index)
    functions = {
        keys[place]: FunctionValues(float(side.own[place]), float(side.total[place]))
        for place in _heaviest(side.own, side.total)
    }
    values = chosen.values(window)
    total = float(side.scope_total)
    samples = int(values.count.sum()) if chosen.counts is Counts.SAMPLES else 0
    profile = chosen.profiles[0]
    return RunMeasures(
        name=trace.name,
        content_key=trace.content_key,
        format=trace.format,
        unit=chosen.unit,
        kind=chosen.kind,
        value=profile.values[chosen.value[0]].name,
        profile=chosen.name,
        scope_total=total,
        resolution=total / samples if samples else 0.0,
        functions=functions,
        targets={word: _of_target(chosen, window, of_frame, index, meant) for word, meant in targets.items()},
        names=frozenset(trace.frame_names),
        findings=findings or {},
    )


def _heaviest(own: np.ndarray, total: np.ndarray) -> list[int]:
    chosen = np.unique(np.concatenate([np.argsort(-one, kind="stable")[:HEAVIEST] for one in (own, total)]))
    return [int(place) for place in chosen if own[place] > 0 or total[place] > 0]


def _of_target(
    chosen: Selection,
    window: Window | None,
    of_frame: Int32,
    index: Mapping[FunctionKey, int],
    meant: Collection[FunctionKey],
) -> FunctionValues:
    """The functions of a target as if they were one, so that a call of one by another counts once."""
    places = sorted(index[key] for key in meant if key in index)
    if not places:
        return FunctionValues(0.0, 0.0)
    as_one = np.where(np.isin(of_frame, places), places[0], of_frame).astype(np.int32)
    side = side_of(chosen, as_one, len(index), window)
    return FunctionValues(float(side.own[places[0]]), float(side.total[places[0]]))
