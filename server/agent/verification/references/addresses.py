"""Addresses of figures: `[379 ms](#f12.self)` says which function's which measure the figure is.

    address = figure [ ("+" | "-" | "/") figure ]
    figure  = [ scope "." ] subject "." measure [ "/" base ]

docs/protocol.md has the grammar with its words; web/src/chat/addresses.ts is the same parser for the page. Both are
tested by the same examples, tests/server/agent/verification/references/addresses.json. No input raises: what is no
address is a `Malformed`. Time is linear in the text.
"""

import re
from dataclasses import dataclass
from typing import Literal

MEASURES = frozenset(
    {"self", "total", "calls", "mean", "p50", "p95", "p99", "max", "start", "end", "duration", "busy", "waiting"}
    | {"idle", "samples", "threads", "saving"}
)
LONGEST = 100
"""Characters of an address."""

_THING = r"[a-z][0-9]{0,12}"
_FIGURE = rf"(?:({_THING})\.)?({_THING})\.([a-z][a-z0-9_]*)(?:/({_THING})(?![a-z0-9.]))?"
_ADDRESS = re.compile(rf"{_FIGURE}(?:([+/-]){_FIGURE})?")
_NUMBERED = re.compile(r"([a-z])0*([0-9]+)")
_CELL = re.compile(r"c[0-9]{1,12}")
_COLUMN = re.compile(r"[a-z][a-z0-9_]{0,39}")

SCOPES = frozenset("tpwciq")
SUBJECTS = frozenset("fnsptwcgiqr")
BASES = frozenset("fnsptwg")
OF_ROWS = frozenset("qi")
"""What rows belong to: results and findings."""
OF_CELLS = frozenset("qir")
"""Whose figures are also counted: `q2.c5` is the fifth of the result."""

Operator = Literal["+", "-", "/"]


@dataclass(frozen=True, slots=True)
class FigureAddress:
    """One figure. All parts are as written, numbers without leading zeros: `w3`, `f12`, `self`, `p0`."""

    scope: str | None
    subject: str
    measure: str
    base: str | None

    def __str__(self) -> str:
        scope = f"{self.scope}." if self.scope else ""
        return f"{scope}{self.subject}.{self.measure}" + (f"/{self.base}" if self.base else "")


@dataclass(frozen=True, slots=True)
class Address:
    """A figure, or the sum, difference or ratio of two."""

    figure: FigureAddress
    operator: Operator | None = None
    other: FigureAddress | None = None

    def __str__(self) -> str:
        return f"{self.figure}{self.operator}{self.other}" if self.other else str(self.figure)


@dataclass(frozen=True, slots=True)
class Malformed:
    """What is no address, and why: `too_long`, `form`, `thing` (a letter that names nothing there), `measure`."""

    reason: Literal["too_long", "form", "thing", "measure"]


def parse_address(text: str) -> Address | Malformed:
    """The address that a text is, with or without a hash before it."""
    text = text.removeprefix("#")
    if len(text) > LONGEST:
        return Malformed("too_long")
    match = _ADDRESS.fullmatch(text)
    if match is None:
        return Malformed("form")
    one = _figure(*match.group(1, 2, 3, 4))
    if isinstance(one, Malformed) or match[5] is None:
        return one if isinstance(one, Malformed) else Address(one)
    other = _figure(*match.group(6, 7, 8, 9))
    if isinstance(other, Malformed):
        return other
    operator: Operator = "+" if match[5] == "+" else "-" if match[5] == "-" else "/"
    return Address(one, operator, other)


def _figure(scope: str | None, subject: str, measure: str, base: str | None) -> FigureAddress | Malformed:
    for thing, letters in ((scope, SCOPES), (subject, SUBJECTS), (base, BASES)):
        if thing is not None and (thing[0] not in letters or (len(thing) == 1) != (thing[0] == "t")):
            return Malformed("thing")
    if subject[0] == "r" and (scope is None or scope[0] not in OF_ROWS):
        return Malformed("thing")
    is_cell = _CELL.fullmatch(measure) and subject[0] in OF_CELLS
    if measure not in MEASURES and not is_cell and not (subject[0] == "r" and _COLUMN.fullmatch(measure)):
        return Malformed("measure")
    return FigureAddress(_plain(scope), _plain(subject) or "", _plain_cell(measure), _plain(base))


def _plain(thing: str | None) -> str | None:
    return thing and _NUMBERED.sub(r"\1\2", thing)


def _plain_cell(measure: str) -> str:
    return _NUMBERED.sub(r"\1\2", measure) if _CELL.fullmatch(measure) else measure
