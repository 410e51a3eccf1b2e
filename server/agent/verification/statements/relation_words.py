"""The ways to say a relation between functions and threads: `relations.toml`, as patterns over `Sentence.template`."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from server.agent.verification.statements.sentence_parts import FIGURES, FUNCTIONS, THREADS, UNKNOWNS
from traces.lazy_regex import lazy_regex

_GAP = f"[^.;{FUNCTIONS[1]}-{FUNCTIONS[-2]}]"
"""A character between two functions of one clause."""


_ASIDE = r"(?: ?\([^()]{1,60}\))?"
"""Figures or a place in brackets behind a name."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to say a relation; `is_denied` where the sentence says that it is not so. Groups of a match are `a`, `b`,
    `t` and `n`. Most of the 228 ways are of other languages, and never compiled.
    """

    relation: str
    pattern: re.Pattern[str]
    is_denied: bool = False

    def matches(self, lowered: str) -> Iterator[re.Match[str]]:
        """Where a sentence says it; `lowered` is its template in small letters, as the expression has them: sets of
        private characters take four times as long to compile where case is ignored."""
        return self.pattern.finditer(lowered)


@dataclass(frozen=True, slots=True)
class RelationWords:
    """`compared`: `a takes more than b`, whichever way it goes, the words between as `how`. `triggers`: a statement
    with one of these words claims something of functions, even where no wording fits; with one of `ranked` also next to
    figures that hold, with one of `most_of` where it names several. `beyond`: ranks, exclusions, universals,
    comparisons, causes and forecasts next to figures, of functions or not."""

    wordings: tuple[Wording, ...]
    compared: re.Pattern[str]
    triggers: re.Pattern[str]
    ranked: re.Pattern[str]
    most_of: re.Pattern[str]
    beyond: re.Pattern[str]


@cache
def relation_words() -> RelationWords:
    """The file's, read when first asked for."""
    data = tomllib.loads(Path(__file__).with_name("relations.toml").read_text(encoding="utf-8"))
    known = data["words"]
    places = {
        "A": f"(?P<a>{FUNCTIONS}){_ASIDE}",
        "B": f"(?P<b>{FUNCTIONS}){_ASIDE}",
        "T": f"(?P<t>{THREADS}){_ASIDE}",
        "X": f"(?P<a>{FUNCTIONS}|{UNKNOWNS}){_ASIDE}",
        "N": f"(?P<n>{FIGURES}|{known['NUMBERS']})",
        "GAP": _GAP,
        "ANY": FUNCTIONS,
        "FIGURE": FIGURES,
    }
    filled = re.compile(r"\{([A-Z]+)\}")

    def expression(way: str) -> str:
        return filled.sub(lambda found: places.get(found[1]) or known[found[1]], way)

    wordings = [
        Wording(one["name"], lazy_regex(expression(way)), one.get("is_denied", False))
        for one in data["relation"]
        for way in one["ways"]
    ]
    return RelationWords(
        tuple(wordings),
        lazy_regex(expression(known["COMPARED"]), re.IGNORECASE),
        lazy_regex(expression(known["TRIGGERS"]), re.IGNORECASE),
        lazy_regex(expression(known["RANKED"]), re.IGNORECASE),
        lazy_regex(expression(known["MOST_OF"]), re.IGNORECASE),
        lazy_regex(expression(known["BEYOND"]), re.IGNORECASE),
    )


def in_small_letters(template: str) -> str:
    """The template, each character in its place: only a dotted capital I would become two."""
    lowered = template.lower()
    return lowered if len(lowered) == len(template) else "".join(one.lower()[0] for one in template)
