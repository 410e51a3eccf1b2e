"""What changed between several runs before and several after: by function, with a test and the size of the effect.

The test is Mann and Whitney's U (`rank_test`): it assumes no distribution, as run times have none that is known. The
effect is Cliff's delta (N. Cliff, "Dominance statistics", 1993), which equals the rank-biserial correlation of U:
2U/(mn) - 1, from -1 (every run after is faster) to 1. Its words are those of J. Romano et al., 2006. Of many functions
some look changed by chance: `adjusted_p` holds the false discovery rate (Benjamini and Hochberg, 1995).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from traces.analysis.compare import FrameKey, keyed_frames, side_of, unrelated
from traces.analysis.filters import FrameFilter
from traces.analysis.rank_test import false_discovery, least_p, rank_sum_p
from traces.analysis.selection import select
from traces.analysis.window import Window
from traces.errors import InvalidQuestion
from traces.handles import ProfileChoice
from traces.model import Trace
from traces.values import Unit

Size = Literal["negligible", "small", "medium", "large"]
SIZES: tuple[tuple[float, Size], ...] = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"))
SIGNIFICANT = 0.05
TESTED = 200
"""Functions tested, the largest changes: each further one weakens what can be said of all."""


@dataclass(frozen=True, slots=True)
class Change:
    """One function, or all of them (`name` None). `before` and `after` are its values run by run; `p` is None when
    there are too few runs for any."""

    name: str | None
    file: str | None
    before: tuple[float, ...]
    after: tuple[float, ...]
    median_before: float
    median_after: float
    p: float | None
    adjusted_p: float | None
    delta: float
    size: Size
    handle: str | None


@dataclass(frozen=True, slots=True)
class RunComparison:
    """`scope_total` is what each run measured in all; `rows` the functions, largest change of the median first.
    `least_p` is the smallest p that this number of runs can give. With `normalised`, values of functions are shares of
    their run. Recordings of several programs (not `is_related`) have no rows, and a note says why."""

    scope_total: Change
    rows: tuple[Change, ...]
    total_rows: int
    unit: Unit
    normalised: bool
    least_p: float
    notes: tuple[str, ...]
    is_related: bool = True

    @property
    def can_test(self) -> bool:
        return self.least_p < SIGNIFICANT


def compare_runs(
    before: Sequence[Trace],
    after: Sequence[Trace],
    *,
    profile_before: ProfileChoice = None,
    profile_after: ProfileChoice = None,
    sort_by: Literal["self", "total"] = "self",
    limit: int = 20,
    normalise: bool = False,
    windows: Sequence[Window | None] | None = None,
    value: str | None = None,
    frame_filter: FrameFilter | None = None,
) -> RunComparison:
    """Functions of all runs, matched by name and file, by how much the median of their self or total value changed.
    Handles are of the first run after. `windows` are those of the runs before, then of those after.

    Raises UnknownHandle, InvalidQuestion (no runs, or runs that do not measure alike).
    """
    if not before or not after:
        raise InvalidQuestion("a comparison needs a run before and a run after.")
    choices = [profile_before] * len(before) + [profile_after] * len(after)
    runs = [
        select(trace, choice, value=value, frame_filter=frame_filter)
        for trace, choice in zip([*before, *after], choices, strict=True)
    ]
    unit = runs[0].unit
    for run in runs:
        if run.unit is not unit:
            raise InvalidQuestion(
                f"{run.trace.name} measures {run.unit.value} and {runs[0].trace.name} {unit.value}: choose runs that "
                "measure the same."
            )
    keys: dict[FrameKey, int] = {}
    keyed = [keyed_frames(run.trace, keys) for run in runs]
    asked = windows or [None] * len(runs)
    sides = [side_of(run, key, len(keys), window) for run, key, window in zip(runs, keyed, asked, strict=True)]
    totals = np.array([side.scope_total for side in sides], np.float64)
    values = np.array([side.own if sort_by == "self" else side.total for side in sides], np.float64)
    if normalise:
        values = values / np.where(totals > 0, totals, 1)[:, None]
    many = len(before)
    medians = np.median(values[:many], axis=0), np.median(values[many:], axis=0)
    present = np.flatnonzero(values.max(axis=0) > 0)
    order = present[np.argsort(-np.abs(medians[1] - medians[0])[present], kind="stable")][:TESTED]
    least = least_p(many, len(after))
    tested = least < SIGNIFICANT
    pairs = [(values[:many, key], values[many:, key]) for key in order]
    ps = [rank_sum_p(*pair) for pair in pairs] if tested else [None] * len(pairs)
    adjusted = false_discovery([p for p in ps if p is not None])
    names = list(keys)
    rows = []
    for place, key in enumerate(order.tolist()):
        frame = int(sides[many].frame[key])
        found = names[key][0], names[key][1], f"f{frame}" if frame >= 0 else None
        rows.append(_change(*found, *pairs[place], ps[place], adjusted[place] if tested else None))
    ran = totals[:many], totals[many:]
    foreign = next((why for run in runs[1:] if (why := unrelated(runs[0], run))), None)
    of_all = rank_sum_p(*ran) if tested else None
    return RunComparison(
        scope_total=_change(None, None, None, *ran, of_all, of_all),
        rows=() if foreign else tuple(rows[: max(limit, 0)]),
        total_rows=len(present),
        unit=unit,
        normalised=normalise,
        least_p=least,
        notes=(foreign,) if foreign else _notes(many, len(after), least),
        is_related=foreign is None,
    )


def cliffs_delta(before: npt.NDArray[np.float64], after: npt.NDArray[np.float64]) -> float:
    """From -1 (every value after is below every one before) to 1."""
    return float(np.sign(after[:, None] - before[None, :]).mean())


def size_of(delta: float) -> Size:
    """In Romano's words."""
    return next((word for bound, word in SIZES if abs(delta) < bound), "large")


def _change(
    name: str | None,
    file: str | None,
    handle: str | None,
    before: npt.NDArray[np.float64],
    after: npt.NDArray[np.float64],
    p: float | None,
    adjusted: float | None,
) -> Change:
    delta = cliffs_delta(before, after)
    return Change(
        name=name,
        file=file,
        before=tuple(before.tolist()),
        after=tuple(after.tolist()),
        median_before=float(np.median(before)),
        median_after=float(np.median(after)),
        p=p,
        adjusted_p=adjusted,
        delta=delta,
        size=size_of(delta),
        handle=handle,
    )


def _notes(before: int, after: int, least: float) -> tuple[str, ...]:
    if least < SIGNIFICANT:
        return ()
    few = f"{before} and {after} runs are too few for any p-value: the smallest they could give is {least:.2g}"
    return (f"{few}. Record at least 4 runs of each",)
