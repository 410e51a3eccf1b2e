"""Which of two recordings is the later one, and whether a prompt is about the other alone."""

import re
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.forms import forms
from server.analyst.question import Question
from traces.lazy_regex import lazy_regex

_FORMS = forms("comparisons")

_NEWER = lazy_regex(
    r"(?:^|[-_. ])(?:new|after|fix(?:ed)?|fast(?:er)?|kept|second|patched|head|optimi[sz]ed|improved|v?2)(?:[-_. ]|$)",
    re.IGNORECASE,
)
_OLDER = lazy_regex(
    r"(?:^|[-_. ])(?:old|slow(?:er)?|first|before|base(?:line)?|prev(?:ious)?|orig(?:inal)?|v?1)(?:[-_. ]|$)",
    re.IGNORECASE,
)
_WORD = lazy_regex(r"[^\W_]{3,}")
ENDINGS = lazy_regex(r"(?:\.(?:gz|zst|pb|prof|pstats|json|jfr|cpuprofile|heapprofile|txt|out|perf|html|svg|trace))+$")
LIKE = {
    "new": ("new", "newer", "after", "fixed", "fast", "faster", "kept", "now", "second", "v2"),
    "old": ("old", "older", "before", "base", "baseline", "slow", "slower", "first", "orig", "v1"),
}
_OPPOSITE = {"grew": "shrank", "shrank": "grew", "new": "vanished", "vanished": "new"}


def is_newer(other: dict[str, Any] | None, evidence: Evidence) -> bool:
    """Whether the other recording is the later one, by what the two are called."""
    one, this = (other or {"trace": ""})["trace"], str((evidence.summary or {}).get("name", ""))
    newer, older = (_NEWER.search(one), _OLDER.search(this)), (_NEWER.search(this), _OLDER.search(one))
    return any(newer) and not any(older)


def is_of_this_one(question: Question) -> bool:
    """Whether this recording is set against the other: `is it slower than other-run`."""
    return any(re.search(rf"\b(?:than|als|que)\W+(?:in\W+)?{re.escape(one)}", question.text) for one in question.labels)


def turned(found: dict[str, Any]) -> dict[str, Any]:
    """The comparison with the other recording as the later one."""
    rows = [
        row | {"before": row["after"], "after": row["before"], "status": _OPPOSITE.get(row["status"], row["status"])}
        for row in found["rows"]
    ]
    return found | {"before": found["after"], "after": found["before"], "rows": rows}


def is_asked_of(question: Question, other: dict[str, Any] | None) -> bool:
    """Whether something is asked of the other recording alone: `in other-run, what takes the most`."""
    named = any(
        re.search(
            rf"\b(?:in|of|at|im|von|dans|de|en|del)\s+(?:the\s+)?\W?{re.escape(one)}", question.text, re.IGNORECASE
        )
        for one in question.labels or question.names[:1]
    )
    return named and _FORMS.sets_against.search(plain(question, other)) is None


def leads(question: Question, other: dict[str, Any] | None, evidence: Evidence) -> bool:
    """Whether it asks what takes the most in one of them, and this one is not called as that one is: new, or old."""
    this = str((evidence.summary or {}).get("name", ""))
    asked = _FORMS.leads.search(question.text) and not _FORMS.sets_against.search(plain(question, other))
    is_this = any(form.search(this) and form.search(question.text) for form in (_NEWER, _OLDER))
    return bool(asked) and not is_this


def plain(question: Question, other: dict[str, Any] | None) -> str:
    """The text without words of the other recording's name: `new` in it asks for nothing."""
    name = other["trace"].casefold() if other else ""
    text = re.sub(r"[\w.-]{4,}", lambda found: "" if found[0].casefold() in name else found[0], question.text)
    return _FORMS.called_new.sub(" ", text)


def own_words(name: str, other: str) -> set[str]:
    """The words of a recording's name that the other one's has not."""
    one, two = ({word.casefold() for word in _WORD.findall(ENDINGS.sub("", both))} for both in (name, other))
    return one - two
