"""What a text must have in it for a regular expression to match: found without compiling the expression, which takes
ten times as long.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

Needs = tuple[frozenset[str], ...]
"""Of each set at least one text must be there, in the form that `folded` gives."""

LEAST = 2
"""Characters of a text that is worth looking for."""

MOST_NEEDS = 4
"""Of an expression: those that the fewest texts have."""

_TOKEN = re.compile(
    r"(?P<literal>\\[^\w]|[^\\\[(){|*+?.^$]+)"
    r"|(?P<open>\((?:\?(?:P<\w+>|P=\w+|#[^)]*|[=!:>]|<[=!]|\(\w+\)|[a-zA-Z]*(?:-[a-z]+)?:?))?)"
    r"|(?P<close>\))"
    r"|(?P<bar>\|)"
    r"|(?P<times>[*+?][?+]?|\{(?:\d+,?\d*|,\d*)\}[?+]?)"
    r"|(?P<other>\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|\d{1,3}|.)"
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]|.)",
    re.DOTALL,
)
_ASIDE = ("(?=", "(?!", "(?<=", "(?<!", "(?P=", "(?#", "(?(")
"""Groups that take no text, or none that is written in them."""
_VERBOSE = re.compile(r"\(\?[a-wyz]*x")


@dataclass(slots=True)
class _Group:
    """`branches` that are read, and the one that is being read: its needs, and the literal text at its end.
    `last` is how many needs the last item has brought."""

    opening: str
    branches: list[list[frozenset[str]]] = field(default_factory=list)
    needs: list[frozenset[str]] = field(default_factory=list)
    text: str = ""
    last: int = 0

    def end_text(self) -> None:
        if len(self.text.strip()) >= LEAST:
            self.needs.append(frozenset((folded(self.text),)))
        self.text, self.last = "", 0

    def end_branch(self) -> None:
        self.end_text()
        self.branches.append(self.needs)
        self.needs = []

    def needs_of_all(self) -> list[frozenset[str]]:
        """Those of its only branch, or what one of the branches needs."""
        self.end_branch()
        if self.opening.startswith(_ASIDE):
            return []
        if len(self.branches) == 1:
            return self.branches[0]
        return [frozenset().union(*(min(one, key=_rank) for one in self.branches))] if all(self.branches) else []


def _rank(need: frozenset[str]) -> tuple[int, int]:
    """Small for what few texts have: few words, and long ones."""
    return len(need), -min(map(len, need))


def folded(text: str) -> str:
    """Without the difference between letters that expressions may ignore: Python's take both Turkish letters for i."""
    return text.replace("İ", "i").replace("ı", "i").casefold()


def needed(pattern: str, flags: int = 0) -> Needs:
    """What every text has that the expression matches, ignoring case or not; empty where nothing is known."""
    if flags & re.VERBOSE or _VERBOSE.search(pattern):
        return ()
    groups = [_Group("")]
    for token in _TOKEN.finditer(pattern):
        here, kind, written = groups[-1], token.lastgroup, token[0]
        match kind:
            case "literal":
                here.text += written.removeprefix("\\")
                here.last = 0
            case "open":
                here.end_text()
                groups.append(_Group(written))
            case "close":
                if len(groups) == 1:
                    return ()
                found = groups.pop().needs_of_all()
                groups[-1].needs += found
                groups[-1].last = len(found)
            case "bar":
                here.end_branch()
            case "times":
                _repeat(here, written)
            case _:
                here.end_text()
    return tuple(sorted(groups[0].needs_of_all(), key=_rank)[:MOST_NEEDS]) if len(groups) == 1 else ()


def _repeat(here: _Group, times: str) -> None:
    """What was read last may come several times, or not at all."""
    may_lack = times[0] in "*?" or times.startswith(("{0", "{,"))
    if here.text:
        if may_lack:
            here.text = here.text[:-1]
        here.end_text()
    elif may_lack and here.last:
        del here.needs[-here.last :]
    here.last = 0


def may_match(needs: Sequence[frozenset[str]], text: str) -> bool:
    """Whether a text has one of each."""
    if not needs:
        return True
    text = folded(text)
    return all(any(one in text for one in need) for need in needs)
