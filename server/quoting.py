"""Strings out of a trace are hostile input: they reach the model as quoted, clamped data and never as instructions.

A quoted string is a JSON string with every control, formatting and line-breaking character escaped, so a name can
neither close its quotes nor start a line of its own; credentials inside URLs are masked.
"""

import json
import re
import unicodedata

MAX_NAME = 120
"""Longest name shown in full: C++ templates run to thousands of characters and differ at both ends."""

MAX_PLACE = 60
"""Longest `file:line` shown in full; of a longer one the end is kept, which is the part people recognise."""

_SECRET_PARAMETER = re.compile(
    r"(?i)\b((?:access_|auth_|api_?)?(?:token|key|secret|password|signature|sig)=)[^&#\s\"']+"
)
_USERINFO = re.compile(r"(?<=://)[^/\s@:]+:[^/\s@]+@")
_INVISIBLE = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
_UNUSUAL = re.compile(r"[^ -~]")


def clamp(text: str, limit: int = MAX_NAME) -> str:
    """The text in at most `limit` characters, its middle replaced by `…`."""
    if len(text) <= limit:
        return text
    head = (limit - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"


def plain(text: str, limit: int = MAX_NAME) -> str:
    """A trace's string as one line without quotes: clamped, secrets masked, invisible characters escaped."""
    if len(text) <= limit and text.isascii() and text.isprintable() and "=" not in text and "@" not in text:
        return text  # most names: nothing of them could be masked or escaped
    return visible(_masked(text, limit), but="")


def quoted(text: str, limit: int = MAX_NAME) -> str:
    """A trace's string for the model: a JSON string literal on one line."""
    return visible(json.dumps(_masked(text, limit), ensure_ascii=False), but="")


def _masked(text: str, limit: int) -> str:
    shorter = clamp(text, 4 * limit)
    return clamp(_USERINFO.sub("***@", _SECRET_PARAMETER.sub(r"\1***", shorter)), limit)


def visible(text: str, *, but: str = "\n\t") -> str:
    """The text with every character that cannot be seen, or that moves a terminal's cursor, as an escape; but some."""

    def escaped(found: re.Match[str]) -> str:
        char = found[0]
        hidden = unicodedata.category(char) in _INVISIBLE and char not in but
        return json.dumps(char)[1:-1] if hidden else char

    return _UNUSUAL.sub(escaped, text)


def place(file: str | None, line: int | None) -> str:
    """`file:line` quoted, the end of a long path kept; empty when the file is unknown."""
    if not file:
        return ""
    tail = file if len(file) <= MAX_PLACE else "…" + file[-(MAX_PLACE - 1) :]
    return " " + quoted(tail if line is None else f"{tail}:{line}", MAX_PLACE + 12)
