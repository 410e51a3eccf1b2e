"""Words of a question over recordings that the rules took nothing from: the answer begins with them, as it may be that
of another question.
"""

import re

from server.agent.questions.question_schema import Comparison, Measure, Recurrence, Runs, Series
from server.agent.questions.shown_names import coded
from traces.gate.function_keys import short_name

MOST_NAMED = 3
_ASKING_WORDS = """
    about above actually after again against all also always and any anything appear appeared appears are around
    back bad bar became become been before began begin being below better between both branch branches builds
    bytes called calls came can change changed changes chart charts come comes coming commit commits compare
    compared comparison cost costs could cumulative curve day days develop developed development did does doing
    done draw drew during each environment ever every everything evolution evolve evolved exclusive expensive fast
    faster fewer find finding first for from function functions get gets getting give goes going gone good got gotten
    graph grew grow growing grown had happen happened happens has have heavier heavy history host how improve improved
    improvement improves inclusive
    into introduce introduced introduces it's its itself know larger last lately latest least less line list
    longer look made make many measure milliseconds more most much newer newest night nights not now number occur
    occurred occurs off often older ones our out over overall own past per percent percentage please plot previous
    problem profile profiles program reappear reappeared reappears recently recording recordings recur recurred
    recurring recurs regress regressed regression regressions release releases return returned returns rise rose
    run runs same scenario seconds see self share shares shorter show shows since slow slowed slower slowly
    slowness some spend spends spent start started starts still take taken takes tell than that the their them
    then there there's these they this those time times took total trace traces trend turn turned under uploads
    use used uses value values version versions very was way went were what what's when where whether which while
    whole with within worse you your
"""
_ASKING = frozenset(_ASKING_WORDS.split())
_WORD = re.compile(r"(?<![\w.@/:-])[^\W\d_][\w'’-]{2,}(?![\w@/:])", re.UNICODE)
_AMOUNT = re.compile(
    r"(?<![\w.-])(?:below|under|above|over|more than|less than|fewer than|at least|at most|[<>]=?)\s*"
    r"\d[\d.,]*\s?(?:ns|µs|us|ms|s|sec|seconds|minutes|[KMG]i?B|bytes|times|%|percent)?(?![\w.])",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\bbetween [^\s,]+ and [^\s,?]+|\b(?:until|till|up to|before) `?[\w.+-]*\d[\w.+-]*`?", re.IGNORECASE
)
"""Recordings up to one: a series has a beginning alone."""
_SHARE = re.compile(r"%|percent", re.IGNORECASE)


def unplaced_words(text: str, question: Series | Recurrence | Comparison) -> tuple[str, ...]:
    """Those words and amounts, in their order."""
    left = text
    for name in sorted(_placed(question), key=len, reverse=True):
        left = re.sub(rf"(?<![\w]){re.escape(name)}(?:\(\))?(?![\w])", " ", left, flags=re.IGNORECASE)
    is_bounded = isinstance(question, Recurrence) and question.above is not None
    amounts = [one for one in _AMOUNT.finditer(left) if not (is_bounded and _SHARE.search(one[0]))]
    if not isinstance(question, Comparison):
        amounts += _ENDED.finditer(left)
    words = [one for one in _WORD.finditer(left) if one[0].casefold() not in _ASKING]
    words = [one for one in words if not any(at.start() <= one.start() < at.end() for at in amounts)]
    found = sorted((*amounts, *words), key=lambda one: one.start())
    return tuple(dict.fromkeys(" ".join(one[0].split()) for one in found))


def doubt(words: tuple[str, ...], question: Series | Recurrence | Comparison) -> str:
    """The sentence with which such an answer begins."""
    named = ", ".join(map(coded, words[:MOST_NAMED]))
    return f"I could not place {named}, and answer {_in_words(question)} instead."


def _in_words(question: Series | Recurrence | Comparison) -> str:
    if question.measure is None:
        return "what differs between the two"
    what = coded(question.measure.name)
    match question:
        case Series():
            return f"how {what} developed"
        case Recurrence():
            return f"in which recordings {what} is"
        case Comparison():
            return f"how {what} differs between the two"


def _placed(question: Series | Recurrence | Comparison) -> set[str]:
    groups = (question.before, question.after) if isinstance(question, Comparison) else (question.runs,)
    found = set(() if question.measure is None else _names_of(question.measure)).union(*map(_labels_of, groups))
    if isinstance(question, Series) and question.by is not None:
        found |= {question.by, f"{question.by}s"}
    return {name for name in found if name}


def _names_of(measure: Measure) -> list[str]:
    names = [measure.name, short_name(measure.name), *([measure.file] if measure.file else [])]
    if measure.kind == "finding":
        parts = measure.name.split("-")
        names += [*parts, *(f"{part}s" for part in parts), "gc", "garbage", "collector", "long"]
    if measure.kind == "figure":
        names += [*measure.name.split("-"), "wall", "clock", "count", "it"]
    return names


def _labels_of(runs: Runs) -> list[str]:
    labels = dict(runs.labels)
    if runs.starting is not None:
        key, _, value = runs.starting.partition(":")
        labels[key] = value
    return [*labels, *labels.values(), runs.program or ""]
