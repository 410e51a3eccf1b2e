"""What the runs answer: a sentence first, the rows it stands on, and what a chart of them needs."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from statistics import median
from typing import Any

import numpy as np

from server.agent.questions.level_change import LEAST_CHANGE, level_change
from server.agent.questions.measured_runs import MeasuredRuns, by_unit, of_one_unit
from server.agent.questions.question_schema import Comparison, Measure, Recurrence, Runs, Series, as_json
from server.agent.questions.shown_names import coded
from server.ports.history import RunPoint
from server.quoting import plain
from traces.analysis.rank_test import least_p, rank_sum_p
from traces.analysis.units import format_share

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


def run_name(point: RunPoint) -> str:
    """What a run is called: by its commit, number or release, else by its file."""
    for key in NAMED_BY:
        if key in point.run.labels:
            return plain(point.run.labels[key], LABEL_CHARACTERS)
    return plain(point.name, LABEL_CHARACTERS)


def series_answer(question: Series, points: Sequence[RunPoint]) -> RunsAnswer:
    """A measure over runs, and since when it has its level. Runs of other units than most are groups of their own."""
    first, *others = by_unit(question.measure, points)
    answer = _series_of(question, first)
    return with_other_units(answer, first.unit, [(one, _series_of(question, one)) for one in others])


def _series_of(question: Series, shown: MeasuredRuns) -> RunsAnswer:
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


def with_other_units(answer: RunsAnswer, unit: str, others: Sequence[tuple[MeasuredRuns, RunsAnswer]]) -> RunsAnswer:
    """The answer of most runs, of this unit, with those of other units in groups behind it."""
    if not others:
        return answer
    notes, rows, data = list(answer.notes), list(answer.rows), dict(answer.data)
    data["groups"] = []
    for shown, other in others:
        count = len(shown.points)
        verb = "recording measures" if count == 1 else "recordings measure"
        notes += [f"{count} {verb} {shown.unit}, a group apart: {other.headline.replace('**', '')}", *other.notes]
        rows += [(f"{name} ({shown.unit})", *cells) for name, *cells in other.rows]
        data["points"] = [*data["points"], *other.data["points"]]
        data["groups"].append({"name": shown.unit} | {key: other.data[key] for key in other.data if key != "points"})
    notes.append(f"The chart is of those in {unit}.")
    return replace(answer, notes=tuple(notes), rows=tuple(rows), data=data)


def _development(
    shown: MeasuredRuns,
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
    data: dict[str, Any] = {shown.key("lowest"): min(values), shown.key("highest"): max(values)}
    change = level_change(values, places)
    middle, ends = median(values), f"between {shown.text(min(values))} and {shown.text(max(values))}"
    data[shown.key("middle")] = middle
    if change is None:
        return (
            f"**No change of {format_share(LEAST_CHANGE)} or more: {shown.what} stays around {shown.text(middle)} "
            f"over {len(values)} recordings**, {ends}."
        ), data | {"least_share": LEAST_CHANGE}
    data["since"] = named[change.place][0]
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


def _by_label(question: Series, by: str, shown: MeasuredRuns, there: Sequence[tuple[RunPoint, float]]) -> RunsAnswer:
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
    shown = of_one_unit(question.measure, points)
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
    both = of_one_unit(measure, [*before, *after])
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


def _answered(
    question: Series,
    shown: MeasuredRuns,
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
