"""Facts that a prompt states in passing and that will hold tomorrow: a limit, what somebody owns, a version, where the
program runs, what always or never happens. By rule; most prompts hold none.
"""

import re

from server.analyst.lasting_cues import (
    ABOUT_HERE,
    ASKS,
    BOUND,
    FIGURE,
    FOLLOWS,
    HABIT,
    HAS_VERB,
    LEADS,
    MADE_WITH,
    MEASURED,
    NAMING,
    NOISE,
    OF_ANSWERS,
    OURS,
    OURS_ELSEWHERE,
    OWNER,
    PAST,
    PLACE,
    RULE,
    SQL,
    STATE_CHANGE,
    TAIL,
    TO_A_MACHINE,
    TROUBLE,
    WISHES,
)

LONGEST = 200
"""Characters of a fact: what is longer is a story."""
FEWEST_WORDS = 3

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+|;\s+")
_CLAUSE = re.compile(
    r",\s+(?=(?:so|what|which|who|where|how|is|are|does|do|did|why|give|show|there|hot|compare|please|can|could|would)"
    r"\b)|\.\s+|\bby the way,?\s+|\bbtw,?\s+|,\s+(?=(?:was|wo|woran|warum|qu'|que|où|dónde)\b)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"[,;]\s+((?:because |since |as )?(?:we|our|i|my)\b(?!.*\b(?:it|them|that|this)\b).*)$", re.IGNORECASE
)
"""Of a request, why it is made, where that stands by itself: `show the top five, our limit is 9 ms`."""


def lasting_facts(prompt: str) -> tuple[str, ...]:
    """The facts that a prompt states, in its own words, each once and in order. None of a prompt that orders something
    of a machine: what is to be remembered is said at its beginning, and anywhere else it may be pasted.
    """
    if TO_A_MACHINE.search(prompt) or OF_ANSWERS.search(prompt):
        return ()
    found: dict[str, None] = {}
    for sentence in _SENTENCE.split(prompt):
        for clause in _clauses(sentence):
            if (fact := _fact(clause)) is not None:
                found[fact] = None
    return tuple(found)


def _clauses(sentence: str) -> list[str]:
    """A sentence in parts, of which one may ask and another state."""
    parts = [part.strip() for part in _CLAUSE.split(sentence) if part.strip()]
    reasons = [found[1] for part in parts if ASKS.search(part) and (found := _REASON.search(part))]
    return [*parts, *reasons]


def _fact(clause: str) -> str | None:
    """The clause without what leads to it, if it states something lasting; None for a question or a remark."""
    text = TAIL.sub("", LEADS.sub("", clause.strip())).strip()
    if len(text) > LONGEST or (len(text.split()) < FEWEST_WORDS and text.isascii()):
        return None
    if ASKS.search(clause.strip()) or ASKS.search(text) or ABOUT_HERE.search(text) or SQL.search(text):
        return None
    return text if _is_rule(text) or _is_state(text) else None


def _is_rule(text: str) -> bool:
    """A limit, or what happens beyond a figure."""
    if FIGURE.search(text) is None:
        return False
    return RULE.search(text) is not None or (BOUND.search(text) is not None and FOLLOWS.search(text) is not None)


def _is_state(text: str) -> bool:
    """Whose something is, how it is called, made or used: no trouble, nothing that happened once, no wish, no
    measurement."""
    if OWNER.search(text) or NOISE.search(text) or NAMING.search(text):
        return True
    if TROUBLE.search(text) or MEASURED.search(text) or WISHES.search(text):
        return False
    if STATE_CHANGE.search(text):
        return True
    if PAST.search(text):
        return False
    if OURS_ELSEWHERE.search(text) or HABIT.search(text) or MADE_WITH.search(text):
        return True
    states = HAS_VERB.search(text) is not None or not text.isascii()
    return states and (OURS.search(text) is not None or PLACE.search(text) is not None)
