"""Figures of a recording as such by which findings judge it, kept of each recording so that they are asked of many."""

from dataclasses import dataclass

from traces.insights.page_experience import FIRST_PAINT, LARGEST_PAINT, painted, slowest_interaction
from traces.insights.subject import Subject, durations
from traces.insights.thresholds import threshold
from traces.insights.timeline import tasks
from traces.values import Unit


@dataclass(frozen=True, slots=True)
class RecordingFigure:
    """`name` as questions have it; nanoseconds, or a count."""

    name: str
    value: float
    unit: Unit


def judged_figures(subject: Subject) -> tuple[RecordingFigure, ...]:
    """Those that the recording has: `lcp` and `fcp` (the largest and first contentful paint after the navigation
    before it), `inp` (the slowest interaction), `long-task-count` (how many tasks take more than 50 ms) and
    `total-blocking-time` (by how much they go beyond), `gc` (in functions that are named for garbage collection)."""
    found: list[RecordingFigure] = []
    for name, marks in (("lcp", LARGEST_PAINT), ("fcp", FIRST_PAINT)):
        paint = painted(subject, marks)
        if subject.is_page and paint is not None:
            found.append(RecordingFigure(name, float(paint[1] - paint[0]), Unit.NANOSECONDS))
    slowest = slowest_interaction(subject)
    if slowest is not None:
        found.append(RecordingFigure("inp", float(slowest[1] - slowest[0]), Unit.NANOSECONDS))
    thread = tasks(subject)
    if thread is not None:
        over = durations(*thread) - int(threshold("long-tasks.length"))
        found.append(RecordingFigure("long-task-count", float((over > 0).sum()), Unit.COUNT))
        found.append(RecordingFigure("total-blocking-time", float(over[over > 0].sum()), Unit.NANOSECONDS))
    if subject.unit is Unit.NANOSECONDS and subject.total > 0:
        found.append(RecordingFigure("gc", subject.category("garbage-collection").value, Unit.NANOSECONDS))
    return tuple(found)
