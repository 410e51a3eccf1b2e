"""Which measures the words around a figure allow."""

import re
from collections.abc import Sequence

from server.agent.verification.claims import Claim
from server.agent.verification.statements.measure_words import MeasureWords, words
from server.agent.verification.statements.measures import WITH_CALLEES
from server.agent.verification.statements.sentence_parts import FIGURE, FIGURES, FUNCTIONS, Sentence
from server.agent.verification.written_numbers import Dimension
from traces.lazy_regex import lazy_regex

_CLAUSE_END = lazy_regex(r"[,;](?=\s)|\s[–—-]\s|:(?=\s)|[()|](?=.)")
_OF_CALLS: tuple[tuple[MeasureWords, str], ...] = (("MEDIAN", "percentile"), ("LONGEST", "longest"), ("LEAST", "least"))

_OF_SINGLE_CALLS: tuple[MeasureWords, ...] = ("MEDIAN", "LONGEST", "LEAST", "MEAN", "PERCENTILE")
_IN_CONTRAST = lazy_regex(
    r"^\s*(?:aunque|although|though|but|yet|aber|obwohl|mais|bien qu|pero|while|whereas|während|tandis)\b|"
    r"\b(?:almost|next to|practically) nothing\b|\bhardly\b|\bcasi nada\b|\bpresque rien\b|\bkaum\b|\bfast nichts\b",
    re.IGNORECASE,
)
"""`Although nearly nothing of it is its own time` names no figure's measure."""
OF_EVERY_CALL = lazy_regex(
    r"\b(?:each|every|all|no|none|jede[rs]?|alle|kein\w*|chaque|aucun|cada|ningun\w*)\b[^.;]{0,20}\b(?:calls?|Aufrufe?|appels?|llamadas?)\b",
    re.IGNORECASE,
)
"""`Each call lasted 30 ms or less`: so did the longest."""
_ON_THE_STACK = lazy_regex(
    r"\bon (?:the|its) (?:call )?stack\b|\bauf dem Stack\b|\bsur la pile\b|\ben la pila\b|\bappears? in\b",
    re.IGNORECASE,
)
"""In a sample in which it is on the stack a function need not run itself."""
_WITH_A_NUMBER = lazy_regex(
    rf"{FUNCTIONS} (?:with|has|at|mit|hat|bei|avec|a|con|tiene) (?:only |just |nur )?$", re.IGNORECASE
)
"""`Twice as many calls as f with 4,186`: of what is counted there."""
_SO_MANY_CALLS = lazy_regex(
    r"(?: times|[ -]?mal| fois| veces| calls| Aufrufe| appels| llamadas)(?: (?:in all|in total|altogether|insgesamt|"
    r"en tout|en total))?(?=[.,;)]| (?:and|but|und|aber|et|mais|y|pero)\b)",
    re.IGNORECASE,
)
_AVERAGED = lazy_regex(r"\b(?:average|mean|Schnitt|Mittel|durchschnittlich|moyenne|promedio|media)\b", re.IGNORECASE)
"""`Called 18 times and takes 52 ms each time`: the first is no average."""
_OF_WHICH = lazy_regex(r" ?(?:of which|of that|davon|wovon|dont)\b", re.IGNORECASE)
_NO_MEASURE: tuple[MeasureWords, ...] = ("SPREAD", "MOMENT")
Allowed = tuple[frozenset[str], bool, float | None]
"""Measures, whether words name them, and which percentile."""
_NONE: Allowed = frozenset(), False, None


def clauses(sentence: Sentence) -> list[tuple[int, int]]:
    """The parts of a sentence's template between commas, brackets and cells."""
    text, start, found = sentence.template, 0, []
    for end in _CLAUSE_END.finditer(text):
        found.append((start, end.start()))
        start = end.end()
    return [*found, (start, len(text))]


def is_row(text: str) -> bool:
    """A table's row speaks of its first function."""
    return text.lstrip().startswith("|")


def measures_of(sentence: Sentence, at: int, claim: Claim, *, unit_is_count: bool) -> Allowed:
    """What the words around the `at`th figure of a sentence say that it measures; no measure where they say something
    else. `unit_is_count`: the trace's values are numbers of things, so that a bare number may be one."""
    text = sentence.template
    place = text.find(chr(ord(FIGURE) + at))
    near, rest = _around(text, clauses(sentence), place)
    if sentence.header is not None and is_row(text):
        near = f"{near} {_column(sentence.header, text, place)}"
    if any(words(kind).search(_phrase(text, place)) for kind in _NO_MEASURE):
        return _NONE
    if claim.kind == "percentage" or (claim.kind == "ratio" and claim.mentions[0].value < 1):
        named = _own_words(text, near, rest, place)
        return frozenset(f"{one} share" for one in named or ("self", "total")), bool(named), None
    if (claim.kind != "count" or unit_is_count) and (found := _of_calls(near) or _of_calls(f"{near} {rest}")):
        return found
    is_count = claim.mentions[0].dimension is Dimension.COUNT
    if claim.bound in ("under", "over") and not is_count and OF_EVERY_CALL.search(text):
        return frozenset({"longest" if claim.bound == "under" else "least"}), True, None
    if is_count and (found := _of_counts(text, near, rest, place)):
        return found
    if is_count and not unit_is_count:
        is_of_calls = _WITH_A_NUMBER.search(text[:place]) is not None and words("CALLS").search(text) is not None
        return (frozenset({"calls"}), False, None) if is_of_calls else _NONE
    if words("EACH").search(near) or words("MEAN").search(f"{near} , {rest}"):
        return frozenset({"mean"}), True, None
    named = _own_words(text, near, rest, place)
    return frozenset(named or ("self", "total")), bool(named), None


def _around(text: str, around: Sequence[tuple[int, int]], place: int) -> tuple[str, str]:
    """The words of a figure's own clause, and those of clauses without any figure; a table's row has only its cell."""
    own = next(((a, b) for a, b in around if a <= place < b), (0, len(text)))
    apart = [(a, b) for a, b in around if not (re.search(FIGURES, text[a:b]) or _OF_WHICH.match(text[a:b]))]
    bare = [] if is_row(text) else [(a, b) for a, b in apart if not _IN_CONTRAST.search(text[a:b])]
    near = words("BASE").sub(" ", _words_of(text, own, place))
    return near, words("BASE").sub(" ", " , ".join(text[a:b] for a, b in bare))


def is_named_near(sentence: Sentence, at: int) -> bool:
    """Whether the words of the `at`th figure's own clause, or of its column, say what it measures."""
    text = sentence.template
    place = text.find(chr(ord(FIGURE) + at))
    near = _around(text, clauses(sentence), place)[0]
    if sentence.header is not None and is_row(text):
        near = f"{near} {_column(sentence.header, text, place)}"
    kinds: tuple[MeasureWords, ...] = (
        "SELF",
        "TOTAL",
        "CALLS",
        "SAMPLES",
        "MEAN",
        "EACH",
        "MEDIAN",
        "PERCENTILE",
        "LONGEST",
        "LEAST",
    )
    return any(words(kind).search(near) for kind in kinds)


def _column(header: str, row: str, place: int) -> str:
    """What stands above a place of a row."""
    cells = header.strip().strip("|").split("|")
    at = row[:place].count("|") - 1
    return cells[at] if 0 <= at < len(cells) else ""


def _of_calls(part: str) -> Allowed | None:
    """A measure of single calls: a percentile, the longest, the shortest."""
    if found := words("PERCENTILE").search(part):
        return frozenset({"percentile"}), True, float(found["a"] or found["b"] or found["c"])
    for name, measure in _OF_CALLS:
        if words(name).search(part):
            return frozenset({measure}), True, 50.0
    return None


def _of_counts(text: str, near: str, rest: str, place: int) -> Allowed | None:
    """Calls or samples; no measure where calls are averaged."""
    if words("MEAN").search(near) and words("CALLS").search(near):
        is_plain = _SO_MANY_CALLS.match(text, place + 1) and not _AVERAGED.search(text[max(0, place - 24) : place])
        return (frozenset({"calls"}), True, None) if is_plain else _NONE
    own = _own_words(text, near, rest, place)
    counted = _counted(near) or (None if own else _counted(rest))
    if counted == "samples" and _ON_THE_STACK.search(near):
        return frozenset({WITH_CALLEES}), True, None
    if counted == "samples":
        both = {"self": {"samples"}, "total": {WITH_CALLEES}}
        return frozenset(both[own[0]] if len(own) == 1 else {"samples", WITH_CALLEES}), True, None
    return (frozenset({counted}), True, None) if counted else None


def _counted(part: str) -> str | None:
    bare = words("TOTAL").sub(" ", words("SELF").sub(" ", part))
    if words("SAMPLES").search(bare):
        return "samples"
    return "calls" if words("CALLS").search(bare) else None


def _phrase(text: str, place: int) -> str:
    """What stands between commas around a place, brackets and all."""
    start = max(text.rfind(mark, 0, place) for mark in (", ", "; ", ": "))
    ends = [end for mark in (", ", "; ", ": ") if (end := text.find(mark, place)) >= 0]
    return text[max(start, 0) : min(ends, default=len(text))]


def _own_words(text: str, near: str, rest: str, place: int) -> tuple[str, ...]:
    """Self or total, by the words of the figure's clause; where a sentence has both by those that stand nearest."""
    bare = words("BASE").sub(lambda found: " " * len(found[0]), text)
    own = [match.span() for match in words("SELF").finditer(bare)]
    total = [match.span() for match in words("TOTAL").finditer(bare)]
    if is_row(text):
        return _self_or_total(near)
    if own and total:
        if found := _self_or_total(words("BASE").sub(" ", _phrase(text, place))):
            return found
        first = re.search(FIGURES, text)
        behind = first is not None and min(own[0], total[0])[0] > first.start()
        nearer = _distance(own, place, behind=behind) < _distance(total, place, behind=behind)
        return ("self",) if nearer else ("total",)
    return _self_or_total(near) or _self_or_total(rest)


def _distance(spans: Sequence[tuple[int, int]], place: int, *, behind: bool) -> int:
    """How far the nearest of some words is, on the side of figures where the sentence has its words."""
    far = 10_000
    return min(
        (start - place if behind else place - end) + (0 if (start > place) is behind else far) for start, end in spans
    )


def _words_of(text: str, clause: tuple[int, int], place: int) -> str:
    """The words of a clause that are a figure's own: where others say `self` of one and `total` of another, those
    behind it, or else those before it."""
    part = text[slice(*clause)]
    is_both = words("SELF").search(part) and words("TOTAL").search(words("BASE").sub(" ", part))
    several = sum(words(kind).search(part) is not None for kind in _OF_SINGLE_CALLS)
    if not is_both and several < 2:
        return part
    figures = [match.start() for match in re.finditer(FIGURES, text) if clause[0] <= match.start() < clause[1]]
    if len(figures) < 2:
        return part
    at = figures.index(place)
    behind = text[place : figures[at + 1] if at + 1 < len(figures) else clause[1]]
    before = text[figures[at - 1] + 1 if at else clause[0] : place]
    if is_both:
        return behind if _self_or_total(behind) else before
    lead = text[clause[0] : figures[0]]
    return before if any(words(kind).search(lead) for kind in _OF_SINGLE_CALLS) else behind


def _self_or_total(text: str) -> tuple[str, ...]:
    own, total = words("SELF").search(text), words("TOTAL").search(text)
    if own and total:
        return ()
    return ("self",) if own else ("total",) if total else ()
