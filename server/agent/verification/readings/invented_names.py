"""Functions that no trace of this program has: what a sentence says that they take is not so."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from server.agent.verification.readings.cue_words import cue
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FIGURES, UNKNOWN, UNKNOWNS, Sentence
from server.agent.verification.verdicts import Verification

_CODE = re.compile(r"[A-Za-z]\w*(?:_\w+|[a-z][A-Z]\w*)(?:\(\))?|\w{3,}\(\)")
MANY = 200_000
"""Functions of a trace whose names are looked through."""


@dataclass(frozen=True)
class InventedNames:
    """Reads the sentences of answers about one trace."""

    measures: Measures

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        """Where a sentence has a figure of a function whose name stands nowhere in the trace."""
        text = sentence.template
        is_open = any(words(kind).search(text) for kind in ("HYPOTHETICAL", "ADVICE", "NEGATED"))
        if not sentence.unknown or is_open or len(self.measures.trace.frames) > MANY:
            return
        for match in re.finditer(rf"{UNKNOWNS}[^.;]{{0,80}}?({FIGURES})", text):
            one = sentence.unknown[ord(match[0][0]) - ord(UNKNOWN)]
            written = one.text.strip("`").removesuffix("()")
            bare = re.split(r"\.|::|->|/", written)[-1].casefold()
            if not _CODE.fullmatch(one.text.strip("`").rpartition(".")[2]) or bare in self._everything:
                continue
            if cue("MEASURED").search(match[0]) or re.match(rf"{UNKNOWNS} ?\({FIGURES}", match[0]):
                actual = "no function of the trace has this name"
                yield Reading(match.start(), match.start() + 1, Verification("contradicted", actual=actual))

    @cached_property
    def _everything(self) -> str:
        trace = self.measures.trace
        named = [*trace.frame_names, *self.measures.files, *(one.name for one in trace.profiles)]
        return "\n".join(named).casefold()
