"""Texts that look like keys wherever they stand."""

import re
from collections.abc import Callable

_KNOWN = re.compile(
    r"\b(?:sk|pk|rk)[-_](?=[\w-]*\d)[\w-]{16,}|\bgh[opusr]_\w{20,}|\bgithub_pat_\w{20,}|\bgl(?:pat|dt|rtr?|cbt|ptt|ft|soat|agent|imt|ffct)-[\w-]{16,}"
    r"|\bxox[abeoprs]-[\w-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bAIza[\w-]{30,}|\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)*"
    r"|\bnpm_\w{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bya29\.[\w-]+|\bhf_\w{20,}|\bhv[sbr]\.[\w-]{16,}|\bs\.\w{24}\b"
    r"|\b(?:dop|doo|dor)_v1_\w{16,}|\bshp\w{2}_\w{16,}|\bdckr_pat_[\w-]{16,}|\bpypi-(?=[\w-]*\d)[\w-]{16,}|\bsquid_\w{16,}"
    r"|\bAGE-SECRET-KEY-\w+|\bwhsec_\w{16,}|\blin_api_\w{16,}|-----BEGIN[^-]*PRIVATE KEY-----.*",
    re.DOTALL,
)
"""Beginnings that providers give to their keys, JSON web tokens, PEM keys."""
_RANDOM = re.compile(r"(?<![\w./+-])(?=[\w+-]*\d)(?=[\w+-]*[A-Za-z])[A-Za-z0-9_+-]{32,}={0,2}(?![\w./+=-])")
"""Letters and digits without an end: a hash, too, but no path, no number, no name of words."""
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_OF_NAME = re.compile(r"([A-Za-z]*)\d{0,4}")
_WORD_CHARACTERS = 4
"""That words in a name have on the average; between capitals of a key there are one or two."""
_MIXED = re.compile(r"(?<![\w./+-])(?=\w*[a-z])(?=\w*[A-Z])\d*(?:[A-Za-z_]+\d+){3,}[A-Za-z_]*(?![\w./+=-])", re.ASCII)
_MIXED_CHARACTERS = 20
"""Shorter ones have words in them."""
_BASE64 = re.compile(r"(?<![\w/+=.-])(?=[\w/+]*\d)(?=[\w/+]*[a-z])(?=[\w/+]*[A-Z])[A-Za-z0-9/+]{40}={0,2}(?![\w/+=.-])")
"""As long as a secret key of AWS, which has slashes as a path has."""
_DIGEST = re.compile(r"sha\d+:\Z")
"""What follows it is an image's or a file's digest."""


def keys_masked(text: str, mask: str) -> str:
    """The text with `mask` for each of them."""
    text = _RANDOM.sub(_unless(_is_none, mask), _KNOWN.sub(mask, text))
    return _BASE64.sub(mask, _MIXED.sub(_unless(_is_short, mask), text))


def _is_none(found: re.Match[str]) -> bool:
    """A digest, or a name of words with a number behind them (`ReportOfTheLastQuarterOfTheYear2`)."""
    if _DIGEST.search(found.string, max(0, found.start() - 8), found.start()):
        return True
    for part in re.split(r"[_+-]+", found[0]):
        of_name = _OF_NAME.fullmatch(part)
        words = _PIECE.findall(part)
        if of_name is None or len(of_name[1]) < _WORD_CHARACTERS * (len(words) - 1):
            return False
    return True


def _is_short(found: re.Match[str]) -> bool:
    return len(found[0]) < _MIXED_CHARACTERS


def _unless(is_none: Callable[[re.Match[str]], bool], mask: str) -> Callable[[re.Match[str]], str]:
    return lambda found: found[0] if is_none(found) else mask
