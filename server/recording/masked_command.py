"""A command's words with what looks like a secret masked, before they are kept as a label."""

import re
from collections.abc import Sequence

MASK = "•••"

_NAME = (
    r"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|apikey|(?:api|access|private)[-_]key|auth\w*|credentials?|cookie"
    r"|session[-_]?id|signature|sig|bearer|dsn)"
)
_OPTION = re.compile(rf"-{{1,2}}(?:[\w.-]*[-_.])?{_NAME}(?:[-_][\w-]*)?", re.IGNORECASE)
"""An option whose value, the next word, is a secret."""
_ASSIGNED = re.compile(
    rf"((?:[\w.-]*[-_.])?{_NAME}[\w-]*[\"']?\s*[=:]\s*)(?:(bearer|basic|token)\s+)?[^\s&,;]+", re.IGNORECASE
)
"""`name=value` and `name: value`, also in a URL's query, JSON or a header."""
_IN_URL = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^/@\s]+@", re.IGNORECASE)
_KNOWN = re.compile(
    r"\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[opusr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abprs]-[\w-]{10,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bAIza[\w-]{30,}|\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?|\bnpm_\w{20,}"
    r"|-----BEGIN[^-]*PRIVATE KEY-----.*"
)
"""Beginnings that providers give to their keys, JSON web tokens, PEM keys."""
_RANDOM = re.compile(r"(?<![\w./-])(?=[\w+=-]*\d)(?=[\w+=-]*[A-Za-z])[A-Za-z0-9_+=-]{32,}(?![\w./-])")
"""Letters and digits without an end: a hash, too, but no path, no number, no name of words."""


def masked(argv: Sequence[str]) -> tuple[str, ...]:
    """The words, each secret in them as `•••`. What follows an option such as `--token` is masked as a word."""
    kept: list[str] = []
    is_value = False
    for word in argv:
        kept.append(MASK if is_value else masked_text(word))
        is_value = _OPTION.fullmatch(word) is not None
    return tuple(kept)


def masked_text(text: str) -> str:
    """One text with the secrets in it masked."""
    text = _IN_URL.sub(rf"\1{MASK}@", text)
    text = _ASSIGNED.sub(rf"\1{MASK}", text)
    return _RANDOM.sub(MASK, _KNOWN.sub(MASK, text))
