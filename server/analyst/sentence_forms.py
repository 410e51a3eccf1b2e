"""How a prompt is put: as a question for yes or no, for whether there is something, with a pronoun."""

import re

from server.analyst.forms import forms, word_list
from traces.lazy_regex import lazy_regex

_FORMS = forms("sentence_forms")


_COUNTED_OTHERWISE = word_list("counted_otherwise")


_OF_OTHER_KINDS = word_list("of_other_kinds")


def ranked_thing(text: str) -> str:
    """`step` of `which training step is slowest`, `sort` of `which sort takes the longest`; empty where it is not
    asked so."""
    found = _FORMS.which_is_slowest.search(text)
    if found:
        return (found[1] or found[2]).casefold()
    of_kind = _FORMS.which_of_a_kind.match(text) or _FORMS.worst_of_a_kind.match(text)
    word = of_kind[1].casefold() if of_kind else ""
    return "" if word in _OF_OTHER_KINDS else word


def number_asked_of(text: str) -> str:
    """`fork` of `how many forks?`; empty where it is not asked so, or of what is never a function."""
    found = _FORMS.number_of.match(text) or _FORMS.number_elsewhere.match(text)
    word = found[1].casefold() if found else ""
    return "" if word in _COUNTED_OTHERWISE else word


def pair_asked_of(text: str) -> str:
    """`kernel launch` of `how many kernel launches?`; empty where it is not asked so."""
    found = _FORMS.number_of_two.match(text)
    words = (found[1].casefold().removesuffix("s"), found[2].casefold()) if found else ("", "")
    return "" if not all(words) or {*words, f"{words[1]}e"} & _COUNTED_OTHERWISE else " ".join(words)


def slow_thing(text: str) -> str:
    """`network` of `why is the network so slow?`: it is taken for granted that it is, and was used."""
    found = _FORMS.why_slow.search(text)
    return found[1].casefold() if found else ""


def done_to(text: str) -> str:
    """`parse config` of `how often does it parse the config?`: what is asked of is done, and to what; else empty."""
    found = _FORMS.object.search(text)
    return f"{found['verb']} {found['noun']}" if found else ""


_NO_FUNCTIONS = word_list("no_functions")


def relation_asked_of(text: str) -> tuple[str, ...]:
    """What is called and by what, of `is strcat called from column_sums?`; empty where it is not asked so."""
    found = _FORMS.called_from.search(text) or _FORMS.calls.search(text)
    pair = (found["callee"].rstrip(".:"), found["caller"].rstrip(".:")) if found else ()
    return () if _NO_FUNCTIONS.intersection(one.casefold() for one in pair) else pair


_ORDER = {"second": 1, "2nd": 1, "next": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3}
_NTH = lazy_regex(
    rf"\b({'|'.join(_ORDER)})[ -]+(?:longest|slowest|worst|biggest|largest|most expensive|"
    r"(?:long |slow |big )?(?:task|call|request|query|wait|pause)s?)\b",
    re.IGNORECASE,
)


def place_asked_for(text: str) -> int:
    """The place in an order of what is asked for, from 0: 1 for `second longest`."""
    found = _NTH.search(text)
    return _ORDER[found[1].casefold()] if found else 0


_SENTENCES = lazy_regex(r"(?<=[.!?…])\s+(?=\S)")


def is_yes_or_no(text: str) -> bool:
    """Whether a prompt is put so that yes or no answers it."""
    return asks_whether(text) or _FORMS.without_a_verb.search(text) is not None


def asks_whether(text: str) -> bool:
    """Whether it is a sentence that yes or no answers, and no mere name with a question mark; what was said before it
    asks nothing."""
    return _FORMS.whether.search(_SENTENCES.split(text.strip())[-1]) is not None


def asks_for_any(text: str) -> bool:
    """Whether it asks if there is something."""
    return _FORMS.any.search(text) is not None


def refers(text: str) -> bool:
    """Whether it has a pronoun for what was spoken of."""
    return _FORMS.refers.search(_FORMS.relative.sub(" ", text)) is not None


def refers_to_named(text: str, names: tuple[str, ...]) -> bool:
    """Whether its pronoun stands after one of these names, which it then is for: `when does parse start, and does it
    run to the end`."""
    found = _FORMS.refers.search(_FORMS.relative.sub(" ", text))
    before = text[: found.start()] if found else ""
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", before) for name in names)


_NS_PER = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "sec": 1e9}


def limit_asked(text: str) -> tuple[float, str] | None:
    """The length above which events are asked for: in ms, and as it is written; None without one."""
    found = _FORMS.longer_than.search(text)
    if found is None:
        return None
    value, unit = float(found[1].replace(",", ".")), found[2].lower()
    return value * _NS_PER[unit] / 1e6, f"{found[1]} {unit}"


def asks_of_single_ones(text: str) -> bool:
    """Whether it asks for a number of events, for one of them, or for the middle one."""
    return _FORMS.of_single_ones.search(text) is not None or limit_asked(text) is not None


def judges(text: str) -> bool:
    """Whether it asks if a figure is a good one: `is 200 ms normal?`."""
    figure = re.search(r"\d", text) or refers(text) or "this" in text or _FORMS.judged_alone.match(text)
    return bool(figure) and _FORMS.judged.match(text) is not None and _FORMS.norm.search(text) is not None
