"""Runs with what is asked of each, by the unit in which they measure it: values of two units are never set against each
other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from server.agent.questions.question_schema import Measure
from server.agent.questions.shown_names import coded
from server.ports.history import RunPoint
from traces.analysis.units import format_share, format_value
from traces.values import Unit


@dataclass(frozen=True, slots=True)
class MeasuredRuns:
    """Runs of one unit, with the value that is asked for."""

    measure: Measure
    unit: str
    points: tuple[RunPoint, ...]
    notes: tuple[str, ...]

    def value(self, point: RunPoint) -> float | None:
        of: dict[str, float | None] = {
            "self": point.value,
            "value": point.value,
            "total": point.total_value,
            "self_share": point.share,
            "share": point.share,
            "total_share": point.total_share,
            "calls": None if point.calls is None else float(point.calls),
        }
        return of[self.measure.shown]

    def text(self, value: float) -> str:
        if self.measure.shown.endswith("share"):
            return format_share(value)
        if self.measure.shown == "calls" or self.unit not in list(Unit):
            return f"{value:,.6g}"
        return format_value(value, Unit(self.unit))

    def key(self, name: str) -> str:
        """The name of a figure, by which it is known what it measures."""
        if self.measure.shown.endswith("share"):
            return f"{name}_share"
        ending = {"nanoseconds": "_ns", "bytes": "_bytes"}.get(self.unit, "_count")
        return name + ("_count" if self.measure.shown == "calls" else ending)

    @property
    def what(self) -> str:
        name = coded(self.measure.name)
        said = {
            "self": "self time" if self.unit == "nanoseconds" else "self value",
            "total": "total time" if self.unit == "nanoseconds" else "total value",
            "self_share": "share by itself",
            "total_share": "share with what it calls",
            "calls": "number of calls",
            "share": "share",
            "value": "figure",
        }
        return name if self.measure.kind == "figure" else f"the {said[self.measure.shown]} of {name}"


def by_unit(measure: Measure, points: Sequence[RunPoint]) -> list[MeasuredRuns]:
    """The runs of each unit, those of most first: with them are the runs that lack what is measured. A finding is there
    or not, in whatever unit."""
    counts: dict[str, int] = {}
    for point in points:
        if point.is_there and measure.kind != "finding":
            counts[point.unit] = counts.get(point.unit, 0) + 1
    units = sorted(counts, key=lambda one: (-counts[one], one)) or ["nanoseconds"]
    first = tuple(
        point for point in points if not point.is_there or point.unit == units[0] or measure.kind == "finding"
    )
    others = [tuple(point for point in points if point.is_there and point.unit == unit) for unit in units[1:]]
    return [MeasuredRuns(measure, unit, runs, ()) for unit, runs in zip(units, [first, *others], strict=True)]


def of_one_unit(measure: Measure, points: Sequence[RunPoint]) -> MeasuredRuns:
    """The runs that measure what most do; of others it is said that they are left out."""
    first, *others = by_unit(measure, points)
    left = sum(len(one.points) for one in others)
    if not left:
        return first
    verbs = ("recording measures", "and is") if left == 1 else ("recordings measure", "and are")
    units = ", ".join(sorted(one.unit for one in others))
    return MeasuredRuns(measure, first.unit, first.points, (f"{left} {verbs[0]} {units} {verbs[1]} left out.",))
