"""Claims within what an answer quotes of people: remembered facts, and their own earlier words. The trace says nothing
of those, for or against them.
"""

from collections.abc import Iterable, Sequence

from server.protocol.wire_values import Check
from server.quoting import quoted

HOW = "people said so, and this trace does not verify it"
LONGEST = 5_000


def of_people(answer: str, checks: Iterable[Check], said: Sequence[str]) -> list[Check]:
    """The checks; a claim within a quotation of what people said is unchecked, whatever the trace has by chance."""
    places = [place for one in dict.fromkeys(said) for place in _places(answer, quoted(one, LONGEST))]
    return [
        check.model_copy(update={"status": "unchecked", "how": HOW, "actual": None, "tool_call_id": None})
        if any(start <= check.start and check.end <= end for start, end in places)
        else check
        for check in checks
    ]


def _places(answer: str, text: str) -> list[tuple[int, int]]:
    found, at = [], answer.find(text)
    while at >= 0:
        found.append((at, at + len(text)))
        at = answer.find(text, at + len(text))
    return found
