"""What is answered to a path: how many calls go on to each step, how long that takes, and where the others end."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from server.agent.questions.path_figures import PathFigures, StepFigures
from server.agent.questions.question_schema import CallPath, as_json
from server.agent.questions.run_answers import LABEL_CHARACTERS, RunsAnswer
from server.agent.questions.shown_names import coded
from server.errors import BadRequest
from server.quoting import plain
from traces.analysis.units import format_share, format_value
from traces.values import Unit

CALLS = "calls"
NAMED_ENDINGS = 2


@dataclass(frozen=True, slots=True)
class PathRun:
    """The path in one recording."""

    trace_id: str
    name: str
    created_at: datetime
    figures: PathFigures


def path_answer(question: CallPath, runs: Sequence[PathRun]) -> RunsAnswer:
    """The path over recordings of one unit. Raises BadRequest where none has one of the functions."""
    for place, step in enumerate(question.steps):
        unknown = [run.figures.steps[place].unknown for run in runs]
        if None not in unknown:
            raise BadRequest(f"For {coded(step.name)}: {unknown[-1]}", field="steps")
    units = Counter(run.figures.unit for run in runs)
    unit = units.most_common(1)[0][0]
    shown = [run for run in runs if run.figures.unit == unit]
    notes = [f"{len(runs) - len(shown)} recordings measure something else and are left out."] * (len(units) > 1)
    steps = [_joined([run.figures.steps[place] for run in shown]) for place in range(len(question.steps))]
    names = [plain(step.name, LABEL_CHARACTERS) for step in question.steps]
    calls = steps[0].reached
    headline = _headline(names, steps, unit, len(shown))
    if calls:
        notes += _between(names, steps) + _lost(names, steps, unit)
    if unit != CALLS:
        notes.append("These are samples: it is what they measured below each function, not single calls.")
    data: dict[str, Any] = {
        "runs": len(shown),
        "points": [_point(*one, calls) for one in zip(names, steps, strict=True)],
    }
    chart = {
        "kind": "steps",
        "unit": unit,
        "points": [{"label": name, "value": step.reached} for name, step in zip(names, steps, strict=True)],
    }
    columns, rows = _of_steps(names, steps, unit) if len(shown) == 1 else _of_runs(names, shown, unit)
    return RunsAnswer(as_json(question), headline, tuple(notes), data, columns, rows, chart)


def _joined(parts: Sequence[StepFigures]) -> StepFigures:
    endings: Counter[str | None] = Counter()
    for part in parts:
        for name, much in part.endings:
            endings[name] += much  # type: ignore[assignment]
    took = np.concatenate([part.took for part in parts])
    return StepFigures(sum(part.reached for part in parts), took, tuple(endings.most_common()), None)


def _much(value: float, unit: str) -> str:
    return f"{value:,.0f}" if unit == CALLS or unit not in list(Unit) else format_value(value, Unit(unit))


def _time(value: float) -> str:
    return format_value(value, Unit.NANOSECONDS)


def _headline(names: Sequence[str], steps: Sequence[StepFigures], unit: str, runs: int) -> str:
    calls = steps[0].reached
    where = f" in {runs} recordings" if runs > 1 else ""
    if not calls:
        return f"**There is no call of {coded(names[0])} that ended{where}.**"
    parts = []
    for name, step in zip(names[1:], steps[1:], strict=True):
        verb = "reach" if unit == CALLS and step.reached != 1 else "reaches"
        parts.append(f"{_much(step.reached, unit)} ({format_share(step.reached / calls)}) {verb} {coded(name)}")
    what = f"calls of {coded(names[0])}" if unit == CALLS else f"in {coded(names[0])}"
    return f"**Of {_much(calls, unit)} {what}{where}, {', then '.join(parts)}.**"


def _between(names: Sequence[str], steps: Sequence[StepFigures]) -> list[str]:
    return [
        f"From {coded(names[place - 1])} to {coded(names[place])} it takes {_time(float(np.median(step.took)))} "
        f"(median), at most {_time(float(step.took.max()))}."
        for place, step in enumerate(steps)
        if len(step.took)
    ]


def _lost(names: Sequence[str], steps: Sequence[StepFigures], unit: str) -> list[str]:
    found = []
    for place in range(1, len(steps)):
        lost = steps[place - 1].reached - steps[place].reached
        if lost <= 0:
            continue
        ends = [f"{_much(much, unit)} {_ends_in(name, unit)}" for name, much in steps[place].endings[:NAMED_ENDINGS]]
        verb = "is" if lost == 1 or unit != CALLS else "are"
        found.append(f"{_much(lost, unit)} {verb} lost before {coded(names[place])}: {', '.join(ends)}.")
    return found


def _ends_in(name: str | None, unit: str) -> str:
    if unit != CALLS:
        return f"in {coded(name or '')}"
    return "called nothing" if name is None else f"called {coded(name)} last"


def _point(name: str, step: StepFigures, calls: float) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": name,
        "found": step.reached,
        "value_share": step.reached / calls if calls else 0.0,
    }
    if len(step.took):
        found |= {"middle_ns": float(np.median(step.took)), "highest_ns": float(step.took.max())}
    return found


Rows = tuple[tuple[str, ...], ...]


def _of_steps(names: Sequence[str], steps: Sequence[StepFigures], unit: str) -> tuple[tuple[str, ...], Rows]:
    calls = steps[0].reached
    rows = []
    for place, (name, step) in enumerate(zip(names, steps, strict=True)):
        took = (_time(float(np.median(step.took))), _time(float(step.took.max()))) if len(step.took) else ("", "")
        lost = _much(steps[place - 1].reached - step.reached, unit) if place else ""
        share = format_share(step.reached / calls) if calls else ""
        rows.append((name, _much(step.reached, unit), share, lost, *took))
    return ("function", "reached", "share", "lost before", "median from before", "longest"), tuple(rows)


def _of_runs(names: Sequence[str], runs: Sequence[PathRun], unit: str) -> tuple[tuple[str, ...], Rows]:
    rows = tuple(
        (run.name, f"{run.created_at:%Y-%m-%d %H:%M}", *(_much(step.reached, unit) for step in run.figures.steps))
        for run in runs
    )
    return ("recording", "uploaded", *names), rows
