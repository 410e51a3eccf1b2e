"""What a sentence says of this recording by the one before: `f is not in the earlier recording`, `its share fell`, `the
new run takes twice as long`. Decided by the comparison that a tool made; open where none was."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from server.agent.verification.facts import Compared, Facts
from server.agent.verification.readings.cue_words import cue
from server.agent.verification.statements.agreement import ABOUT, NOT_ABOUT
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FIGURE, FIGURES, Sentence, Subject
from server.agent.verification.verdicts import UNCHECKED, Verification
from traces.analysis.units import format_share

CHANGED = 0.02
"""Part of the larger value from which on two are not the same."""
_OF_SHARES = re.compile(
    r"\b(?:shares?|proportion|percentage|part of|Anteil\w*|Prozentsatz|parts?|proportion|pourcentage|proporción|"
    r"porcentaje|participación|peso relativo)\b",
    re.IGNORECASE,
)
_FROM_NOTHING = re.compile(
    r"\b(?:from (?:nothing|zero|0\b)|aus dem Nichts|von (?:null|nichts|0\b)|de (?:rien|zéro|0\b)|de (?:cero|nada|0\b)|"
    r"out of nowhere)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class EarlierRecordings:
    """Reads the sentences of answers about one trace, the one after."""

    measures: Measures
    facts: Facts

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        text = sentence.template
        if words("HYPOTHETICAL").search(text) or sentence.window or not self._speaks_of_before(text):
            return
        compared = self.facts.comparisons[-1] if self.facts.comparisons else None
        named = list({one.numbers: one for one in sentence.functions}.values())
        if len(named) == 1:
            yield from self._there(sentence, named[0], compared)
            yield from self._direction(sentence, named[0], compared)
        elif not named and not sentence.threads:
            yield from self._in_all(sentence, compared)

    def _speaks_of_before(self, text: str) -> bool:
        """Of another recording; of what is new only where two were compared."""
        return cue("BEFORE_THIS").search(text) is not None or bool(self.facts.comparisons)

    def _there(self, sentence: Sentence, one: Subject, compared: Compared | None) -> Iterator[Reading]:
        """Whether a function is new: in this recording, and not in the one before."""
        text = sentence.template
        absent = cue("WAS_NOT_THERE").search(text) if cue("BEFORE_THIS").search(text) else None
        match = absent or (cue("IS_NEW").search(text) if compared else None)
        if match is None:
            return
        status = self._status(one, compared)
        verdict = UNCHECKED
        if status == "new":
            verdict = Verification("verified", how="it is not in the recording before")
        elif status is not None:
            verdict = Verification("contradicted", actual="it is in the recording before, too")
        yield Reading(match.start(), match.end(), verdict, is_first=True)

    def _status(self, one: Subject, compared: Compared | None) -> str | None:
        names = {self.measures.trace.frame_name(frame) for frame in one.numbers}
        rows = compared.rows if compared is not None and compared.is_related else ()
        found = {status for name, status, _ in rows if name in names}
        return found.pop() if len(found) == 1 else None

    def _direction(self, sentence: Sentence, one: Subject, compared: Compared | None) -> Iterator[Reading]:
        """`F grew`, `its share fell`: by what it takes itself and with callees, as a value and as a share."""
        text = sentence.template
        up, down = cue("GREW").search(text), cue("SHRANK").search(text)
        match = (up or down) if cue("BEFORE_THIS").search(text) else None
        if compared is None or match is None or (up and down) or words("NEGATED").search(text):
            return
        if not compared.is_related:
            wrong = Verification("contradicted", actual="the recordings compared are not of one program")
            yield Reading(match.start(), match.end(), wrong)
            return
        status = self._status(one, compared)
        sides = next((side for name, side in compared.sides.items() if name in self._names(one)), None)
        if status is None or sides is None:
            yield Reading(match.start(), match.end(), UNCHECKED)
            return
        signs, shown = self._signs(text, *sides)
        if status == "new" and up and not _FROM_NOTHING.search(text):
            yield Reading(match.start(), match.end(), UNCHECKED)
        elif signs == {up is not None}:
            yield Reading(match.start(), match.end(), Verification("verified", how=shown))
        elif signs and (up is not None) not in signs:
            yield Reading(match.start(), match.end(), Verification("contradicted", actual=shown))
        else:
            yield Reading(match.start(), match.end(), UNCHECKED)

    def _names(self, one: Subject) -> set[str]:
        return {self.measures.trace.frame_name(frame) for frame in one.numbers}

    def _signs(self, text: str, before: Mapping[str, float], after: Mapping[str, float]) -> tuple[set[bool], str]:
        """Whether it is more now, by each value that the words allow; those that hardly changed say nothing."""
        own, total = words("SELF").search(text), words("TOTAL").search(text)
        kinds = ["self"] if own and not total else ["total"] if total and not own else ["self", "total"]
        whats = ["share"] if _OF_SHARES.search(text) else ["value", "share"]
        signs, shown = set(), []
        for kind in kinds:
            for what in whats:
                old, new = before.get(f"{kind}_{what}", 0.0), after.get(f"{kind}_{what}", 0.0)
                if abs(new - old) > CHANGED * max(old, new):
                    signs.add(new > old)
                if what == "share" and (old or new):
                    shown.append(f"{kind} {format_share(old)} before, {format_share(new)} after")
        return signs, "; ".join(dict.fromkeys(shown))

    def _in_all(self, sentence: Sentence, compared: Compared | None) -> Iterator[Reading]:
        """`The new recording takes twice as long as the one before`."""
        match = cue("AS_LONG_AS_BEFORE").search(sentence.template)
        if match is None:
            return
        figures = [sentence.figure(one) for one in re.findall(FIGURES, match[0])]
        ratios = [one for one in figures if one.kind == "ratio"]
        if compared is None or not all(compared.totals) or len(ratios) != len(figures) or len(ratios) > 1:
            yield Reading(match.start(), match.end(), UNCHECKED)
            return
        ratio = compared.totals[1] / compared.totals[0]
        shown = f"{ratio:.3g} times what was measured before"
        at = frozenset(ord(one) - ord(FIGURE) for one in re.findall(FIGURES, match[0]))
        if ratios:
            value = ratios[0].mentions[0].value
            if ratios[0].bound in ("over", "under"):
                is_so = (ratio > value) is (ratios[0].bound == "over")
            else:
                is_so = abs(ratio - value) <= ABOUT * value
            is_open = not is_so and abs(ratio - value) <= NOT_ABOUT * value
        else:
            is_less = words("SMALLER").search(match[0]) is not None
            is_so, is_open = (ratio < 1) is is_less, abs(ratio - 1) <= CHANGED
        verdict = Verification("derived", how=shown) if is_so else Verification("contradicted", actual=shown)
        yield Reading(match.start(), match.end(), UNCHECKED if is_open else verdict, at, is_first=True)
