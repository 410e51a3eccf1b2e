"""Of which function a figure of a sentence speaks, by clauses and order."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from server.agent.verification.statements.measure_binding import clauses, is_row
from server.agent.verification.statements.sentence_parts import (
    FIGURE,
    FIGURES,
    FUNCTION,
    FUNCTIONS,
    THREADS,
    Sentence,
    Subject,
)
from traces.lazy_regex import lazy_regex

_RESPECTIVELY = lazy_regex(
    r"\brespectively\b|\bbeziehungsweise\b|\bbzw\b|\brespectivement\b|\brespectivamente\b", re.IGNORECASE
)
FIRST = 6
"""`Of the total of f, 40% are in g`: where the base stands first."""
_THINGS = lazy_regex(f"{FUNCTIONS}|{FIGURES}")
_TURNS = lazy_regex(f"{THREADS}|{FIGURES}")
_BASE = lazy_regex(
    r"(?<!most )(?<!outside )(?<!hors )(?<!abgesehen )(?<!außerhalb )(?:of|von|de|du|d['’]|der|des)\s"
    r"(?:the |what |its |der |dem |le |la |l['’]|ce que |ce qu['’])?"
    r"(?:(?:total|time|cost|value|weight|gesamten |Zeit|Gesamtzeit|coût|temps|tiempo)\s"
    r"(?:of |von |de |in |spent in )?)?"
    rf"({FUNCTIONS})",
    re.IGNORECASE,
)
_DIRECT = lazy_regex(
    rf"({FIGURES})(?: \(({FIGURES})\))? (?:is |are |was |were )?(?:spent |counted |allocated )?(?:in|dans|en) "
    rf"({FUNCTIONS})",
    re.IGNORECASE,
)
_DOING = lazy_regex(
    rf"\b\w{{3,}}(?:ing|ung|ion|ment)\b[^.{FUNCTION}-{FIGURE}]{{0,40}} "
    r"(?:in|of|by|for|under|before|within|von|de|dans|für) (?:the )?$",
    re.IGNORECASE,
)
"""`Matching expressions in f takes 5 ms`: what takes it is not the function."""
_INSIDE = lazy_regex(
    r"^\W*(?:-|\*)*\s*(?:inside|within|in|below|under|beneath|innerhalb(?: von)?|unterhalb von|dans|sous|dentro de|en) "
    rf"{FUNCTIONS},? (?:\w+ing|the|a|an|die|der|das|ein|eine|le|la|les|un|une|el|los|las) ",
    re.IGNORECASE,
)
"""`Inside f, reading the file takes 5 ms`."""
_LEADS_IN = lazy_regex(r"\W*(?:with|at|in|after|for|by|mit|bei|nach|avec|à|en)\b", re.IGNORECASE)
_NO_BASE = lazy_regex(
    r"\b(?:calls?|callers?|share|median|p\d\d|self|part|time|value|cost|coût|anteil|aufrufe?|eigen\w*|appels?)"
    r"\s+(?:of|von|de|du)\s*$",
    re.IGNORECASE,
)


def subjects_of(sentence: Sentence) -> dict[int, tuple[Subject, bool]]:
    """For each figure of a sentence (its place among them) the function it is of, and whether that is sure."""
    text = sentence.template
    things = [(match.start(), match[0]) for match in _THINGS.finditer(text)]
    functions = [one for one in things if one[1] < FIGURE]
    figures = [one for one in things if one[1] >= FIGURE]
    if not functions:
        return {}
    if _RESPECTIVELY.search(text) and len(functions) == len(figures):
        pairs = zip(functions, figures, strict=True)
        return {_number(figure[1]): (sentence.function(function[1]), True) for function, figure in pairs}
    is_doing = _DOING.search(text[: functions[0][0]]) is not None or _INSIDE.match(text) is not None
    found: dict[int, tuple[Subject, bool]] = {}
    last: str | None = None
    lone = functions[0] if len({function[1] for function in functions}) == 1 or is_row(text) else None
    for start, end in clauses(sentence):
        here = [one for one in things if start <= one[0] < end]
        named = [one for one in here if one[1] < FIGURE]
        for at, figure in enumerate([one for one in here if one[1] >= FIGURE]):
            if lone is not None:
                character, is_sure = lone[1], lone[0] < end or _LEADS_IN.match(text[start:end]) is not None
            elif named:
                character, is_sure = _in_clause(here, named, figure, at)
                is_behind = named[0][0] > figure[0] and functions[0][0] < start
                is_sure = is_sure and not (is_behind and not _LEADS_IN.match(text[start:end]))
            else:
                character, is_sure = last or functions[0][1], last is not None and _is_apposition(text, start)
            is_sure = is_sure and not (is_doing and character == functions[0][1])
            found[_number(figure[1])] = sentence.function(character), is_sure
        last = named[-1][1] if named else last
    for match in _DIRECT.finditer(text):
        directly = {
            _number(figure): (sentence.function(match[3]), not is_doing) for figure in match.groups()[:2] if figure
        }
        found |= directly
    return found


def of_its_thread(sentence: Sentence, at: int) -> Sentence:
    """The sentence with the one thread that its `at`th figure is of, where figures and threads take turns: `4 ms on one
    and 2 s on the other`; else as it is."""
    named = [match[0] for match in _TURNS.finditer(sentence.template)]
    are_threads = [one < FIGURE for one in named]
    threads = [one for one in named if one < FIGURE]
    if len(set(threads)) < 2 or 2 * len(threads) != len(named) or any(a is b for a, b in pairwise(are_threads)):
        return sentence
    figures = [_number(one) for one in named if one >= FIGURE]
    return replace(sentence, threads=(sentence.thread(threads[figures.index(at)]),)) if at in figures else sentence


def _number(character: str) -> int:
    return ord(character) - ord(FIGURE)


def _in_clause(
    here: Sequence[tuple[int, str]], named: Sequence[tuple[int, str]], figure: tuple[int, str], at: int
) -> tuple[str, bool]:
    """Of the functions of a clause the one that a figure of it is of."""
    if len(named) == 1:
        return named[0][1], True
    if len(here) == 2 * len(named):
        return named[at][1], _alternate(here)
    before = [one for one in named if one[0] < figure[0]]
    return (before[-1] if before else named[0])[1], False


def _alternate(here: Sequence[tuple[int, str]]) -> bool:
    """Function, figure, function, figure; or the other way round."""
    kinds = [one[1] >= FIGURE for one in here]
    return all(one is not other for one, other in pairwise(kinds))


def _is_apposition(text: str, start: int) -> bool:
    """`f (12 ms)`: a bracket directly behind the function."""
    before = text[:start].rstrip()
    return before.endswith("(") and FUNCTION <= before[:-1].rstrip()[-1:] < FIGURE


def base_of(sentence: Sentence, at: int, subject: Subject) -> tuple[Subject, Subject] | None:
    """The function that a share is a part of, and whose share it is then: `40% of f are spent in g`."""
    text = sentence.template
    place = text.find(chr(ord(FIGURE) + at))
    start, end = next(((a, b) for a, b in clauses(sentence) if a <= place < b), (0, len(text)))
    part = text[start:end]
    is_first = False
    if len(set(re.findall(FUNCTIONS, part))) < 2:
        part, is_first = text, True
    for match in _BASE.finditer(part):
        if is_first and match.start() > FIRST:
            break
        base = sentence.function(match[1])
        if _NO_BASE.search(part[: match.start(1)]) and base == subject:
            continue
        others = [sentence.function(one) for one in re.findall(FUNCTIONS, part) if one != match[1]]
        if others and base.numbers != others[0].numbers:
            return base, subject if subject in others else others[0]
    return None
