"""What is answered to a comparison of all functions of two groups of recordings: what `compare_runs` says of files, of
what was kept of them.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import median

import numpy as np

from server.agent.questions.question_schema import Comparison, as_json
from server.agent.questions.run_answers import LEVEL, RunsAnswer, group_name
from server.agent.questions.shown_names import coded
from server.ports.history import RunFunctions
from server.quoting import plain
from traces.analysis.compare import are_related, overlap_of
from traces.analysis.rank_test import false_discovery, least_p, rank_sum_p
from traces.analysis.runs import TESTED
from traces.analysis.units import format_share, format_value
from traces.gate.function_keys import FunctionKey
from traces.values import Unit

SHOWN = 20
NAMED = 3
SMALLEST = 0.001
"""Of everything: a function that changed by less is not listed."""
NAME_CHARACTERS = 60
COLUMNS = ("function", "file", "before", "after", "change", "p")


def changes_answer(question: Comparison, before: Sequence[RunFunctions], after: Sequence[RunFunctions]) -> RunsAnswer:
    """The functions whose median self value changed most, each tested by Mann and Whitney's exact rank test, corrected
    for all of them, and everything together."""
    names = [group_name(question.before), group_name(question.after)]
    counts = Counter(run.unit for run in (*before, *after))
    unit = counts.most_common(1)[0][0] if counts else "nanoseconds"
    old, new = ([run for run in runs if run.unit == unit] for runs in (before, after))
    left = len(before) + len(after) - len(old) - len(new)
    verbs = "recording measures another unit and is" if left == 1 else "recordings measure another unit and are"
    notes = [f"{left} {verbs} left out."] * bool(left)
    data = {"before_runs": len(old), "after_runs": len(new), "groups": [{"name": name.strip("`")} for name in names]}
    asked = as_json(question)
    if not old or not new:
        lacking = names[0] if not old else names[1]
        text = f"**It cannot be compared: no recording of {lacking} is measured.**"
        return RunsAnswer(asked, text, tuple(notes), data, COLUMNS, ())
    named = [{name for run in runs for name, _ in run.functions} for runs in (old, new)]
    if not are_related(*named) or not named[0] & named[1]:
        text = (
            f"**It cannot be compared: {names[0]} and {names[1]} are not of one program, only "
            f"{format_share(overlap_of(*named))} of their functions are in both.**"
        )
        return RunsAnswer(asked, text, tuple(notes), data, COLUMNS, ())
    return _changed(question, old, new, unit, notes, data)


def _changed(
    question: Comparison,
    old: Sequence[RunFunctions],
    new: Sequence[RunFunctions],
    unit: str,
    notes: list[str],
    data: dict[str, object],
) -> RunsAnswer:
    names = [group_name(question.before), group_name(question.after)]
    can_test = least_p(len(old), len(new)) <= LEVEL
    rows = _rows(old, new, can_test=can_test)
    totals = [[run.total for run in runs] for runs in (old, new)]
    low, high = median(totals[0]), median(totals[1])
    is_more = can_test and rank_sum_p(np.array(totals[0]), np.array(totals[1])) <= LEVEL
    counted = f"medians of {len(old)} and {len(new)} recordings"
    figures = f"{_amount(low, unit)} in {names[0]}, {_amount(high, unit)} in {names[1]} ({counted})"
    growth = high / low - 1.0 if low else 0.0
    if is_more:
        opening = f"Everything takes {format_share(abs(growth))} {'more' if growth > 0 else 'less'} in {names[1]}"
        headline = f"**{opening}: {figures}.**"
    else:
        headline = f"**{'No difference beyond chance in everything' if can_test else 'Everything'}: {figures}.**"
    if not can_test:
        notes.append("So few recordings cannot show whether a change is more than chance.")
    headline += f" {_named_changes(rows, unit, can_test=can_test)}"
    notes.append("What a recording does not have among its 500 heaviest functions counts as nothing there.")
    suffix = {"nanoseconds": "_ns", "bytes": "_bytes"}.get(unit, "_count")
    figures_of = {f"before{suffix}": low, f"after{suffix}": high, "growth_share": abs(growth)}
    data |= figures_of
    data["points"] = [
        {"name": plain(row.key[0], NAME_CHARACTERS), f"before{suffix}": row.before, f"after{suffix}": row.after}
        | ({"growth_share": abs(row.growth)} if row.growth is not None else {})
        for row in rows
    ]
    chart = {
        "kind": "bars",
        "unit": unit,
        "points": [{"label": plain(row.key[0], NAME_CHARACTERS), "value": row.after - row.before} for row in rows],
    }
    cells = tuple(
        (
            plain(row.key[0], NAME_CHARACTERS),
            plain(row.key[1] or "", NAME_CHARACTERS),
            _amount(row.before, unit),
            _amount(row.after, unit),
            "new" if row.growth is None else f"{row.growth:+.1%}",
            "" if row.adjusted is None else f"{row.adjusted:.2g}",
        )
        for row in rows
    )
    return RunsAnswer(as_json(question), headline, tuple(notes), data, COLUMNS, cells, chart)


def _named_changes(rows: Sequence["_Row"], unit: str, *, can_test: bool) -> str:
    """The sentence about the functions that changed."""
    if not rows:
        return f"No function changed by {format_share(SMALLEST)} of it or more."
    sure = [row for row in rows if row.adjusted is not None and row.adjusted <= LEVEL]
    listed = (sure or rows)[:NAMED]
    named = ", ".join(_change_text(row, unit) for row in listed)
    if sure:
        more = len(sure) - len(listed)
        return f"Beyond chance changed {named}{f' and {more} more' if more else ''}."
    which = "No function changed beyond chance, as many were tested; the" if can_test else "The"
    return f"{which} largest changes: {named}."


class _Row:
    """One function with its medians, and p corrected for all that were tested, where any were."""

    def __init__(self, key: FunctionKey, before: float, after: float) -> None:
        self.key = key
        self.before = before
        self.after = after
        self.adjusted: float | None = None

    @property
    def growth(self) -> float | None:
        """None where it was not there before."""
        return self.after / self.before - 1.0 if self.before else None


def _rows(old: Sequence[RunFunctions], new: Sequence[RunFunctions], *, can_test: bool) -> list[_Row]:
    keys = {key: place for place, key in enumerate(dict.fromkeys(key for run in (*old, *new) for key in run.functions))}
    values = np.zeros((len(old) + len(new), len(keys)))
    for at, run in enumerate((*old, *new)):
        for key, value in run.functions.items():
            values[at, keys[key]] = value
    many = len(old)
    medians = np.median(values[:many], axis=0), np.median(values[many:], axis=0)
    change = np.abs(medians[1] - medians[0])
    bound = SMALLEST * max(median(run.total for run in runs) for runs in (old, new))
    order = [int(place) for place in np.argsort(-change, kind="stable")[:TESTED] if change[place] >= bound]
    names = list(keys)
    rows = [_Row(names[place], float(medians[0][place]), float(medians[1][place])) for place in order]
    if can_test:
        ps = false_discovery([rank_sum_p(values[:many, place], values[many:, place]) for place in order])
        for row, p in zip(rows, ps, strict=True):
            row.adjusted = p
    return rows[:SHOWN]


def _change_text(row: _Row, unit: str) -> str:
    growth = "" if row.growth is None else f" ({row.growth:+.1%})"
    return f"{coded(row.key[0])} from {_amount(row.before, unit)} to {_amount(row.after, unit)}{growth}"


def _amount(value: float, unit: str) -> str:
    return format_value(value, Unit(unit)) if unit in list(Unit) else f"{value:,.6g}"
