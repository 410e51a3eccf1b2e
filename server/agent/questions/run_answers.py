"""What the runs answer: a sentence first, the rows it stands on, and what a chart of them needs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from statistics import median
from typing import Any

import numpy as np

from server.agent.questions.level_change import LEAST_CHANGE, level_change
from server.agent.questions.question_schema import Comparison, Measure, Recurrence, Runs, Series, as_json
from server.agent.questions.shown_names import coded
from server.ports.history import RunPoint
from server.quoting import plain
from traces.analysis.rank_test import least_p, rank_sum_p
from traces.analysis.units import format_share, format_value
from traces.values import Unit

NAMED_BY = ("commit", "run", "release")
"""Labels by which a run is called, the first that it has: the one that fewest others share."""
LEVEL = 0.05
LABEL_CHARACTERS = 40
RUNS_SHOWN = 200


@dataclass(frozen=True, slots=True)
class RunsAnswer:
    """`headline` and `notes` are sentences in Markdown, `data` their figures, `table` what is shown below, `chart` what
    it is drawn from."""

    question: dict[str, Any]
    headline: str
    notes: tuple[str, ...]
    data: dict[str, Any]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    chart: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As programs read it."""
        table = {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}
        return {
            "question": self.question,
            "headline": self.headline,
            "notes": list(self.notes),
            "table": table,
            "chart": self.chart,
            "data": self.data,
        }

    def as_payload(self) -> dict[str, Any]:
        """What a page shows under the answer."""
        table = {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}
        return {
            "kind": "question",
            "question": self.question,
            "sql": self.question.get("sql"),
            "table": table,
            "chart": self.chart,
        }


@dataclass(frozen=True, slots=True)
class _Shown:
    """The points of one unit, with the value that is asked for."""

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


def run_name(point: RunPoint) -> str:
    """What a run is called: by its commit, number or release, else by its file."""
    for key in NAMED_BY:
        if key in point.run.labels:
            return plain(point.run.labels[key], LABEL_CHARACTERS)
    return plain(point.name, LABEL_CHARACTERS)


def series_answer(question: Series, points: Sequence[RunPoint]) -> RunsAnswer:
    """A measure over runs, and since when it has its level."""
    shown = _of_one_unit(question.measure, points)
    there = [(point, value) for point in shown.points if (value := shown.value(point)) is not None]
    if question.by is not None:
        return _by_label(question, question.by, shown, there)
    names = [run_name(point) for point, _ in there]
    named = [(name, value) for name, (_, value) in zip(names, there, strict=True)]
    headline, data = _development(shown, named, there)
    missing = len(shown.points) - len(there)
    notes = [*shown.notes]
    if missing and there:
        which = "recording does not have it among its" if missing == 1 else "recordings do not have it among their"
        notes.append(f"{missing} further {which} heaviest functions.")
    return _answered(question, shown, headline, notes, data, there, names)


def _development(
    shown: _Shown,
    named: Sequence[tuple[str, float]],
    there: Sequence[tuple[RunPoint, float]] = (),
    places: Sequence[int] | None = None,
) -> tuple[str, dict[str, Any]]:
    """The sentence about named values in their order, with its figures."""
    values = [value for _, value in named]
    if not values:
        return f"**None of these {len(shown.points)} recordings has {shown.what}.**", {}
    if len(values) == 1:
        only = f"**There is one recording with {shown.what}, {shown.text(values[0])}: how it developed needs two.**"
        return only, {shown.key("before"): values[0]}
    data = {shown.key("lowest"): min(values), shown.key("highest"): max(values)}
    change = level_change(values, places)
    middle, ends = median(values), f"between {shown.text(min(values))} and {shown.text(max(values))}"
    data[shown.key("middle")] = middle
    if change is None:
        return (
            f"**No change of {format_share(LEAST_CHANGE)} or more: {shown.what} stays around {shown.text(middle)} "
            f"over {len(values)} recordings**, {ends}."
        ), data | {"least_share": LEAST_CHANGE}
    figures = {shown.key("before"): change.before, shown.key("after"): change.after, "growth_share": abs(change.growth)}
    if not change.is_sure:
        place = coded(named[change.place][0])
        return (
            f"**No change that is more than chance: {shown.what} varies {ends} over {len(values)} recordings**, around "
            f"{shown.text(middle)}. Before {place} the median is {shown.text(change.before)}, from there on "
            f"{shown.text(change.after)}: too few or too noisy recordings to prove a change."
        ), data | figures
    rose = change.after > change.before
    verb = "rose" if rose else "fell"
    date = f" ({there[change.place][0].created_at:%Y-%m-%d})" if there else ""
    after, before = len(values) - change.place, change.place
    growth = abs(change.growth)
    sentence = (
        f"**From {coded(named[change.place][0])}{date} on: {shown.what} {verb} from {shown.text(change.before)} to "
        f"{shown.text(change.after)}**, by {format_share(growth)} (medians of {before} and {after} recordings)."
    )
    if after == 1 and there:
        sentence += " It is one recording so far."
    return sentence, data | figures | {"before_runs": before, "after_runs": after}


def _by_label(question: Series, by: str, shown: _Shown, there: Sequence[tuple[RunPoint, float]]) -> RunsAnswer:
    groups: dict[str, list[float]] = {}
    for point, value in there:
        label = point.run.program if by == "program" else point.run.labels.get(by)
        if label is not None:
            groups.setdefault(label, []).append(value)
    without = len(there) - sum(map(len, groups.values()))
    if question.last is not None:
        groups = dict(list(groups.items())[-question.last :])
    notes = [*shown.notes, *([f"{without} recordings have no label {by}."] if without else [])]
    named = [(label, value) for label, values in groups.items() for value in values]
    ends = list(accumulate(len(values) for values in groups.values()))[:-1]
    headline, data = _development(shown, named, places=ends)
    rows = tuple(
        (plain(label, LABEL_CHARACTERS), str(len(values)), shown.text(median(values)))
        for label, values in groups.items()
    )
    data["points"] = [
        {"name": plain(label, LABEL_CHARACTERS), "runs": len(values), shown.key("middle"): median(values)}
        for label, values in groups.items()
    ]
    chart = {
        "kind": "bars",
        "unit": shown.unit,
        "points": [
            {"label": plain(label, LABEL_CHARACTERS), "value": median(values)} for label, values in groups.items()
        ],
    }
    return RunsAnswer(as_json(question), headline, tuple(notes), data, (by, "runs", "median"), rows, chart)


def recurrence_answer(question: Recurrence, points: Sequence[RunPoint]) -> RunsAnswer:
    """In which runs a finding is there, or a function above a share, and whether it came back after it had gone."""
    shown = _of_one_unit(question.measure, points)
    least = question.above or 0.0
    flags = [
        point.is_there and (question.measure.kind == "finding" or (point.share or 0.0) >= max(least, 1e-9))
        for point in shown.points
    ]
    what = coded(question.measure.name)
    if question.measure.kind == "function":
        what += f" with {format_share(least)} or more" if least else ""
    seen = [point for point, flag in zip(shown.points, flags, strict=True) if flag]
    count, total = len(seen), len(flags)
    starts = [at for at in range(total) if flags[at] and (at == 0 or not flags[at - 1])]
    if not total:
        headline = "**There are no recordings to look through.**"
    elif not seen:
        headline = f"**No: none of the {total} recordings has {what}.**"
    elif total == 1:
        headline = f"**One recording is too few to say: {what} is there, and whether it comes back needs a later one.**"
    elif len(starts) > 1:
        back = ", ".join(coded(run_name(shown.points[at])) for at in starts[1:][:5])
        headline = f"**Yes: {what} came back, in {back}.** It is in {count} of {total} recordings."
    elif count == total:
        headline = f"**It never went away: {what} is in all {total} recordings.**"
    elif flags[-1]:
        headline = f"**It has not gone since it came: {what} is in the newest {count} of {total} recordings.**"
    else:
        headline = f"**No: {what} has not come back since {coded(run_name(seen[-1]))}.** It is in {count} of {total}."
    notes = list(shown.notes)
    if seen:
        first, last = seen[0], seen[-1]
        notes.append(
            f"First seen in {coded(run_name(first))} ({first.created_at:%Y-%m-%d}), last in {coded(run_name(last))} "
            f"({last.created_at:%Y-%m-%d})."
        )
    data: dict[str, Any] = {
        "runs": total,
        "found": count,
        "returns": max(0, len(starts) - 1),
        "above_share": least,
        "points": [
            _placed(point) | {"is_there": flag, "share": point.share or 0.0}
            for point, flag in zip(shown.points, flags, strict=True)
        ][-RUNS_SHOWN:],
    }
    rows = tuple(
        (run_name(point), f"{point.created_at:%Y-%m-%d %H:%M}", "yes" if flag else "no")
        for point, flag in zip(shown.points, flags, strict=True)
    )
    chart = {
        "kind": "grid",
        "points": [
            {"label": run_name(point), "value": int(flag), "traceId": point.trace_id}
            for point, flag in zip(shown.points, flags, strict=True)
        ],
    }
    return RunsAnswer(
        as_json(question), headline, tuple(notes), data, ("recording", "uploaded", "there"), rows[-RUNS_SHOWN:], chart
    )


def comparison_answer(
    question: Comparison, measure: Measure, before: Sequence[RunPoint], after: Sequence[RunPoint]
) -> RunsAnswer:
    """A measure in two groups of runs, by medians and Mann and Whitney's exact rank test."""
    ids = {point.trace_id for point in after}
    both = _of_one_unit(measure, [*before, *after])
    split: tuple[list[float], list[float]] = ([], [])
    for point in both.points:
        if (value := both.value(point)) is not None:
            split[point.trace_id in ids].append(value)
    old, new = split
    names = [group_name(question.before), group_name(question.after)]
    notes = list(both.notes)
    groups = [
        {"name": name.strip("`"), "runs": len(values)} | ({both.key("middle"): median(values)} if values else {})
        for name, values in zip(names, split, strict=True)
    ]
    data: dict[str, Any] = {"before_runs": len(old), "after_runs": len(new), "groups": groups}
    if not old or not new:
        lacking = names[0] if not old else names[1]
        headline = f"**It cannot be compared: no recording of {lacking} has {both.what}.**"
    else:
        low, high = median(old), median(new)
        growth = high / low - 1.0 if low else 0.0
        data |= {both.key("before"): low, both.key("after"): high, "growth_share": abs(growth)}
        p = rank_sum_p(np.array(old), np.array(new))
        counted = f"medians of {len(old)} and {len(new)} recordings"
        values = f"{both.text(low)} in {names[0]}, {both.text(high)} in {names[1]} ({counted})"
        if least_p(len(old), len(new)) > LEVEL:
            change = f"{format_share(abs(growth))} {'more' if growth > 0 else 'less'}" if growth else "the same"
            headline = f"**{_capital(both.what)}: {values}, {change}.**"
            notes.append("So few recordings cannot show whether that is more than chance.")
        elif p <= LEVEL:
            word = "more" if high > low else "less"
            headline = f"**{_capital(both.what)} takes {format_share(abs(growth))} {word} in {names[1]}: {values}.**"
        else:
            headline = f"**No difference beyond chance in {both.what}: {values}.**"
    rows = tuple(
        (name, str(len(values)), both.text(median(values)) if values else "")
        for name, values in zip(names, split, strict=True)
    )
    chart = {
        "kind": "bars",
        "unit": both.unit,
        "points": [
            {"label": name, "value": median(values)} for name, values in zip(names, split, strict=True) if values
        ],
    }
    return RunsAnswer(as_json(question), headline, tuple(notes), data, ("recordings", "runs", "median"), rows, chart)


def _of_one_unit(measure: Measure, points: Sequence[RunPoint]) -> _Shown:
    """The points that measure what most do; of others it is said that they are left out."""
    counts: dict[str, int] = {}
    for point in points:
        if point.is_there:
            counts[point.unit] = counts.get(point.unit, 0) + 1
    unit = max(counts, key=lambda one: counts[one]) if counts else "nanoseconds"
    others = sorted(set(counts) - {unit})
    kept = tuple(point for point in points if not point.is_there or point.unit == unit or measure.kind == "finding")
    left = len(points) - len(kept)
    verbs = ("recording measures", "and is") if left == 1 else ("recordings measure", "and are")
    note = f"{left} {verbs[0]} {', '.join(others)} {verbs[1]} left out." if others else ""
    return _Shown(measure, unit, kept, (note,) if note and len(kept) < len(points) else ())


def _answered(
    question: Series,
    shown: _Shown,
    headline: str,
    notes: Sequence[str],
    data: dict[str, Any],
    there: Sequence[tuple[RunPoint, float]],
    names: Sequence[str],
) -> RunsAnswer:
    """`names` are those of the points that are `there`."""
    last, key = list(zip(names, there, strict=True))[-RUNS_SHOWN:], shown.key("value")
    cells = [_placed(point, name) | {key: value} for name, (point, value) in last]
    rows = tuple((name, _minute(point), shown.text(value)) for name, (point, value) in last)
    chart = {
        "kind": "line",
        "unit": "share" if shown.measure.shown.endswith("share") else shown.unit,
        "points": [
            {"label": name, "value": value, "traceId": point.trace_id}
            for name, (point, value) in zip(names, there, strict=True)
        ],
    }
    found = data | {"runs": len(there), "points": cells}
    columns = ("recording", "uploaded", shown.measure.shown.replace("_", " "))
    return RunsAnswer(as_json(question), headline, tuple(notes), found, columns, rows, chart)


def _minute(point: RunPoint) -> str:
    return f"{point.created_at:%Y-%m-%d %H:%M}"


def _placed(point: RunPoint, name: str | None = None) -> dict[str, Any]:
    return {
        "trace_id": point.trace_id,
        "trace": plain(point.name, LABEL_CHARACTERS),
        "name": run_name(point) if name is None else name,
        "created": _minute(point),
    }


def group_name(runs: Runs) -> str:
    """A group of recordings as code: by its labels, else its program."""
    labels = [*(f"{key}:{value}" for key, value in sorted(runs.labels.items()))]
    return coded(" ".join(labels) or runs.program or "all")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
