"""Rules that make a comparison of two groups of recordings of words: "main against feature-x", "what changed between
4.0 and 4.1".
"""

import re

from server.agent.questions.question_schema import Comparison, Runs
from server.agent.questions.spoken_questions import named_figure, named_function
from server.ports.history import KnownRuns
from traces.lazy_regex import lazy_regex


def _label(group: str) -> str:
    return rf"(?:(?:the )?(?:branch|release|commit|version) )?`?(?P<{group}>[\w./+-]{{1,60}})`?"


_BEFORE, _AFTER = _label("before"), _label("after")
_GREW = (
    r"(?:has |have |is |are |was |were )?(?:chang\w+|different|differs?|regress\w*|"
    r"(?:(?:got|gotten|gets?|became|become|grew|grown|takes?|took) )?"
    r"(?:slower|faster|heavier|worse|better|more|less|longer))"
)
_FUNCTIONS = r"(?:what|which (?:functions?|methods?|code|parts?|ones?))"
_FORMS = tuple(
    lazy_regex(form, re.IGNORECASE)
    for form in (
        rf"^{_FUNCTIONS} {_GREW} (?:between {_BEFORE} and|from {_BEFORE.replace('before', 'earlier')} to) {_AFTER}$",
        rf"^{_FUNCTIONS} {_GREW} in {_AFTER} (?:than|against|versus|vs\.?|compared (?:to|with)) (?:in )?{_BEFORE}$",
        (
            rf"^(?:is|was|has|does|did) (?P<rest>`?[^\s`]+`?) (?:got(?:ten)? |become |take |cost )?"
            rf"(?:slower|faster|heavier|larger|smaller|longer|more|less) (?:in|on|at|for|with) {_AFTER} "
            rf"than (?:(?:in|on|at|for|with) )?{_BEFORE}$"
        ),
        (
            rf"^(?:please )?(?:compare |how (?:does|do|is) |is )?{_AFTER} (?:against|vs\.?|versus|compared (?:to|with)|"
            rf"with|to|slower than|faster than) {_BEFORE}(?P<rest>(?: .*)?)$"
        ),
    )
)
_OF_LABELS = lazy_regex(r"\b(?:branch|release|commit|version|environment|scenario)\b", re.IGNORECASE)
_LIKE_A_LABEL = lazy_regex(
    r"(?:main|master|trunk|develop|staging|production|baseline|nightly)$|v?\d+(?:\.\d+)+$|(?=.*\d)[0-9a-f]{7,40}$|"
    r"(?:feature|feat|fix|hotfix|bugfix|release|perf)[/-]",
    re.IGNORECASE,
)
_FILE = lazy_regex(r"\.[a-z][a-z0-9]{1,11}$", re.IGNORECASE)


def may_compare_labels(prompt: str) -> bool:
    """Whether a prompt sets two names against each other that look like branches, releases or commits."""
    found = _named(prompt)
    if found is None:
        return False
    before, after, _ = found
    return not any(map(_FILE.search, (before, after))) and (
        _OF_LABELS.search(prompt) is not None or any(map(_LIKE_A_LABEL.match, (before, after)))
    )


def spoken_comparison(prompt: str, known: KnownRuns, program: str | None = None) -> Comparison | None:
    """The two groups that a prompt sets against each other, by what it names; all functions where it names nothing.
    None where the names are no values of one label."""
    found = _named(prompt)
    if found is None:
        return None
    before, after = (_label_of(name, known) for name in found[:2])
    if after is None or before is None or after[0] != before[0]:
        return None
    measure = named_function(found[2], known) or named_figure(found[2])
    old, new = (Runs(program=program, labels=dict([label])) for label in (before, after))
    return Comparison(form="compare", measure=measure, before=old, after=new)


def _named(prompt: str) -> tuple[str, str, str] | None:
    """The names before and after, and what stands behind them."""
    text = " ".join(prompt.split()).rstrip("?.! ")
    if len(text) > 400:
        return None
    for form in _FORMS:
        if (found := form.match(text)) is not None:
            parts = found.groupdict()
            return parts["before"] or parts["earlier"], parts["after"], parts.get("rest") or ""
    return None


def _label_of(value: str, known: KnownRuns) -> tuple[str, str] | None:
    for key, values in known.labels.items():
        for one in values:
            if one.casefold() == value.casefold():
                return key, one
    return None
