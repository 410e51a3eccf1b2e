"""Which functions of different runs are one, and which ones a rule's name means.

The same program lies in other folders on another machine, a bundler puts a hash of the content into a file's name, and
lines move with every change: none of them is part of what a function is here.
"""

import difflib
import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from traces.gate.rules import InvalidRule
from traces.lazy_regex import lazy_regex

FunctionKey = tuple[str, str | None]
"""A function's name, and the name of its file without folders and build hash."""

AT = " @ "
NAMED = 5
"""Functions that a refusal names."""

_BUILD_HASH = lazy_regex(r"[.\-_](?=[0-9a-zA-Z_-]*\d)[0-9a-zA-Z_-]{8,40}(?=\.[a-z]{1,5}(?:\.map)?$)")
"""`index-BwJ3x9Qz.js`, `main.4f2a1c0d.chunk.js`: eight characters or more with a digit before the ending."""
_QUERY = lazy_regex(r"[?#].*$", re.DOTALL)
_ARGUMENTS = lazy_regex(r"(?<=[\w>)\]}~])\s*(?:\[clone [^\]]*\]|_\[[a-z]\]$|\((?!anonymous).*)$", re.DOTALL)
_OPERATOR = lazy_regex(r"operator\s*(?:\(\)|[^\w\s]+|\s\w+)")
_PARTS = lazy_regex(r"::|[./:#]")


@lru_cache(maxsize=100_000)
def file_key(file: str) -> str:
    """The last part of a path or address, without what a build puts into it."""
    name = _QUERY.sub("", file).replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    return re.sub(r"\.chunk(?=\.)", "", _BUILD_HASH.sub("", name.replace(".chunk.", ".")))


def short_name(name: str) -> str:
    """The last part of a qualified name, without arguments: `matchTrades` of `book::Engine::matchTrades(Order const&)`,
    of `main.(*Engine).matchTrades` and of `com.example.Engine.matchTrades`."""
    if found := _OPERATOR.search(name):
        return found[0]
    bare = _ARGUMENTS.sub("", name) if "(*" not in name else re.sub(r"\(\*?(\w+)\)", r"\1", name)
    parts = [part for part in _PARTS.split(_without_brackets(bare)) if part]
    return parts[-1].strip() if parts else name


def matching(function: str, known: Collection[FunctionKey]) -> frozenset[FunctionKey]:
    """The functions that a rule means: those of exactly that name, else those whose short name it is. Raises
    InvalidRule when there are none, naming the nearest, and when different names would match."""
    exact = frozenset(key for key in known if key[0] == function)
    if exact:
        return exact
    name, at, file = function.rpartition(AT)
    if at:
        there = [key for key in known if key[1] is not None and key[1] == file_key(file.strip())]
        return matching(name.strip(), there) if there else _none(function, known)
    short = frozenset(key for key in known if short_name(key[0]) == function)
    names = sorted({key[0] for key in short})
    if len(names) > 1:
        listed = ", ".join(names[:NAMED]) + (" and others" if len(names) > NAMED else "")
        raise InvalidRule(f"{function} may be {listed}: name one in full.")
    return short or _none(function, known)


def _none(function: str, known: Iterable[FunctionKey]) -> frozenset[FunctionKey]:
    names = {key[0] for key in known}
    folded = function.casefold()
    near = sorted((name for name in names if folded in name.casefold()), key=lambda name: (len(name), name))[:NAMED]
    if not near:
        short = {short_name(name): name for name in sorted(names)[:4_000]}
        near = [short[one] for one in difflib.get_close_matches(function, list(short), n=NAMED, cutoff=0.6)]
    hint = f" The nearest: {', '.join(near)}." if near else ""
    raise InvalidRule(f"no run has a function {function}.{hint}")


def _without_brackets(name: str) -> str:
    """Without template arguments, which hold dots and colons of their own."""
    kept, depth = [], 0
    for character in name:
        depth += character == "<"
        if not depth:
            kept.append(character)
        depth -= character == ">" and depth > 0
    text = "".join(kept)
    return text if text.strip(".:/#") else name
