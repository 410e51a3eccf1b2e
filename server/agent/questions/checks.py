"""Whether what a question names exists, with the nearest for what does not: no query runs that was not checked."""

import difflib
from collections.abc import Collection, Mapping, Sequence

from server.agent.questions.question_schema import (
    OF_KIND,
    CallPath,
    Comparison,
    Measure,
    OverRuns,
    Question,
    Runs,
    Series,
    SqlQuery,
)
from server.agent.questions.shown_names import coded
from server.errors import BadRequest
from server.ports.history import KnownRuns, NamedThings
from traces.gate.function_keys import AT, FunctionKey, matching, short_name
from traces.gate.rules import InvalidRule
from traces.insights.registry import DETECTORS

LISTED = 5
FINDINGS = tuple(detector.id for detector in DETECTORS)


def checked_runs(runs: Runs, known: KnownRuns) -> Runs:
    """Runs of one program whose labels exist. Raises BadRequest."""
    checked_names(runs, known)
    if runs.program is None and len(known.programs) > 1:
        listed = ", ".join(f"{coded(name)} ({count})" for name, count in _most(known.programs))
        raise BadRequest(f"The recordings are of {len(known.programs)} programs: {listed}. Name one.", field="program")
    return runs


def checked_names(runs: Runs, known: KnownRuns) -> None:
    """Raises BadRequest for a program or label that no recording has."""
    if runs.program is not None and runs.program not in known.programs:
        raise _unknown("program", runs.program, known.programs)
    for key, value in _labels(runs).items():
        if key not in known.labels:
            raise _unknown("label", key, known.labels)
        if value not in known.labels[key]:
            raise _unknown(key, value, known.labels[key])


def checked_measure(measure: Measure, known: KnownRuns) -> Measure:
    """A measure that exists in some run, by its full name and file. Raises BadRequest."""
    if measure.shown not in OF_KIND[measure.kind]:
        values = ", ".join(OF_KIND[measure.kind])
        raise BadRequest(f"A {measure.kind} has no value {measure.shown}: it has {values}.", field="value")
    if measure.kind == "finding":
        if measure.name not in FINDINGS:
            raise _unknown("finding", measure.name, FINDINGS)
        return measure
    if measure.kind == "figure":
        if measure.name not in known.figures:
            raise _unknown("figure", measure.name, known.figures)
        return measure
    name, file = _function(measure, known.functions)
    return measure.model_copy(update={"name": name, "file": file})


def checked_by(by: str | None, known: KnownRuns) -> None:
    """Raises BadRequest for a label that no run has."""
    if by is not None and by != "program" and by not in known.labels:
        raise _unknown("label", by, known.labels)


def checked(question: OverRuns, known: KnownRuns) -> OverRuns:
    """The question about what exists; the steps of a path are looked for in the recordings that are opened. Raises
    BadRequest, saying what does not and what is nearest."""
    if isinstance(question, CallPath):
        if question.trace is None:
            checked_runs(question.runs, known)
        return question
    measure = None if question.measure is None else checked_measure(question.measure, known)
    if isinstance(question, Comparison):
        checked_runs(question.before, known)
        checked_runs(question.after, known)
        return question.model_copy(update={"measure": measure})
    checked_runs(question.runs, known)
    if isinstance(question, Series):
        checked_by(question.by, known)
    elif question.measure.kind == "figure":
        raise BadRequest("What comes back is a finding or a function; a figure is there in every run.", field="measure")
    return question.model_copy(update={"measure": measure})


def names_in(question: Question) -> NamedThings:
    """What of the question is looked for."""
    groups = [question.before, question.after] if isinstance(question, Comparison) else [question.runs]
    labels: set[tuple[str, str | None]] = {one for runs in groups for one in _labels(runs).items()}
    if isinstance(question, Series) and question.by is not None:
        labels.add((question.by, None))
    measure = None if isinstance(question, CallPath | SqlQuery) else question.measure
    return NamedThings(
        labels=frozenset(labels),
        function=measure.name if measure is not None and measure.kind == "function" else None,
        figure=measure.name if measure is not None and measure.kind == "figure" else None,
    )


def _labels(runs: Runs) -> dict[str, str]:
    labels = dict(runs.labels)
    if runs.starting is not None:
        key, _, value = runs.starting.partition(":")
        labels[key] = value
    return labels


def _function(measure: Measure, known: Collection[FunctionKey]) -> FunctionKey:
    named = measure.name if measure.file is None else f"{measure.name}{AT}{measure.file}"
    if (measure.name, measure.file) in known:
        return measure.name, measure.file
    try:
        found = sorted(matching(named, known), key=lambda key: (key[0], key[1] or ""))
    except InvalidRule:
        raise _no_function(measure.name, {name for name, _ in known}) from None
    if len(found) > 1:
        files = _listed([file or "no file" for _, file in found])
        raise BadRequest(f"{coded(measure.name)} stands in several files: {files}. Name one.", field="file")
    return found[0]


def _no_function(name: str, known: Collection[str]) -> BadRequest:
    """None has the name, or several have it for the last part of theirs."""
    full = sorted(one for one in known if short_name(one) == name)
    if full:
        return BadRequest(f"{coded(name)} may be {_listed(full)}. Name one in full.", field="name")
    short = {short_name(one): one for one in sorted(known)}
    near = [short[one] for one in difflib.get_close_matches(name, list(short), n=LISTED, cutoff=0.6)]
    near = near or sorted(one for one in known if name.casefold() in one.casefold())
    return BadRequest(f"No recording has a function {coded(name)}.{_hint(near)}", field="name")


def _unknown(what: str, name: str, known: Collection[str]) -> BadRequest:
    listed = sorted(known)
    near = difflib.get_close_matches(name, listed, n=LISTED, cutoff=0.5)
    near = near or [one for one in listed if name.casefold() in one.casefold()] or listed
    return BadRequest(f"No recording has the {what} {coded(name)}.{_hint(near)}", field="question")


def _hint(near: Sequence[str]) -> str:
    return f" The nearest: {_listed(near)}." if near else ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(coded, names[:LISTED]))


def _most(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:LISTED]
