"""Figures of an answer that come from outside: marked as such, never verified by a trace that happens to have the same
number.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from langchain_core.messages import AnyMessage, ToolMessage

from server.agent.outside.outside_text import is_outside, source_of
from server.agent.verification.written_numbers import Mention, mentions
from server.protocol.wire_values import Check

FIGURES = frozenset({"number", "percentage", "ratio", "count", "window"})
MOST_FIGURES = 5_000
"""Of one result that are compared."""

_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")


@dataclass(frozen=True, slots=True)
class OutsideResult:
    """What one call outside returned: its source, and the figures that are written there."""

    call: str
    source: str
    figures: tuple[Mention, ...]

    def has(self, claimed: Sequence[Mention]) -> bool:
        """Whether one of them is written there, as exactly as it is claimed."""
        return any(
            one.dimension == other.dimension and abs(one.value - other.value) <= max(one.half_digit, other.half_digit)
            for one in claimed
            for other in self.figures
        )


def outside_results(messages: Sequence[AnyMessage]) -> list[OutsideResult]:
    """Those of a conversation, the newest first."""
    return [
        OutsideResult(
            message.tool_call_id,
            source_of(message.text),
            tuple(islice(mentions(message.text.partition("\n")[2]), MOST_FIGURES)),
        )
        for message in reversed(messages)
        if isinstance(message, ToolMessage) and is_outside(message.text)
    ]


def of_outside(answer: str, checks: Iterable[Check], results: Sequence[OutsideResult]) -> list[Check]:
    """The checks; a figure that is written in an outside result is `external` where its sentence names the source, and
    where the trace does not bear it out. One with an address is the trace's own."""
    return [_marked(answer, check, results) for check in checks]


def _marked(answer: str, check: Check, results: Sequence[OutsideResult]) -> Check:
    if check.kind not in FIGURES or check.address is not None or not results:
        return check
    claimed, sentence = list(mentions(check.claim)), _sentence(answer, check).lower()
    is_proven = check.status in ("verified", "derived")
    for result in results:
        if result.has(claimed) and (not is_proven or result.source.lower() in sentence):
            how = f"{result.source} has it; the trace does not say it"
            return check.model_copy(
                update={"status": "external", "how": how, "actual": None, "tool_call_id": result.call}
            )
    return check


def _sentence(answer: str, check: Check) -> str:
    before = [found.end() for found in _SENTENCE_END.finditer(answer, 0, check.start)]
    after = _SENTENCE_END.search(answer, check.end)
    return answer[before[-1] if before else 0 : after.start() if after else len(answer)]
