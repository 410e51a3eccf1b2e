"""Whether a sentence says of functions that they wait, which their names do not show."""

from collections.abc import Iterable

from server.agent.verification.statements.measure_binding import clauses
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.sentence_parts import Sentence
from traces.analysis.waiting_names import waits
from traces.insights.patterns import PATTERNS
from traces.model import Trace
from traces.values import Waits

NO_WAIT = "nothing shows that it waits"
"""How a figure stays unchecked whose sentence says waiting of what does not wait by its name."""


def clause_at(sentence: Sentence, where: int) -> str:
    """The clause around a place of the sentence's template."""
    return next((sentence.template[a:b] for a, b in clauses(sentence) if a <= where < b), sentence.template)


def says_it_waits(trace: Trace, sentence: Sentence, where: int, frames: Iterable[int]) -> bool:
    """Whether the clause speaks of waiting while none of the functions waits by its name."""
    if words("WAITING").search(clause_at(sentence, where)) is None:
        return False
    if all(one.waits is Waits.WAITING for one in trace.profiles):
        return False  # it measures nothing else
    names = [(trace.frame_name(one), trace.frame_file(one) or "") for one in frames]
    return not any(waits(name) or PATTERNS["locks"].matches(name, file) for name, file in names)
