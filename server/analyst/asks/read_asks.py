"""A prompt into the slots of an ask, word by word. A word that fills no slot and is none of asking must be a name; what
else is left over makes it no ask."""

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from server.analyst.asks.ask import IT, WORST, Ask, Limit, is_bare
from server.analyst.forms import forms, word_list
from server.analyst.measured import LONGEST_RUN, WORDS
from server.analyst.moments import milliseconds, time_ranges, without_time_ranges
from server.analyst.subject_words import in_english
from traces.lazy_regex import lazy_regex

MOST_WORDS = 20
NAMES = 2
"""Of one slot."""
_FORMS = forms("asks")
_SLOT = re.compile(r"\x00(\d+)\x00")
_NO_SPACES = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff]")
_OTHERWISE = word_list("changes_an_ask")
"""Small words of measures that change what an ask with a scope means."""
_LEFT_TO_OTHERS = word_list("no_measure_of_an_ask")
_THREAD = word_list("word_for_a_thread")


@dataclass(frozen=True, slots=True)
class _Lexicon:
    pattern: re.Pattern[str]
    slot_of: dict[str, tuple[str, str]]
    small: frozenset[str]
    dense: re.Pattern[str]
    refers: frozenset[str]


@cache
def _lexicon() -> _Lexicon:
    known = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    own = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
    of_functions = {name: ways for name, ways in known["measures"].items() if name != "waiting"}
    slot_of = {way: ("measure", name) for name, ways in of_functions.items() for way in ways if way != "n"}
    slot_of |= dict.fromkeys((*known["small"]["everywhere"], *own["small"]["phrases"]), ("", ""))
    for table in ("measures", "how", "scope", "by", "roles"):
        kind = {"measures": "measure", "roles": "role"}.get(table, table)
        slot_of |= {way: (kind, name) for name, ways in own[table].items() for way in ways}
    spaced = sorted((way for way in slot_of if not _NO_SPACES.search(way)), key=len, reverse=True)
    dense = sorted((way for way in slot_of if _NO_SPACES.search(way)), key=len, reverse=True)
    slot_of = {way.casefold(): slot for way, slot in slot_of.items()}
    words = rf"(?<![\w`.:/$-])(?:{'|'.join(map(re.escape, spaced))})(?![\w`/$-]|[.:]\w)"
    small = frozenset(f"{known['small']['words']} {own['small']['words']}".split()) - _OTHERWISE
    pattern = re.compile(f"{words}|{'|'.join(map(re.escape, dense))}", re.IGNORECASE)
    unspaced = sorted(filter(_NO_SPACES.search, small), key=len, reverse=True)
    dense_small = re.compile("|".join(map(re.escape, unspaced)))
    return _Lexicon(
        pattern, slot_of, small, dense_small, frozenset(known["small"]["refers"].split()) - {"the", "les", "los"}
    )


def read(prompt: str) -> Ask | None:
    """What a prompt asks for; None where a word of it has no slot."""
    text = " ".join(prompt.split())
    if not text or len(text.split()) > MOST_WORDS or _FORMS.of_parts.search(text):
        return None
    goes_on = _FORMS.goes_on.match(text) is not None
    joined = _FORMS.joined.match(text)
    if joined:
        first, second = (_read(one) for one in filter(None, joined.groups()))
        refers = second and second.measures and {*second.of} <= {IT}
        if first and second and refers and _narrows(second) and not _narrows(first) and first.measures:
            return replace(first, goes_on=goes_on, then=replace(second, goes_on=True))
    found = _read(text)
    return None if found is None or is_bare(found) else replace(found, goes_on=goes_on)


def _narrows(ask: Ask) -> bool:
    return bool(ask.window or ask.by or ask.limit or ask.thread or ask.within)


def _read(text: str) -> Ask | None:
    slots: list[tuple[str, str]] = []
    limit: Limit | None = None
    percent: float | None = None

    def put(kind: str, value: str) -> str:
        slots.append((kind, value))
        return f" \x00{len(slots) - 1}\x00 "

    parts = re.split(r"(`[^`\n]+`)", text)
    text = "".join(put("name", one.strip("`")) if one.startswith("`") else one for one in parts)
    for pattern, is_over in ((_FORMS.over, True), (_FORMS.under, False)):
        if found := pattern.search(text):
            written = f"{found['number']} {found[0][found.end('number') - found.start() :].strip(' 的')}"
            unit = next((one for one in found.groups()[1:] if one), None)
            limit = Limit(milliseconds(found["number"].replace(",", "."), unit), written, is_over)
            text = f"{text[: found.start()]} {text[found.end() :]}"
    if found := _FORMS.percentile.search(text):
        percent = float(next(filter(None, found.groups())))
        text = f"{text[: found.start()]}{put('measure', 'percentile')}{text[found.end() :]}"
    ranges = time_ranges(text, [])
    if len(ranges) > 1 or any(one.moment is not None for one in ranges):
        return None
    if ranges:
        text = re.sub(r"\bW\b", lambda _: put("window", ""), without_time_ranges(text))
    lexicon = _lexicon()
    text = lexicon.pattern.sub(lambda found: put(*lexicon.slot_of[found[0].casefold()]), text)
    text = lexicon.dense.sub(lambda found: f" {found[0]} ", text)
    ask = _filled(text, slots, lexicon)
    if ask is None:
        return None
    return replace(ask, limit=limit, percent=percent, window=ranges[0] if ranges else None)


def _filled(text: str, slots: list[tuple[str, str]], lexicon: _Lexicon) -> Ask | None:
    """The ask of a text in which the slots stand as marks; None where a word is left over."""
    filling = _Filling(lexicon, is_dense=_NO_SPACES.search(text) is not None)
    for token in _FORMS.token.findall(text):
        if mark := _SLOT.fullmatch(token):
            filling.slot(*slots[int(mark[1])])
        elif not filling.word(token):
            return None
    return filling.ask()


class _Filling:
    """The slots of a prompt while it is read; a role waits for the name that follows it."""

    def __init__(self, lexicon: _Lexicon, *, is_dense: bool) -> None:
        self._lexicon, self._is_dense, self._role, self._refers = lexicon, is_dense, "", False
        self._runs: list[tuple[str, list[str]]] = [("", [])]
        self._found: dict[str, list[str]] = {}

    def _next(self, role: str) -> None:
        self._role = role
        self._runs.append((role, []))

    def slot(self, kind: str, value: str) -> None:
        role, words = self._runs[-1]
        if (kind, value, self._role) == ("measure", "longest", "without"):
            kind, value = "scope", WORST
        if kind == "name":
            self._runs.append((self._role, [value]))
        elif kind == "role" and value == "within" and self._is_dense and words and not role:
            self._runs[-1] = (value, words)  # `parse 里面`: it stands behind the name
        else:
            self._found.setdefault(kind, []).append(value)
        self._next(value if kind == "role" and not (self._is_dense and self._runs[-1] == (value, words)) else "")

    def word(self, token: str) -> bool:
        """Whether the word has a place."""
        (role, words), word = self._runs[-1], token.casefold()
        if word in _THREAD:
            self._runs[-1] = ("thread", words)
            self._next("" if words else "thread")
        elif word in _OTHERWISE:
            return False
        elif word in self._lexicon.refers:
            self._refers = self._refers or self._role != "without"
            if self._role in ("without", "within"):
                self._runs.append((self._role, [IT]))
            self._next("")
        elif word in self._lexicon.small or _FORMS.points.match(token):
            self._next("" if words else self._role)
        elif re.match(r"[A-Za-z_$<(]", english := in_english(token)):
            words.append(english.rstrip(":,").removesuffix("()").removesuffix("'s").removesuffix("’s"))
            self._runs[-1] = (role or self._role, words)
        else:
            return False
        return True

    def ask(self) -> Ask | None:
        found, scopes = self._found, self._found.get("scope", [])
        measures = tuple(dict.fromkeys(found.get("measure", [])))
        if "end" in measures:  # `when is it done`
            measures = tuple(one for one in measures if one != "when")
        ask = Ask(
            measures=measures,
            how=frozenset(found.get("how", [])),
            by=(found.get("by") or [""])[0],
            same_window="same_window" in scopes,
            without=WORST if WORST in scopes else "",
        )
        return _named(ask, self._runs, refers=self._refers)


def _named(ask: Ask, runs: list[tuple[str, list[str]]], *, refers: bool) -> Ask | None:
    """The ask with its names in their slots; None where a slot gets two."""
    found: dict[str, list[str]] = {}
    for role, words in runs:
        if len(words) > LONGEST_RUN:
            return None
        if words:
            found.setdefault(role, []).append(" ".join(words))
    of = tuple(dict.fromkeys(found.pop("", [])))
    place = tuple(found.pop("place", []))
    if place and not of and len(place) == 1 and not refers:
        of, place, ask = (
            place,
            (),
            replace(ask, placed=True),
        )  # `how much in parse`: that is what it is asked of, if it is no thread
    thread = tuple(found.pop("thread", []))
    if len(of) > NAMES or len(place) + len(thread) > 1 or any(len(one) > 1 for one in found.values()):
        return None
    if {*ask.measures} & _LEFT_TO_OTHERS or (len(of) == NAMES and not (ask.how or ask.window or ask.thread)):
        return None
    within = (found.get("within") or [""])[0]
    if (place and within) or (ask.by and found.get("by")) or (ask.without and found.get("without")):
        return None
    if refers and not of:
        of = (IT,)
    return replace(
        ask,
        of=of,
        thread=thread[0] if thread else "",
        within=within or (place[0] if place else ""),
        by=ask.by or (found.get("by") or [""])[0],
        without=ask.without or (found.get("without") or [""])[0],
    )
