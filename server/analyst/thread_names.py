"""What the threads of a recording are called, as people write it, and which of them a text names."""

import re
from collections.abc import Sequence
from typing import Any

from server.analyst.nearest_intent import vocabulary
from server.analyst.subjects import NO_NAMES, NO_THREAD
from server.analyst.unread_words import SMALL_WORDS
from traces.lazy_regex import lazy_regex

Row = dict[str, Any]
SHORTEST = 3
_OF_PROCESS = lazy_regex(r"^.*\(pid \S+\), (?=\S)")
_AROUND = lazy_regex(r"^Waits of |^[Tt]hread \(?\d+\)?:? +(?=\S)| \((?:pid|tid) [^()]*\)| tasks$|\"")
_ENDING = lazy_regex(r"/\d+$| thread$")


def names_of(row: Row) -> tuple[str, ...]:
    """The names of a thread without what its recorder adds: `Compositor` of `Renderer (pid 1), Compositor (tid 2)
    tasks`, and `Raster/7` and `Raster` of a name with the system's number."""
    name = _AROUND.sub("", _OF_PROCESS.sub("", row["name"])).strip()
    return tuple(dict.fromkeys((name, _ENDING.sub("", name))))


def called(name: str, rows: Sequence[Row]) -> list[Row]:
    """The profiles of the thread that is called exactly so, in capitals or not; with a number, by its name and that."""
    one = name.casefold()
    for at in (0, -1):
        if found := [row for row in rows if names_of(row)[at].casefold() == one]:
            return found
    plain, _, number = one.rpartition("/")
    return [row for row in rows if row["tid"] == number and plain in row["name"].casefold()] if plain else []


def in_text(text: str, rows: Sequence[Row]) -> str:
    """The longest name of a thread that stands in a text, whatever sign or script is next to it; empty without one."""
    names = {name for row in rows for name in names_of(row)}
    for name in sorted(names, key=len, reverse=True):
        is_spelled = name in text and not name.islower()
        if len(name) >= SHORTEST and (is_spelled or not _is_ordinary(name)) and is_in(name, text):
            return name
    return ""


def is_in(name: str, text: str) -> bool:
    """Whether a name stands in a text by itself, and is no part of a longer one."""
    return (
        re.search(rf"(?<![\w./:#-]){re.escape(name)}(?![A-Za-z0-9_]|-(?!thread)\w|[.:#]\w|/\D)", text, re.IGNORECASE)
        is not None
    )


def _is_ordinary(name: str) -> bool:
    """Whether a name is a word that people ask with, as `main` is."""
    return name.casefold() in vocabulary() | NO_NAMES | NO_THREAD | SMALL_WORDS or name.isdigit()


_NUMBER_ALONE = lazy_regex(
    r"^\W*((?:(?:and|und|et|y|e|what about|how about|only|on|in|for|of|for|那|では)\s+)*)[-#]?(\d{1,2})"
    r"(?:呢|は|番は|では)?\W*$",
    re.IGNORECASE,
)
_NUMBERED = lazy_regex(r"(?<![\w./-])([A-Za-z][A-Za-z_.]*(?:-[A-Za-z_.]+)*-)\d+(?![\w.])")


def spelled_out(prompt: str, before: Sequence[str]) -> str:
    """The prompt with the name of a thread in full, where it has no more than its number: `and -4?` after a prompt
    about dispatcher-1 is `and dispatcher-4?`."""
    found = _NUMBER_ALONE.match(" ".join(prompt.split()))
    for earlier in reversed(before) if found else ():
        if found and (named := _NUMBERED.search(earlier)):
            return f"and on {named[1]}{found[2]}?"
        if not _NUMBER_ALONE.match(earlier):
            break
    return prompt
