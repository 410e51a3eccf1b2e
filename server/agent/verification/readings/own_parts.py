"""How much functions take themselves, and several of them together, in words: `f does nearly all of its work itself`,
`f and g together make up most of the recording`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from server.agent.verification.readings.cue_words import Cue, cue
from server.agent.verification.readings.origins import amount_of
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FUNCTIONS, Sentence
from server.agent.verification.statements.shared_figures import scopes_of
from server.agent.verification.verdicts import UNCHECKED, Verification
from traces.lazy_regex import lazy_regex

_OWN: tuple[tuple[Cue, bool], ...] = (("OWN_WORK", True), ("NOT_OWN_WORK", False))
NEARLY_ALL, NOT_NEARLY = 0.85, 0.7
HARDLY, NOT_HARDLY = 0.15, 0.3
"""Parts of a total from which on it is nearly all its own, or up to which it hardly is; and where neither is so."""


@dataclass(frozen=True)
class OwnParts:
    """Reads the sentences of answers about one trace."""

    measures: Measures

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        text = sentence.template
        several = {one.numbers for one in sentence.functions}
        if not several or words("HYPOTHETICAL").search(text) or any(one.is_one_place for one in sentence.functions):
            return
        yield from self._itself(sentence)
        if len(several) > 1:
            yield from self._together(sentence)

    def _itself(self, sentence: Sentence) -> Iterator[Reading]:
        """`F does nearly all of its work itself`, `f hardly does any work of its own`: self by total."""
        text = sentence.template
        for name, is_own in _OWN:
            match = cue(name).search(text)
            if match is None:
                continue
            start = max((end.end() for end in _CLAUSE.finditer(text, 0, match.start())), default=0)
            stop = next((end.start() for end in _CLAUSE.finditer(text, match.end())), len(text))
            named = {one.numbers: one for one in map(sentence.function, re.findall(FUNCTIONS, text[start:stop]))}
            if not named and start:
                named = {one.numbers: one for one in map(sentence.function, re.findall(FUNCTIONS, text[:start]))}
            if len(named) != 1:
                continue
            frames = next(iter(named))
            parts = []
            for scope in scopes_of(self.measures, sentence):
                own, total = scope.under(None, frames)
                parts += [own / total] if total > 0 else []
            shown = " or ".join(dict.fromkeys(f"{100 * one:.1f}% of it is its own" for one in parts))
            least, wrong = (NEARLY_ALL, NOT_NEARLY) if is_own else (1 - HARDLY, 1 - NOT_HARDLY)
            found = parts if is_own else [1 - one for one in parts]
            if found and min(found) >= least:
                yield Reading(match.start(), match.end(), Verification("derived", how=shown))
            elif found and max(found) <= wrong:
                yield Reading(match.start(), match.end(), Verification("contradicted", actual=shown))
            elif found:
                yield Reading(match.start(), match.end(), UNCHECKED)
            return

    def _together(self, sentence: Sentence) -> Iterator[Reading]:
        """`Added up, f and g are nearly everything`: as a part of what was recorded, nested once."""
        text = sentence.template
        said = words("TOGETHER").search(text)
        last = max(match.end() for match in re.finditer(FUNCTIONS, text))
        amount = amount_of(sentence, 0, len(text))
        of_all = _OF_ALL.search(text)
        if (
            said is None
            or amount is None
            or amount.figures
            or of_all is None
            or amount.start < min(last, said.end()) - 80
        ):
            return
        if amount.name in ("ALL", "NONE") or words("NEGATED").search(text):
            return
        frames = tuple({frame for one in sentence.functions for frame in one.numbers})
        shares = []
        for scope in scopes_of(self.measures, sentence):
            own, total = scope.under(None, frames)
            if scope.total:
                shares += [own / scope.total] if words("SELF").search(text) else [total / scope.total]
        shown = " or ".join(dict.fromkeys(f"together {100 * one:.1f}%" for one in shares))
        place = (amount.start, amount.end)
        if any(amount.has(one) for one in shares):
            yield Reading(*place, Verification("derived", how=shown), others=(of_all.span(),))
        elif shares and not any(amount.is_near(one) for one in shares):
            yield Reading(*place, Verification("contradicted", actual=shown), others=(of_all.span(),))


_CLAUSE = lazy_regex(
    r"[.;:](?=\s|$)|\s[–—]\s|\b(?:but|while|whereas|aber|während|mais|tandis que|pero|mientras)\b", re.IGNORECASE
)
_OF_ALL = lazy_regex(
    r"\b(?:recording|trace|profile|run ?time|run|program|time|everything|total|whole|samples|memory|cost|"
    r"Aufnahme|Aufzeichnung|Laufzeit|Zeit|Ganzen?|alles|Programms?|Kosten|enregistrement|temps|total|tout|programme|coût|"
    r"grabación|tiempo|total|todo|programa|coste|costo)\b",
    re.IGNORECASE,
)
