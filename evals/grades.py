"""The grade of an answer in a conversation, by rule, from its text alone: stored answers can be graded again."""

import re
from dataclasses import dataclass
from enum import StrEnum

from evals.case import Figure
from evals.cause_classes import CLASSES, claims, fits
from evals.questions import Question
from evals.reading import (
    AFTER_CLAIM,
    DENIED,
    DENIED_AFTER,
    INTO,
    SAYS_CAUSE,
    Named,
    amounts,
    named,
    prose,
    says,
    sentences,
)
from traces.insights.registry import DETECTORS

OPENING_SENTENCES = 2
OPENING_CHARACTERS = 450
MOST_CLASSES = 3
"""Classes of cause that an opening may claim: their words overlap ("the same query for each row"), a list does not."""
BEGINNING_CHARACTERS = 1_500
"""As far as a reader reads: the opening and its evidence. What stands later does not count for an answer."""


class Grade(StrEnum):
    """From best to worst. WRONG is worse than HONEST and UNHELPFUL: it sends a person the wrong way."""

    RIGHT = "right"
    PARTLY = "partly"
    HONEST = "honest"
    UNHELPFUL = "unhelpful"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Graded:
    """`why` says what makes it wrong, or what a right answer would have had."""

    grade: Grade
    why: tuple[str, ...] = ()


_DECLINES = re.compile(
    r"\bcan(?:no|')t\b|\bcan not\b|\bcould not\b|\bunable\b|\bends? (?:at|after)\b|"
    r"\b(?:does|do|did) ?(?:not|n't) (?:say|show|tell|record|have|contain|measure|include|reach|name|exist|mention|"
    r"support|occur)\b|"
    r"\bnot (?:recorded|measured|part of|visible|possible|available|"
    r"in (?:this|the) (?:trace|recording|profile|file))\b|"
    r"\bno (?:such|function|thread|trace|times?\b|timeline|memory|information|data|record|requests?|allocations?|"
    r"locks?|waits?|frame)\b|"
    r"\bnothing (?:here|of that|like that|happens|was|is)\b|\bthere (?:is|are|was|were) no\b|"
    r"\b(?:needs? a|only a) (?:language )?model",
    re.IGNORECASE,
)
_ASKS_BACK = re.compile(r"\b(?:which|what|who|do you mean|did you mean)\b[^.?]{0,160}\?", re.IGNORECASE)
_LANGUAGE_NOTE = re.compile(
    r"\b(?:englisch|inglés|anglais|inglese|inglês|engels|angielsk|ingilizce|engelsk|engelska|англий|англій)\w*|英語|英语|英文|영어|अंग्रेज|الإنجليزية",
    re.IGNORECASE,
)
_MISREAD = re.compile(r"\bno (?:function|frame|name)[^.`]{0,30}\bmatch(?:es)? `", re.IGNORECASE)
_TITLES = "|".join(sorted({re.escape(one.title) for one in DETECTORS}, key=len, reverse=True))
_REPORTS = re.compile(
    rf"[^\w`]*(?:(?:{_TITLES})\W*:|(?:`[^`]+`|\S+)[*_\s]*(?:\([^)]*\)\s*)?"
    r"(?:dominates|takes the most|is the (?:hottest|heaviest) function)\b)",
    re.IGNORECASE,
)
"""How an answer begins that reports on a recording, whatever was asked: a finding's title, what dominates."""
_CARRIED = re.compile(r"^About [^:]*, as before:\s*", re.IGNORECASE)
_PLACE = re.compile(r":\d+$|\.(?:py|js|ts|go|java|c|cc|cpp|h|rb|rs|html|json|gz|txt|prof|jfr)$", re.IGNORECASE)
_LISTED = re.compile(r"^\s*(?:[-*+]\s|\d+[.)]\s|\|)")
_NOTE = re.compile(
    r"\s*\([^()]*\b(?:not (?:know|understand|sure)|(?:take|took) (?:it|this) (?:as|for))\b[^()]*\)|"
    r"\**I could not place [^“\n]{0,200}“[^”\n]*”: ",
    re.IGNORECASE,
)
"""A note that the question was not understood, in full or in part, or for which other one it was taken."""
_NOTE_WITHIN = 1_000
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')*_\]]*\s+(?=[\"'(*_\[`]*[A-Z`\[])")
_FIGURE = re.compile(r"\d")


def opening(text: str) -> str:
    """The first two sentences before a list or a table, at most 450 characters, without one that only says in which
    language the answer is, and without a note in brackets on the question. A path of calls is
    evidence: it is left out."""
    found: list[str] = []
    for line in _NOTE.sub("", prose(text)).split("\n"):
        if _LISTED.match(line):
            break
        found += [part.strip() for part in _SENTENCE_END.split(line) if part.strip()]
    meant = [one for one in found if not (_LANGUAGE_NOTE.search(one) and not _FIGURE.search(one))]
    return " ".join(_without_path(one) for one in meant[:OPENING_SENTENCES])[:OPENING_CHARACTERS]


def _without_path(sentence: str) -> str:
    """A sentence up to the colon before functions with arrows between them."""
    before, arrow, _ = sentence.partition("→")
    return before[: before.rfind(": ") + 1] if arrow else sentence


def is_taken_otherwise(text: str) -> bool:
    """Whether an answer notes in its first paragraphs that its question was not understood, or was taken for another
    one. What it says is then no false claim, and no honest answer to the question either."""
    return _NOTE.search(prose(text)[:_NOTE_WITHIN]) is not None


def beginning(text: str) -> str:
    """The note left out: it counts for nothing."""
    return _NOTE.sub("", prose(text))[:BEGINNING_CHARACTERS]


def grade(question: Question, text: str) -> Graded:
    """The grade of an answer's text; an empty text is a failed turn, which is unhelpful."""
    if not text.strip():
        return Graded(Grade.UNHELPFUL, ("there is no answer",))
    first, begins = opening(text), beginning(text)
    taken_otherwise = is_taken_otherwise(text)
    if wrong := _wrong(question, first, begins, taken_otherwise):
        return Graded(Grade.WRONG, tuple(wrong))
    missing = _missing(question, first, begins)
    if not missing:
        return Graded(Grade.RIGHT)
    if _is_partly(question, begins):
        return Graded(Grade.PARTLY, tuple(missing))
    honest = declines(first) and not taken_otherwise
    return Graded(Grade.HONEST if honest else Grade.UNHELPFUL, tuple(missing))


def declines(first: str) -> bool:
    """Whether an opening says that something cannot be known or is not there, or asks which of several is meant."""
    return _DECLINES.search(first) is not None or _ASKS_BACK.search(first) is not None


def functions_named(first: str, also: tuple[str, ...] = ()) -> list[Named]:
    """What an opening names, without places in files."""
    return [one for one in named(first, also) if not _PLACE.search(one.name)]


def claimed(first: str, names: tuple[str, ...]) -> list[str]:
    """The functions that an opening calls the answer: named in a sentence that claims something of time, calls or a
    class of cause, and not denied. One that follows another counts where it is claimed by itself ("spent in X").
    """
    found: dict[str, None] = {}
    for sentence in _SENTENCE_END.split(first):
        for before, one in enumerate(functions_named(sentence, names)):
            after = sentence[one.end :]
            denied = DENIED.search(sentence[: one.start]) or DENIED_AFTER.match(after)
            if not denied and _makes_a_claim(sentence):
                alone = before == 0 or AFTER_CLAIM.match(after) or INTO.search(sentence[: one.start])
                if alone or one.name in names:
                    found[one.name] = None
    return list(found)


def _makes_a_claim(sentence: str) -> bool:
    return SAYS_CAUSE.search(sentence) is not None or any(claims(sentence, name) for name in CLASSES)


def _in(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _wrong(question: Question, first: str, begins: str, taken_otherwise: bool) -> list[str]:
    found = [f"the opening matches {one!r}" for one in question.wrong if _in(one, first)]
    found += [f"the opening claims {name}" for name in question.false_causes if claims(first, name)]
    answers = claimed(first, (*question.culprit, *question.also))
    fitting = question.culprit + question.also
    if question.culprit and answers and not says(begins, fitting):
        found.append(f"the opening calls {answers[0]} the answer")
    is_about = not question.about or any(_in(one, first) for one in question.about)
    if not is_about and not taken_otherwise and _makes_a_claim(first) and not declines(first):
        found.append("the opening is the report of another question")
    return found


def _missing(question: Question, first: str, begins: str) -> list[str]:
    found = []
    others = {one.name for one in functions_named(first, question.culprit)}
    named_besides = len([one for one in others if not says(f"`{one}`", question.culprit + question.also)])
    if named_besides > question.most_named:
        found.append(f"the opening names {named_besides} functions")
    classes = sum(claims(first, name) for name in CLASSES)
    if classes > MOST_CLASSES:
        found.append(f"the opening claims {classes} classes of cause")
    answers = claimed(first, question.culprit)
    if question.culprit and not any(says(f"`{one}`", question.culprit) for one in answers):
        found.append(f"the opening does not claim {question.culprit[0]}")
    if question.cause is not None:
        if not claims(first, question.cause):
            found.append(f"the opening does not claim {question.cause}")
        if question.fix and not fits(begins, question.cause):
            found.append(f"no change that fits {question.cause}")
    if not question.cannot and _MISREAD.search(first):
        found.append("it looks for a function that the question does not name")
    if question.direct and _REPORTS.match(_CARRIED.sub("", first)):
        found.append("it begins as a report on all of the recording")
    if question.cannot and not declines(first):
        found.append("it does not say that it cannot be answered")
    found += [f"the opening lacks {one!r}" for one in question.opening if not _in(one, first)]
    found += [f"it lacks {one!r}" for one in question.says if not _in(one, begins)]
    return found + [
        f"the opening has no {one.value:g} {one.unit}{f' with {one.near}' if one.near else ''}"
        for one in question.figures
        if not _has_figure(first, one)
    ]


def _has_figure(first: str, figure: Figure) -> bool:
    for sentence in sentences(first) if figure.near else [first]:
        is_near = figure.near is None or says(sentence, (figure.near,))
        if is_near and any(abs(value - figure.value) <= figure.within for value in amounts(sentence, figure.unit)):
            return True
    return False


def _is_partly(question: Question, begins: str) -> bool:
    if any(_in(one, begins) for one in question.partly):
        return True
    if question.culprit and says(begins, question.culprit):
        return True
    return question.cause is not None and claims(begins, question.cause)
