"""What a prompt asks of two recordings, or of the other one alone: by its words, by those of the prompts before it, and
in a talk about the two.
"""

import re
from dataclasses import dataclass, replace

from server.analyst.forms import forms
from server.analyst.spoken_of import GOES_BACK
from traces.lazy_regex import lazy_regex

_FORMS = forms("two_recordings")
OF_ONE = ("both", "other", "than", "here")
OF_THE_CHANGE = ("part", "cost", "same", "memory", "next", "explains")
"""What is asked about the change from one to the other, as the forms have it."""
_SENTENCE = lazy_regex(r"(?<=[.!?])\s+(?=\w+ \w+ \w+)")
LABEL = lazy_regex(r"(?<![\w.-])[A-Za-z]\w+(?:-[A-Za-z]\w*)+(?:\.\w+)*|\bvs\b")
_SETS_AGAINST = lazy_regex(
    r"\bin all, here \d|` and [^`]+ here\.\*\*|\bhere and [^`]+ in `[^`]+`\.\*\*|\bFrom `[^`]+` to `"
    r"|\bOnly in `[^`]+`: "
)
_AND = lazy_regex(r"^\W*(?:and|und|et|y|e|so|but)\b", re.IGNORECASE)
_AND_OF = lazy_regex(r"^(?:and|und|et|y|e|what about|how about|那|では)\s+(\S.*)$", re.IGNORECASE)
_OF_ALL = lazy_regex(r"\bin all, here |\bit went from ")


@dataclass(frozen=True, slots=True)
class Asked:
    """`what` is asked, `both` or `other` of what `rest` names, or which functions `grew`, `shrank`, are `new` or
    `gone`; `side` is the word by which one of the two is meant, `new` or `old`."""

    what: str
    rest: str
    side: str = ""


_SIDES = {
    "new": ("new", "neu", "nouveau", "nuevo", "novo", "atarashii"),
    "old": ("old", "alt", "ancien", "viejo", "velho", "furui"),
}


def asked_of_two(prompt: str, before: tuple[str, ...] = (), openings: tuple[str, ...] = ()) -> Asked | None:
    """What a prompt asks of two recordings by its words, or by those of the prompts before it; None without any."""
    text = _SENTENCE.split(" ".join(prompt.split()).strip())[-1]
    last = asked_of_two(before[-1], before[:-1]) if before else None
    is_pair = bool(last and last.what) or any(_SETS_AGAINST.search(one) for one in openings[-GOES_BACK:])
    is_of_all = bool(openings and _OF_ALL.search(openings[-1]))
    if talked := _talked(text, last, before, is_pair=is_pair, is_of_all=is_of_all):
        return talked
    if _FORMS.which_faster.search(text) and (not before or openings):
        return Asked("both", text if _FORMS.faster.search(text) else "faster")
    if found := next((one for one in ("new", "gone", "shrank", "grew") if getattr(_FORMS, one).search(text)), None):
        return Asked(found, text)
    for what in ("both", "other"):
        if found_ := getattr(_FORMS, what).search(text):
            groups = {name for name, value in found_.groupdict().items() if value}
            side = next((word for word, ways in _SIDES.items() if any(one.startswith(ways) for one in groups)), "")
            return Asked(what, _without(found_, text), side)
    return _gone_on(text, last, is_pair=is_pair)


def _gone_on(text: str, last: Asked | None, *, is_pair: bool) -> Asked | None:
    """What goes on about the two, or may have a word of their names."""
    if is_pair and _FORMS.faster.search(text) and not _FORMS.asks_what.match(text):
        return Asked("than", _FORMS.now.sub(" ", text).strip(" ?!.,:"))
    if (last is None or not last.what) and is_pair:
        last = Asked("other", "")
    if last and last.what and (there := _FORMS.there.search(text)):
        return Asked("other", _without(there, text))
    goes_on = None if _FORMS.here.search(text) else _AND_OF.match(text) or _FORMS.by_how_much.match(text)
    if last and goes_on and last.what in OF_ONE:
        return replace(last, rest=(goes_on[1] or "").strip(" ?!.,:"))
    may_be = LABEL.search(text) or _FORMS.names_one.search(text) or _FORMS.faster.search(text)
    return Asked("", text) if may_be or _FORMS.of_two.search(text) else None


def _without(found: re.Match[str], text: str) -> str:
    return f"{text[: found.start()]} {text[found.end() :]}".strip(" ?!.,:")


def _talked(text: str, last: Asked | None, before: tuple[str, ...], *, is_pair: bool, is_of_all: bool) -> Asked | None:
    """What is asked about the change between two recordings, in words that a talk about them gives their meaning, or
    that are of two by themselves."""
    if of_that := _FORMS.of_that.search(text) if is_of_all else None:
        return Asked("part", _without(of_that, text))
    than = _FORMS.than_other.search(text)
    if than and _FORMS.faster.search(text) and not _FORMS.asks_what.match(text):
        return Asked("than", _without(than, text))
    if (is_of_two := bool(is_pair or than or _FORMS.of_two.search(text))) or _FORMS.of_a_change.search(text):
        for what in OF_THE_CHANGE if is_of_two else ("part", "explains"):
            found = getattr(_FORMS, what).search(text)
            if found and not (what == "cost" and _FORMS.other.search(text)):
                return Asked(what, _without(found, text))
    return _of_now_or_then(text, last, before) if is_pair else None


def _of_now_or_then(text: str, last: Asked | None, before: tuple[str, ...]) -> Asked | None:
    """What is asked of the later of the two, of the open one after the other, or of the earlier one."""
    if (now := _FORMS.now.search(text)) and _FORMS.leads.search(text) and not _FORMS.faster.search(text):
        return Asked("next", _without(now, text))
    if last and last.what in OF_ONE and _FORMS.bare_here.match(text) and _FORMS.leads.search(last.rest):
        return Asked("here", last.rest)
    if (then := _FORMS.earlier.search(text)) and not _FORMS.both.search(text):
        rest = _AND.sub("", _without(then, text)).strip(" ?!.,:")
        rest = rest or (last.rest if last and last.what in ("both", "other", "next") else before[-1] if before else "")
        return Asked("other", _FORMS.here.sub(" ", rest), "old")
    return None
