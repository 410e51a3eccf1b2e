"""Numbers of languages that write `1.234,5`, in the shape of English: as long, so that every place stays."""

import re

from traces.lazy_regex import lazy_regex

_ENGLISH = lazy_regex(
    r"\b(?:the|is|of|and|are|was|in|it|its|to|takes?|at|with|for|by|that|this|on|as|from|which|calls?|each|than|costs?|"
    r"out|only|all)\b",
    re.IGNORECASE,
)
_WITH_COMMAS = lazy_regex(
    r"\b(?:der|die|das|ist|und|von|wird|auf|ein|eine|braucht|selbst|le|la|les|est|et|des|du|dans|un|une|prend|el|los|en|au|"
    r"par|pour|fois|wurde|wurden|aufgerufen|llamó|veces|es|por|con|una|il|gli|che|os|em|uma|het|een|van|zijn)\b",
    re.IGNORECASE,
)
_NUMBER = lazy_regex(
    r"(?<![\w.,])\d{1,3}(?:[.\u00a0\u202f ]\d{3}){1,6}(?:,\d+)?(?![\w,]|\.\d)|(?<![\w.,])\d+,\d+(?![\w,]|\.\d)"
)
"""Thousands by points or spaces, or a decimal comma; each digit is passed once or twice."""
_SURELY = lazy_regex(r"(?<![\w.,])\d+,\d{1,2}(?=\s?(?:%|[nmµ]?s\b|[kMG]i?B\b))")
_BY_POINT = lazy_regex(r"(?<![\w.,])\d+\.\d{1,2}(?![\d.,])")
_BY_COMMA = lazy_regex(r"(?<![\w.,])\d+,\d{1,2}(?![\d.,])")
"""Decimals that can be nothing else: groups of thousands have three digits."""
READ_FOR_LANGUAGE = 4_000
"""Characters of an answer by whose words its language is known."""
_SPACES = "\u00a0\u202f "
_GROUPED = lazy_regex(r"(?<![\w.,])\d{1,3}(?:[\u00a0\u202f]\d{3})+(?!\d|[\u00a0\u202f]\d)")
"""Groups of thousands by a space that does not break: nothing else in any language."""


def in_english_shape(text: str) -> str:
    """The text with points for decimal commas where its language writes these. `text` keeps its length."""
    has_points, has_commas = (shape.search(text) is not None for shape in (_BY_POINT, _BY_COMMA))
    if has_points is not has_commas:
        is_english = has_points
    else:
        beginning = text[:READ_FOR_LANGUAGE]
        is_english = len(_WITH_COMMAS.findall(beginning)) <= len(_ENGLISH.findall(beginning))
    if is_english:
        grouped = _GROUPED.sub(lambda found: _english(found[0]), text)
        return _SURELY.sub(lambda found: _english(found[0]), grouped)
    return _NUMBER.sub(lambda found: _english(found[0]), text)


def _english(number: str) -> str:
    digits_before, comma, digits = number.partition(",")
    for mark in (".", *_SPACES):
        digits_before = digits_before.replace(mark, ",")
    return digits_before + ("." if comma else "") + digits
