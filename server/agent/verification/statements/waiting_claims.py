"""Whether a sentence says of functions that they wait, which their names do not show."""

from collections.abc import Iterable

from server.agent.verification.statements.measure_binding import clauses
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.sentence_parts import Sentence
from traces.analysis.waiting_names import waits
from traces.model import Trace

NO_WAIT = "nothing shows that it waits"
"""How a figure stays unchecked whose sentence says waiting of what does not wait by its name."""


def clause_at(sentence: Sentence, where: int) -> str:
    """The clause around a place of the sentence's template."""
    return next((sentence.template[a:b] for a, b in clauses(sentence) if a <= where < b), sentence.template)


def says_it_waits(trace: Trace, sentence: Sentence, where: int, frames: Iterable[int]) -> bool:
    """Whether the clause speaks of waiting while none of the functions waits by its name."""
    is_waiting = words("WAITING").search(clause_at(sentence, where)) is not None
    return is_waiting and not any(waits(trace.frame_name(one)) for one in frames)
