"""The words of asks: which fill a slot, which are passed over, and which make of a prompt something else."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from server.analyst.measured import WORDS
from traces.lazy_regex import lazy_regex

NO_SPACES = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff]")
TABLES = {"measures": "measure", "roles": "role"}
_OWN = Path(__file__).with_name("words.toml")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """`slot_of` has what each way of putting it fills; `small` words are passed over, `otherwise` are those that make
    it no ask; `spelled` are slips and short forms with what they stand for."""

    pattern: re.Pattern[str]
    slot_of: dict[str, tuple[str, str]]
    small: frozenset[str]
    dense: re.Pattern[str]
    refers: frozenset[str]
    otherwise: frozenset[str]
    spelled: tuple[tuple[re.Pattern[str], str], ...]

    def written_out(self, text: str) -> str:
        """The text with slips and short forms as they are meant."""
        for pattern, meant in self.spelled:
            text = pattern.sub(meant, text)
        return text


@cache
def lexicon() -> Lexicon:
    known = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    own = tomllib.loads(_OWN.read_text(encoding="utf-8"))
    of_functions = {name: ways for name, ways in known["measures"].items() if name != "waiting"}
    slot_of = {
        way: ("measure", name)
        for name, ways in of_functions.items()
        for way in ways
        if way != "n" and (name == "compared" or "more" not in way)
    }
    slot_of |= dict.fromkeys((*known["small"]["everywhere"], *own["small"]["phrases"]), ("", ""))
    for table in ("measures", "how", "scope", "by", "roles", "base", "what_if", "order", "kind", "place", "them"):
        slot_of |= {way: (TABLES.get(table, table), name) for name, ways in own[table].items() for way in ways}
    spaced = sorted((way for way in slot_of if not NO_SPACES.search(way)), key=len, reverse=True)
    dense = sorted((way for way in slot_of if NO_SPACES.search(way)), key=len, reverse=True)
    slot_of = {way.casefold(): slot for way, slot in slot_of.items()}
    words = rf"(?<![\w`.:/$-])(?:{'|'.join(map(re.escape, spaced))})(?![\w`/$-]|[.:]\w)"
    otherwise = frozenset(own["small"]["otherwise"].split())
    small = frozenset(f"{known['small']['words']} {own['small']['words']}".split()) - otherwise
    pattern = re.compile(f"{words}|{'|'.join(map(re.escape, dense))}", re.IGNORECASE)
    unspaced = sorted(filter(NO_SPACES.search, small), key=len, reverse=True)
    refers = frozenset(known["small"]["refers"].split()) - {"the", "les", "los"}
    return Lexicon(
        pattern,
        slot_of,
        small,
        re.compile("|".join(map(re.escape, unspaced))),
        refers,
        otherwise,
        tuple((re.compile(way, re.IGNORECASE), meant) for meant, ways in own["spelled"].items() for way in ways),
    )
