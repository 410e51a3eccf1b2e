"""Which remembered facts an answer goes by: those that it quotes, and those whose names, figures and most of whose
words stand in one of its paragraphs."""

import re
from collections.abc import Sequence

from server.agent.memory.memory_texts import anchors_of
from server.agent.memory.ranking import word_stems
from server.quoting import quoted

LONGEST = 5_000
MOST = 20

SHARED = 0.7
"""Of a fact's words, in one paragraph."""

FEWEST_WORDS = 2
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=[-*#|])")


def used_facts(answer: str, facts: Sequence[str]) -> list[str]:
    """The facts in their order."""
    if not facts:
        return []
    parts = [(part, set(word_stems(part)), set(anchors_of(part))) for part in _PARAGRAPH.split(answer)]
    return [fact for fact in facts if any(_goes_by(*part, fact) for part in parts)][:MOST]


def _goes_by(part: str, stems: set[str], anchors: set[str], fact: str) -> bool:
    if fact in part or quoted(fact, LONGEST) in part:
        return True
    words = set(word_stems(fact))
    needed = set(anchors_of(fact))
    return len(words) >= FEWEST_WORDS and needed <= anchors and len(words & stems) >= SHARED * len(words)
