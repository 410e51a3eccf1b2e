"""What a prompt asks the share of, by the place of words in it: `the binder` of `how much does the binder take`, each
word of `is it parsing, binding or emitting?`; and plainer ways to put a prompt for the classifier.
"""

import re

from server.agent.memory.word_stem import SHORTEST, stem
from server.analyst.forms import forms, word_list
from server.analyst.sentence_forms import asks_whether
from server.analyst.subjects import NO_NAMES
from traces.lazy_regex import lazy_regex

_FORMS = forms("asked_things")
_GOING_ON = forms("going_on")
_KNOWN_FORMS = forms("known_forms")

_OF_A_KIND = NO_NAMES | word_list("of_a_kind")
"""Words of which other kinds of question know more than what is named like them."""
PAIR = 2
"""Of more than two that are set against each other, each may be an ordinary word."""
_ENDING = lazy_regex(r"(?:ing|ers?|ors?|ed|ions?|s)$")


def is_of_another_kind(word: str) -> bool:
    """Whether another kind of question knows more of a word than what is named like it."""
    return word.casefold() in _OF_A_KIND or bool(_FORMS.of_work.fullmatch(word))


def plainer(text: str) -> str:
    """`is it file io?` of `is file io a problem?`: what it is asked of decides, and not that a problem is meant."""
    text = _FORMS.main_thread.sub("", text) or text
    found = _FORMS.problem.match(text)
    if found is None or found["what"].casefold() in ("there", "this", "that", "it", "they", "these"):
        return text
    return f"{found['before']} it {found['what']}?"


def alternatives(text: str) -> tuple[str, ...]:
    """The words of which one is asked for, in small letters; empty where it is not put so, or where another kind of
    question knows them."""
    asked = _FORMS.which_of_them.sub("", text.strip().rstrip("?!. "))
    if len(several := re.split(r" (?:vs\.?|versus) ", asked)) > PAIR and all(map(str.isalpha, several)):
        return tuple(dict.fromkeys(word.casefold() for word in several))
    *parts, last = re.split(r",? or |, ?", asked)
    if not parts or f" or {last}" not in asked:
        return ()
    lead = _FORMS.before_alternatives.match(parts[0])
    words = [parts[0][lead.end() if lead else 0 :], *parts[1:], last]
    plain = [re.sub(r"^(?:in |on )?(?:the |our )?", "", word.strip().casefold()) for word in words]
    if not all(re.fullmatch(r"[a-z]{3,}", word) for word in plain) or any(word in _OF_A_KIND for word in plain):
        return ()
    return tuple(dict.fromkeys(plain))


def share_asked_of(text: str) -> str:
    """`binder` of `how much does the binder take?`; empty where it is not put so."""
    found = _FORMS.share_of.search(text) or _FORMS.time_in.match(text)
    word = found["word"].casefold() if found else ""
    return "" if word in _OF_A_KIND else word


REMEDIES = (
    lazy_regex(r"\b(?:\w*sets?|\w*maps?|dict\w*|hash\w*|ind(?:ex|ices)\w*|sorted \w+|bisect\w*)\b", re.IGNORECASE),
    lazy_regex(r"\b(?:batch\w*|bulk|joins?|prefetch\w*|eager \w+|one query|in\(\))\b", re.IGNORECASE),
    lazy_regex(r"\b(?:gather\w*|await\w*|async\w*|concurren\w*|overlap\w*|together)\b", re.IGNORECASE),
)
"""Words for what is done about a cause, each with those by which an advice speaks of it."""


def without_condition(text: str) -> str:
    """`how much would i save the file only once` of `... if i parsed the file ...`: what is done there is no name."""
    return _FORMS.condition.sub(" ", text)


def named_first(text: str) -> str:
    """`memequal` of `and memequal, where does that come from`; empty where it is not put so."""
    found = _FORMS.named_first.match(text)
    return found[1] if found and found[1].casefold() not in NO_NAMES else ""


def worse_than_that(text: str) -> str:
    """`malloc` of `is malloc worse?`, which compares it with what was spoken of; empty where it is not put so."""
    found = _FORMS.is_worse.match(text)
    return found[1] if found else ""


def words_of_a_page(text: str) -> tuple[str, ...]:
    """`layout` and `style` of `how much layout and style on the main thread`: steps of a browser of which the share is
    asked; empty where it is not put so."""
    found = tuple(dict.fromkeys(word.casefold() for word in _FORMS.of_a_page.findall(text)))
    return found if _FORMS.how_much.search(text) and not asks_of_forced_layout(text) else ()


def asks_of_forced_layout(text: str) -> bool:
    """Whether it asks for layouts that scripts forced."""
    return _KNOWN_FORMS.forced_layout.search(text) is not None


def asks_of_sizes(text: str) -> bool:
    """Whether it asks how large what a page loaded is."""
    return _KNOWN_FORMS.loaded.search(text) is not None


def asks_of_vitals(text: str) -> bool:
    """Whether it names a figure by which a page is judged."""
    return _KNOWN_FORMS.vitals.search(text) is not None


def would_help(text: str) -> str:
    """`more threads` of `would more threads help?`; empty where it is not asked so."""
    found = _FORMS.would_help.search(text)
    return found[1] if found and found[1].casefold() not in ("you", "u", "it", "that", "this") else ""


def asks_if_done_again(text: str) -> bool:
    """Whether it asks if the same work is done more than once."""
    return _FORMS.again.search(text) is not None and asks_whether(text)


def place_ranked(text: str) -> str:
    """What kind of place is to be ranked (`files`, `packages`, `libraries`, `classes`, `directories`); empty where none
    is."""
    found = _FORMS.by_file.search(text)
    if found is None or asks_of_sizes(text):
        return ""
    return next((kind for kind in PLACES if getattr(_FORMS, kind).search(found[0])), "files")


PLACES = ("packages", "libraries", "classes", "directories")


def asks_by_file(text: str) -> bool:
    """Whether files, or other places of functions, are to be ranked."""
    return bool(place_ranked(text))


def asks_by_form(text: str) -> bool:
    """Whether the way it is put says what is asked, whatever it is near to."""
    of_words = [getattr(_KNOWN_FORMS, one) for one in ("jank", "vitals", "who_holds", "forced_layout", "loaded")]
    return any(one.search(text) for one in (_GOING_ON.per_call, _FORMS.by_file, _FORMS.by_caller, *of_words))


def named_like(word: str) -> str:
    """A regular expression for names of which a part begins like the word without its ending: `parse_file`, `doParse`
    and `Parser::run` for `parsing`; the word itself where it has no ending to leave out."""
    root = stem(word) if word.isalpha() and word.islower() and _ENDING.search(word) else ""
    if len(root) <= SHORTEST or root == word:
        return ""
    return rf"(?-i:(?<![A-Za-z]){root}|{root.capitalize()}|(?<![A-Za-z]){root.upper()})"
