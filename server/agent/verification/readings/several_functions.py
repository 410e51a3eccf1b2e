"""What a sentence says of several functions at once: `f and g call themselves`, `f runs first, then g, and h last`."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from server.agent.verification.readings.cue_words import cue
from server.agent.verification.readings.time_order import TimeOrder
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FUNCTIONS, Sentence, Subject
from server.agent.verification.statements.stack_relations import StackRelations
from server.agent.verification.verdicts import UNCHECKED, Verification
from traces.lazy_regex import lazy_regex

_ASIDE = r"(?: ?\([^()]{1,60}\)| (?:with|mit|avec|con|at|bei|à) [^,;.()]{1,24})?"
_WORDS = (
    "and|then|und|dann|danach|sowie|et|puis|ensuite|y|e|luego|después|plus|finally|lastly|last|at last|zuletzt|"
    "schließlich|enfin|finalmente|por último"
)
_NEXT = rf"(?:[,;](?: (?:{_WORDS}))*|(?: (?:{_WORDS}))+)"
FUNCTION_LIST = rf"{FUNCTIONS}{_ASIDE}(?:{_NEXT} {FUNCTIONS}{_ASIDE})+"
"""Two functions or more, each with a figure behind it or not."""
_LIST = lazy_regex(FUNCTION_LIST, re.IGNORECASE)
_FIRST_OF_ALL = lazy_regex(
    rf"(?:{FUNCTIONS}[^.;{FUNCTIONS[1:-1]}]{{0,30}}\b(?:first|zuerst|d['’]abord|en premier|primero|en primer lugar)\b"
    rf"|\b(?:first|zuerst|d['’]abord|en premier|primero)\b[^.;{FUNCTIONS[1:-1]}]{{0,30}}{FUNCTIONS})",
    re.IGNORECASE,
)
_THEN = lazy_regex(
    r"\b(?:then|next|afterwards|followed by|last|finally|dann|danach|anschließend|zuletzt|gefolgt von|puis|ensuite|"
    r"enfin|suivie? (?:de|par)|luego|después|seguid[oa] (?:de|por)|finalmente|por último)\b",
    re.IGNORECASE,
)
_RUNS = lazy_regex(
    r"\b(?:runs?|ran|starts?|started|begins?|began|executes?|executed|called|läuft|laufen|startet|starten|beginnt|beginnen|"
    r"ausgeführt|aufgerufen|s['’]exécute\w*|commence\w*|démarre\w*|appelée?s?|se ejecuta\w*|empieza\w*|comienza\w*|"
    r"corren?|llamad[oa]s?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SeveralFunctions:
    """Reads the sentences of answers about one trace."""

    measures: Measures
    stacks: StackRelations

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        text = sentence.template
        if len({one.numbers for one in sentence.functions}) < 2 or words("HYPOTHETICAL").search(text):
            return
        yield from self._recursive(sentence)
        yield from self._in_time(sentence)

    def _recursive(self, sentence: Sentence) -> Iterator[Reading]:
        """`F and g call themselves; h does not`: each of them, or it is not so."""
        text = sentence.template
        for match in cue("RECURSIVE_ALL").finditer(text):
            listed = [one for one in _LIST.finditer(text, 0, match.start()) if match.start() - one.end() < 12]
            if not listed or words("NEGATED").search(text, listed[-1].end(), match.end()):
                continue
            named = functions_of_list(sentence, listed[-1][0])
            wrong = [one for one in named if not self.stacks.is_recursive(one.numbers)]
            verdict = Verification("verified", how="each calls itself")
            if wrong:
                verdict = Verification("contradicted", actual=f"{wrong[0].text[:60]} is never below itself")
            yield Reading(listed[-1].start(), match.end(), verdict)
            for other in cue("RECURSIVE_NOT").finditer(text, match.end()):
                is_so = self.stacks.is_recursive(sentence.function(other["a"]).numbers)
                yield Reading(
                    other.start(),
                    other.end(),
                    Verification("contradicted", actual="it calls itself")
                    if is_so
                    else Verification("verified", how="it is never below itself"),
                )

    def _in_time(self, sentence: Sentence) -> Iterator[Reading]:
        """`F runs first, then g, and h last`: by when each first begins."""
        text = sentence.template
        in_turn = cue("ONE_AFTER_ANOTHER").search(text)
        is_in_order = _FIRST_OF_ALL.search(text) and _THEN.search(text) and _RUNS.search(text)
        is_of_value = cue("TOP").search(text) or cue("LARGEST").search(text) or sentence.figures or sentence.window
        named = list({one.numbers: one for one in sentence.functions}.values())
        if not (in_turn or is_in_order) or is_of_value or words("NEGATED").search(text) or len(named) < 2:
            return
        first = text.find(next(one for one in text if re.match(FUNCTIONS, one)))
        place = (first, len(text.rstrip()))
        order = TimeOrder(self.measures)
        extents = [order.extent(one) for one in named]
        known = [one for one in extents if one is not None]
        if len(known) < len(extents) or (in_turn and not is_in_order and not _THEN.search(text)):
            yield Reading(*place, UNCHECKED)
            return
        for (a, one), (b, other) in pairwise(zip(named, known, strict=True)):
            if other[0] < one[0]:
                wrong = f"{b.text[:50]} begins before {a.text[:50]}"
                yield Reading(*place, Verification("contradicted", actual=wrong))
                return
        apart = all(other[0] >= one[1] - _A_PART * (one[1] - one[0]) for one, other in pairwise(known))
        is_so = not in_turn or (apart and not any(one[1] == math.inf for one in known[:-1]))
        yield Reading(*place, Verification("verified", how="they begin in this order") if is_so else UNCHECKED)


_A_PART = 0.01
"""So little may overlap of what runs one after the other."""


def functions_of_list(sentence: Sentence, said: str) -> list[Subject]:
    """Those of a piece of a sentence's template, in order, each once."""
    named = [sentence.function(one) for one in re.findall(FUNCTIONS, said)]
    return list({one.numbers: one for one in named}.values())
