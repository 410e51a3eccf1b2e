"""What models, tools and files write, made fit to be stored and sent: the one place that does it.

JSON may carry half of a character beyond the basic plane (a lone surrogate), which no UTF-8 text can hold: halves that
follow each other are joined, also across the border of two chunks, any other becomes U+FFFD, and so does NUL, which
PostgreSQL's text cannot hold. Characters that reorder what a reader sees (Unicode's explicit directional embeddings,
overrides and isolates, UAX #9 2.1 to 2.5) are written as escapes, so that none reaches beyond its place.
"""

import re
from typing import Any

from traces.lazy_regex import lazy_regex

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
UNSTORABLE = lazy_regex("[\x00\ud800-\udfff]")
"""PostgreSQL's text is UTF-8 without NUL."""

PROGRAM_KEY = lazy_regex(r"fc_[a-z0-9]{10}_[A-Za-z0-9_-]{16,}")
"""A key for programs, or most of one: 256 random bits cut to 96 are a secret still."""

HALF = lazy_regex("[\ud800-\udfff]")
_HALVES = lazy_regex("([\ud800-\udbff])([\udc00-\udfff])")
_BIDI = lazy_regex("[\u202a-\u202e\u2066-\u2069]")
_SUSPECT = lazy_regex("[\x00\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


HALF_CHARACTER = "A text holds half of a character (such as \\ud83d without the half that follows it): send it whole."
_ESCAPE = lazy_regex(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u(?P<half>[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def half_escape(json_text: str) -> str | None:
    """What to say of a JSON text that cannot be read as an escape in it is half of a character; None for all else."""
    return HALF_CHARACTER if any(found["half"] for found in _ESCAPE.finditer(json_text)) else None


def clean(text: str) -> str:
    """The text as it may be stored and sent."""
    if _SUSPECT.search(text) is None:
        return text
    joined = _HALVES.sub(_character, text)
    return _BIDI.sub(lambda found: f"\\u{ord(found[0]):04x}", UNSTORABLE.sub(REPLACEMENT, joined))


def clean_json(value: Any) -> Any:
    """A JSON value with every text in it, keys included, cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): clean_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(part) for part in value]
    return value


def without_keys(value: Any) -> Any:
    """A JSON value in whose texts each key for programs is named by its prefix alone."""
    if isinstance(value, str):
        return PROGRAM_KEY.sub(lambda found: f"{found[0][:13]}_***", value) if "fc_" in value else value
    if isinstance(value, dict):
        return {without_keys(key): without_keys(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [without_keys(part) for part in value]
    return value


class ChunkCleaner:
    """Cleans a text that comes in chunks: `feed` each, then `flush`. All that they return, joined, is what `clean`
    returns for the chunks joined: a first half waits for what follows it."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, chunk: str) -> str:
        """What can be sent on; maybe nothing."""
        text = self._half + chunk
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return clean(text)

    def flush(self) -> str:
        """What still waited, of a text that has ended."""
        half, self._half = self._half, ""
        return clean(half)


def _character(halves: re.Match[str]) -> str:
    high, low = ord(halves[1]), ord(halves[2])
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
