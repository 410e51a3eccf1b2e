"""A text as its reader sees it, whatever letters it is made of: what shall not be known for an order is written with
letters that only look like it."""

import re
import unicodedata

from traces.lazy_regex import lazy_regex

_UNSEEN = lazy_regex("[\u00ad\u034f\u200b-\u200f\u2060-\u2064\ufeff]")
_WORD = lazy_regex(r"\w+")
_BROKEN = lazy_regex(r"(?<=\w)-[ \t]*\n[ \t]*(?=\w)")
"""A word that goes on in the next line."""
_SPACED = lazy_regex(r"(?<!\w)\w(?:[ .\-_*]\w){3,}(?!\w)")
"""A word whose letters stand apart."""
_LATIN = lazy_regex(r"[A-Za-z]")
_OTHERS = str.maketrans(
    "аеорсухіјѕһԁԛԝкмнтвАЕОРСУХІЈЅНКМТВοραεικντυχΑΕΙΟΡΤΥΧΒΗΚΜΝΖ",
    "aeopcyxijshdqwkmhtbAEOPCYXIJSHKMTBopaeikvtuxAEIOPTYXBHKMNZ",
)
"""Cyrillic and Greek letters that look like Latin ones."""
_FIGURES = str.maketrans("0134578@$", "oieastbas")
_BETWEEN_LETTERS = lazy_regex(r"[^\W\d_]\d[^\W\d_]")


def joined_words(text: str) -> str:
    """The text with words that were broken at a line's end as one."""
    return _BROKEN.sub("", text)


def folded(text: str) -> str:
    """The text in plain letters: for looking at it, not for keeping it."""
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", joined_words(text)))
    plain = _SPACED.sub(lambda found: re.sub(r"[^\w]|_", "", found[0]), plain)
    return _WORD.sub(lambda found: _plain_word(found[0]), plain)


def _plain_word(word: str) -> str:
    """A word of two scripts in Latin letters, one with figures between its letters without them; any other as it is."""
    if word.isascii():
        return word.translate(_FIGURES) if _BETWEEN_LETTERS.search(word) else word
    return word.translate(_OTHERS) if _LATIN.search(word) else word
