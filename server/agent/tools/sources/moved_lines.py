"""Where a line of a trace stands in a file that may be of another version."""

import re
from collections.abc import Sequence

AROUND = 3
"""Lines on each side by which equal lines differ."""

_NAME = re.compile(r"[^\W\d][\w$]*")
_IN_BRACKETS = re.compile(r"\([^()]*\)|<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}")
LONGEST = 400
"""Characters of a line that are looked at: longer ones are generated."""

_DEFINES = r"(?:\b(?:def|fn|func|fun|function|sub|class|interface|struct|void)\b[^=;]*?|^\s*(?:[\w$<>\[\],*&:~ ]+ )?)"


def line_now(then: Sequence[str], now: Sequence[str], line: int) -> int | None:
    """The number of the same line in a newer text, by the lines around it; None where it is not there, or in several
    places between which nothing decides."""
    if not 1 <= line <= len(then) or not then[line - 1].strip():
        return None
    places = [number for number, text in enumerate(now, 1) if text.strip() == then[line - 1].strip()]
    likeness = {place: _likeness(then, line, now, place) for place in places}
    best = [place for place in places if likeness[place] == max(likeness.values())]
    return best[0] if len(best) == 1 else None


def _likeness(then: Sequence[str], line: int, now: Sequence[str], place: int) -> int:
    def at(text: Sequence[str], number: int) -> str | None:
        return text[number - 1].strip() if 1 <= number <= len(text) else None

    return sum(at(then, line + step) == at(now, place + step) for step in range(-AROUND, AROUND + 1))


def line_of_function(lines: Sequence[str], name: str, line: int) -> int | None:
    """Where a function is defined, if that can not be the one at `line`: it begins after it, or another one of its
    depth begins between. None where `line` may well be in it, or nothing is to be seen."""
    last = own_name(name)
    if last is None:
        return None
    defines = re.compile(rf"{_DEFINES}\b{re.escape(last)}\s*(?:=\s*(?:async\s*)?(?:function\b|\()|[(<:{{]|$)")
    defined = [number for number, text in enumerate(lines, 1) if last in text and defines.search(text[:LONGEST])]
    if len(defined) != 1 or defined[0] == line:
        return None
    at = defined[0]
    if at > line:
        return at if at - line > 1 else None  # a decorator, or the type that it returns, stands above it
    between = lines[at : min(line, len(lines))]
    depth = _depth(lines[at - 1])
    left = any(text.strip() and _depth(text) <= depth and text.strip()[0].isalpha() for text in between)
    return at if left or line > len(lines) else None


def own_name(name: str) -> str | None:
    """Of a function, without its class, module and arguments."""
    bare, before = name[:LONGEST], ""
    while bare != before:
        bare, before = _IN_BRACKETS.sub("", bare), bare
    found = _NAME.findall(bare)
    return found[-1] if found else None


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())
