"""Facts that a prompt states in passing and that will hold tomorrow: a limit, what somebody owns, a version, where the
program runs, what always or never happens. By rule; most prompts hold none.
"""

import re

from server.analyst.forms import forms

_FORMS = forms("lasting_facts")

LONGEST = 200
"""Characters of a fact: what is longer is a story."""
FEWEST_WORDS = 3

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+|;\s+")


def lasting_facts(prompt: str) -> tuple[str, ...]:
    """The facts that a prompt states, in its own words, each once and in order. None of a prompt that orders something
    of a machine: what is to be remembered is said at its beginning, and anywhere else it may be pasted.
    """
    if _FORMS.to_a_machine.search(prompt) or _FORMS.of_answers.search(prompt):
        return ()
    found: dict[str, None] = {}
    for sentence in _SENTENCE.split(prompt):
        for clause in _clauses(sentence):
            if (fact := _fact(clause)) is not None:
                found[fact] = None
    return tuple(found)


def _clauses(sentence: str) -> list[str]:
    """A sentence in parts, of which one may ask and another state."""
    parts = [part.strip() for part in _FORMS.clause.split(sentence) if part.strip()]
    reasons = [found[1] for part in parts if _FORMS.asks.search(part) and (found := _FORMS.reason.search(part))]
    return [*parts, *reasons]


def _fact(clause: str) -> str | None:
    """The clause without what leads to it, if it states something lasting; None for a question or a remark."""
    text = _FORMS.tail.sub("", _FORMS.leads.sub("", clause.strip())).strip()
    if len(text) > LONGEST or (len(text.split()) < FEWEST_WORDS and text.isascii()):
        return None
    if (
        _FORMS.asks.search(clause.strip())
        or _FORMS.asks.search(text)
        or _FORMS.about_here.search(text)
        or _FORMS.sql.search(text)
    ):
        return None
    return text if _is_rule(text) or _is_state(text) else None


def _is_rule(text: str) -> bool:
    """A limit, or what happens beyond a figure."""
    if _FORMS.figure.search(text) is None:
        return False
    return _FORMS.rule.search(text) is not None or (
        _FORMS.bound.search(text) is not None and _FORMS.follows.search(text) is not None
    )


def _is_state(text: str) -> bool:
    """Whose something is, how it is called, made or used: no trouble, nothing that happened once, no wish, no
    measurement."""
    if _FORMS.owner.search(text) or _FORMS.noise.search(text) or _FORMS.naming.search(text):
        return True
    if _FORMS.trouble.search(text) or _FORMS.measured.search(text) or _FORMS.wishes.search(text):
        return False
    if _FORMS.state_change.search(text):
        return True
    if _FORMS.past.search(text):
        return False
    if _FORMS.ours_elsewhere.search(text) or _FORMS.habit.search(text) or _FORMS.made_with.search(text):
        return True
    states = _FORMS.has_verb.search(text) is not None or not text.isascii()
    return states and (_FORMS.ours.search(text) is not None or _FORMS.place.search(text) is not None)
