"""A prompt into the slots of an ask, word by word. A word that fills no slot and is none of asking may be a name; words
that change what is asked, and figures that are no limit, make it no ask."""

import re
from dataclasses import dataclass, field, replace

from server.analyst.asked_things import place_ranked
from server.analyst.asks.ask import IT, NEXT, THEM, WORST, Ask, Limit, Rank, WhatIf, is_bare
from server.analyst.asks.lexicon import NO_SPACES, Lexicon, lexicon
from server.analyst.forms import first_form, forms, word_list
from server.analyst.measured import LONGEST_RUN
from server.analyst.moments import milliseconds, time_ranges, without_time_ranges
from server.analyst.sentence_forms import asks_whether
from server.analyst.subject_words import in_english

MOST_WORDS = 24
NAMES = 5
"""Words that may be names; the recording knows which are."""
_FORMS = forms("asks")
_RANKINGS = forms("rankings")
_SLOT = re.compile(r"\x00(\d+)\x00")
_LEFT_TO_OTHERS = word_list("no_measure_of_an_ask")
_THREAD = word_list("word_for_a_thread")
_OF = word_list("stands_before_a_base")
_NO_FUNCTIONS = word_list("counted_but_no_function")


def read(prompt: str) -> Ask | None:
    """What a prompt asks for; None where a word of it has no slot."""
    text = " ".join(lexicon().written_out(" ".join(prompt.split())).split())
    if first_form("recorded_time", text) or _FORMS.of_what_ran.search(text):
        return None
    if place_ranked(text) or _RANKINGS.over.search(text):
        return None
    of_parts = _FORMS.of_parts.search(text)
    if of_parts and {*re.findall(r"[^\W\d]+", of_parts[0].casefold())} & _NO_FUNCTIONS:
        return None
    if not text or len(text.split()) > MOST_WORDS:
        return None
    goes_on = _FORMS.goes_on.match(text) is not None
    joined = _FORMS.joined.match(text)
    if joined:
        first, second = (_read(one) for one in filter(None, joined.groups()))
        refers = second and second.measures and {*second.of} <= {IT}
        if first and second and refers and _narrows(second) and not _narrows(first) and first.measures:
            return replace(first, goes_on=goes_on, then=replace(second, goes_on=True))
    found = _read(text)
    if found is None or is_bare(found):
        return None
    if asks_whether(text) and not found.what_if:
        is_of_one = not (found.rank or found.base or "compare" in found.how or len(found.of) > 1)
        found = replace(found, is_strict=True) if is_of_one else None
    return found and replace(found, goes_on=goes_on, is_strict=found.is_strict or of_parts is not None)


def _narrows(ask: Ask) -> bool:
    return bool(ask.window or ask.by or ask.limit or ask.thread or ask.within)


def _read(text: str) -> Ask | None:
    filling = _Filling(lexicon(), is_dense=NO_SPACES.search(text) is not None)
    parts = re.split(r"(`[^`\n]+`)", text)
    text = "".join(filling.put("name", one.strip("`")) if one.startswith("`") else one for one in parts)
    text = _FORMS.numbered_thread.sub(lambda found: filling.put("name", found[0]), text)
    text = filling.with_numbers(text)
    ranges = time_ranges(text, [])
    if len(ranges) > 1 or any(one.moment is not None for one in ranges):
        return None
    if ranges:
        text = re.sub(r"\bW\b", lambda _: filling.put("window", ""), without_time_ranges(text))
    words = lexicon()
    text = words.pattern.sub(lambda found: filling.put(*words.slot_of[found[0].casefold()], found[0]), text)
    text = words.dense.sub(lambda found: f" {found[0]} ", text)
    for token in _FORMS.token.findall(text):
        if mark := _SLOT.fullmatch(token):
            filling.slot(int(mark[1]))
        elif not filling.word(token):
            return None
        filling.read_last(token)
    ask = filling.ask()
    return ask and replace(ask, window=ranges[0] if ranges else None)


_Names = tuple[str, ...]


@dataclass(slots=True)
class _Run:
    """Words that may be a name, the slot that a word before them gives them, and whether `of` stands before them."""

    role: str = ""
    words: list[str] = field(default_factory=list)
    is_of: bool = False


class _Filling:
    """The slots of a prompt while it is read; a role waits for the name that follows it."""

    def __init__(self, words: Lexicon, *, is_dense: bool) -> None:
        self._lexicon, self._is_dense, self._role, self._is_of = words, is_dense, "", False
        self._before = ""
        self._slots: list[tuple[str, str, str]] = []
        self._runs: list[_Run] = [_Run()]
        self._found: dict[str, list[str]] = {}
        self._refers = self._base_is_it = self._points = False
        self._limit: Limit | None = None
        self._percent: float | None = None
        self._times: float | None = None
        self._number = 1

    def put(self, kind: str, value: str, written: str = "") -> str:
        """A mark for a slot, in the text."""
        self._slots.append((kind, value, written))
        return f" \x00{len(self._slots) - 1}\x00 "

    def with_numbers(self, text: str) -> str:
        """The text with marks for what has a figure: limits, percentiles, factors, the number of places."""
        for pattern, is_over in ((_FORMS.over, True), (_FORMS.under, False)):
            if found := pattern.search(text):
                written = f"{found['number']} {found[0][found.end('number') - found.start() :].strip(' 的')}"
                unit = next((one for one in found.groups()[1:] if one), None)
                self._limit = Limit(milliseconds(found["number"].replace(",", "."), unit), written, is_over)
                text = f"{text[: found.start()]} {text[found.end() :]}"
        if found := _FORMS.over_average.search(text):
            written = found["times"] or found["times_zh"] or ("2" if found["double"] or found["double_zh"] else "")
            of = "median" if found["median"] else "mean"
            of_it = {"mean": "average", "median": "median"}[of]
            limit = f"{written} times the {of_it}" if written else f"the {of_it}"
            self._limit = Limit(float((written or "1").replace(",", ".")), limit, found["under"] is None, of)
            text = f"{text[: found.start()]} {text[found.end() :]}"
        if found := _FORMS.percentile.search(text):
            self._percent = float(next(filter(None, found.groups())))
            text = f"{text[: found.start()]}{self.put('measure', 'percentile')}{text[found.end() :]}"
        for name in ("parallel", "times"):
            if found := getattr(_FORMS, name).search(text):
                self._times = float(next(filter(None, found.groups()), "2").replace(",", "."))
                text = f"{text[: found.start()]}{self.put('what_if', name)}{text[found.end() :]}"
        if found := _FORMS.places.search(text):
            self._number = _NUMBERS.get(found["number"].casefold()) or int(found["number"])
            kind, value = ("order", "top") if found["top"] else ("place", "next")
            text = f"{text[: found.start()]}{self.put(kind, value)}{text[found.end() :]}"
        return text

    def read_last(self, token: str) -> None:
        """That this token was read."""
        self._before = token.casefold()

    def _next(self, role: str) -> None:
        self._role, self._is_of = role, False
        self._runs.append(_Run(role))

    def slot(self, at: int) -> None:
        kind, value, written = self._slots[at]
        run = self._runs[-1]
        is_noun = value == "going" and self._before in _ARTICLES  # `the cache itself`
        if kind == "what_if" and (is_noun or (self._role not in ("", GOING) and not run.words)) and written.isalpha():
            self.word(written)  # `flush inside save`: where a name has to stand
            return
        if (kind, value, self._role) == ("measure", "longest", "without"):
            kind, value = "scope", WORST
        if kind == "them":
            self._runs.append(_Run(self._role, [f"them {value}"]))
            self._next(NOUN)
            return
        if kind == "name":
            self._runs.append(_Run(self._role, [value], self._is_of))
        elif kind == "role" and value == "within" and self._is_dense and run.words and not run.role:
            run.role = value  # `parse 里面`: it stands behind the name
            self._next("")
            return
        elif (kind, value) == ("what_if", "gone"):  # `sieve wegfiele`: what stands before it
            for one in self._runs:
                one.role = one.role or ("without" if one.words else "")
            self._found.setdefault(kind, []).append(value)
        else:
            self._found.setdefault(kind, []).append(value)
            if (kind, value) in _BEFORE_A_NAME:
                self._next(_BEFORE_A_NAME[kind, value])
                return
        self._next(value if kind == "role" else "")

    def word(self, token: str) -> bool:
        """Whether the word has a place."""
        run, word = self._runs[-1], re.sub("(?<=who)['’]s$", "", token.casefold())
        if word in _THREAD and self._role == NOUN:
            return False  # of threads, what is spoken of is another thing
        if word in _THREAD:
            run.role = "thread"
            self._next("" if run.words else "thread")
        elif word in self._lexicon.otherwise:
            ranks = any(kind in ("order", "place") for kind, *_ in self._slots)
            return word in _OF_A_RANK and (self._limit is not None or ranks)
        elif word in self._lexicon.refers:
            self._points = self._points or word in _POINTS
            self._refers = self._refers or self._role not in ("without", "base")
            self._base_is_it = self._base_is_it or (self._is_of and not self._role) or self._role == "place"
            if self._role in ("without", "within", "base"):
                self._runs.append(_Run(self._role, [IT]))
                self._next(NOUN if word in _POINTS else "")  # `without that copy`
                return True
            self._next("")
        elif word in _OF:
            self._next("" if run.words else self._role)
            self._is_of = True
        elif word in self._lexicon.small or _FORMS.points.match(token):
            is_of = self._is_of and not run.words
            self._next("" if run.words or self._role == NOUN else self._role)  # `that is parse`: no noun of `that`
            self._is_of = is_of
        elif re.match(r"[A-Za-z_$<(]", english := in_english(token)):
            run.words.append(english.rstrip(":,").removesuffix("()").removesuffix("'s").removesuffix("’s"))
            run.role, run.is_of = run.role or self._role, run.is_of or self._is_of
        else:
            return False
        return True

    def ask(self) -> Ask | None:
        """The ask of what was read; None where a slot gets two, or what would be is asked of nothing."""
        found, scopes = self._found, self._found.get("scope", [])
        measures = tuple(dict.fromkeys(_MEANS.get(one, one) for one in self._measures))
        if "where" in scopes and not {*measures} & {"longest", "last", "first"}:
            return None
        if "in_unit" in measures:
            measures = tuple(one for one in measures if one != "in_unit") or ("total",)
        if self._asks_how_long and "median" in measures:  # `how long is a flush normally`: of one, and not of all
            measures = tuple(one for one in measures if one != "total")
        if "end" in measures:  # `when is it done`
            measures = tuple(one for one in measures if one != "when")
        if "usual" in measures:  # `how long is a drive normally`
            measures = tuple(one for one in measures if one not in ("mean", "median", "total"))
        how = frozenset({*found.get("how", []), *(["compare"] if "compared" in measures else [])})
        runs = sum(bool(run.words) for run in self._runs)
        if "sum" in how and ((not measures and runs) or (runs < len((IT, IT)) and measures == ("calls",))):
            measures = (*measures, "total")  # `sorted合計`: of one thing the sum is what it takes
        ask = Ask(
            measures=tuple(one for one in measures if one != "compared"),
            percent=self._percent,
            limit=self._limit,
            how=how,
            by=(found.get("by") or [""])[0],
            base=(found.get("base") or [""])[0],
            same_window="same_window" in scopes,
            without=next((one.removeprefix("without_") for one in scopes if one in _CALL_LEFT_OUT), ""),
            rank=self._rank(),
        )
        if ask.rank and "compare" in how:  # `alpha vs beta vs gamma, which is hottest`
            ask = replace(ask, rank=None, measures=ask.measures or ("self",))
        named = self._named(ask)
        return named and self._what_if(named)

    def _rank(self) -> Rank | None:
        """The place in an order; of a place alone, what it is a place in is left open."""
        orders, kinds, places = (self._found.get(one, []) for one in ("order", "kind", "place"))
        first = {"next": NEXT}.get(places[0]) or int(places[0]) if places else 0
        if orders or "callee" in kinds:
            asked = orders if self._asks_how_often else (*orders, *self._measures)
            by = next((one for one in ("calls", "self", "total") if one in asked), "")
            return Rank((kinds or ["function"])[0], by, max(first, 1) if places else 0, self._number)
        return Rank("", "", first, self._number) if places else None

    @property
    def _asks_how_often(self) -> bool:
        """Whether the calls of what is ranked are asked for, and no order by calls."""
        return any(
            kind == "measure" and value == "calls" and _FORMS.how_often.match(way) for kind, value, way in self._slots
        )

    @property
    def _asks_how_long(self) -> bool:
        """Whether it has no other words for a total than `how long`."""
        written = [way for kind, value, way in self._slots if (kind, value) == ("measure", "total")]
        return bool(written) and all(_FORMS.how_long.fullmatch(way) for way in written)

    @property
    def _measures(self) -> list[str]:
        return self._found.get("measure", [])

    def _named(self, ask: Ask) -> Ask | None:
        """The ask with its names in their slots; None where a slot gets two."""
        found: dict[str, list[str]] = {}
        for run in self._runs:
            if len(run.words) > LONGEST_RUN:
                return None
            if run.words:
                role = "without" if run.role == GOING else run.role
                found.setdefault(role, []).append(" ".join(run.words))
        of, place, thread = (tuple(dict.fromkeys(found.pop(one, []))) for one in ("", "place", "thread"))
        refers, nouns = self._refers, tuple(found.pop(NOUN, []))
        if "share" in ask.measures and not ask.base and {*ask.measures} <= {"share", "total", "self"}:
            base, of, place = self._base(of, place)
            ask, refers = replace(ask, base=base), refers and base != IT
        if place and not of and len(place) == 1 and not refers:
            # `how much in parse`: that is what it is asked of, if it is no thread
            of, place, ask = place, (), replace(ask, placed=True)
        if (
            sum(len(one.split()) for one in of) > NAMES
            or len(place) + len(thread) > 1
            or any(len(one) > 1 for one in found.values())
        ):
            return None
        if {*ask.measures} & _LEFT_TO_OTHERS or (ask.rank and {*THEM} & {*of}):  # `the five hottest`
            return None
        ask = replace(ask, is_strict=self._points and bool(of))
        within = (found.get("within") or [""])[0]
        if (place and within) or (ask.by and found.get("by")) or (ask.without and found.get("without")):
            return None
        ask, of = self._with_base(ask, of, (found.get("base") or [""])[0])
        return replace(
            ask,
            of=(IT,) if refers and not of else of,
            thread=thread[0] if thread else "",
            within=within or (place[0] if place else ""),
            by=ask.by or (found.get("by") or [""])[0],
            nouns=nouns,
            without=ask.without or (found.get("without") or [""])[0],
        )

    def _with_base(self, ask: Ask, of: _Names, base: str) -> tuple[Ask, _Names]:
        """The ask with what stands behind `as part of`; `how much of parse in the first second` is asked of it."""
        if "some_of" in self._measures and base:
            of, base = (of, base) if of else ((base,), "")
            ask = replace(ask, measures=tuple("share" if one == "total" and base else one for one in ask.measures))
        return replace(ask, base=ask.base or base), of

    def _base(self, of: _Names, place: _Names) -> tuple[str, _Names, _Names]:
        """What a share is of, and what then is left to be asked of: `share of parse in emit`, `parse % of emit`."""
        bases = [" ".join(run.words) for run in self._runs if run.is_of and not run.role and run.words]
        others = tuple(one for one in of if one not in bases)
        if self._base_is_it and of:
            return IT, of, place
        if len(of) > 1 and len(bases) == 1 and others:
            return bases[0], others, place
        if self._refers and len(of) == 1 and [*of] == bases and not place:  # `what % of main is that`
            return of[0], (), place
        return (place[0], of, ()) if len(of) == 1 and len(place) == 1 else ("", of, place)

    def _what_if(self, ask: Ask) -> Ask | None:
        """The ask with what would be; None where it speaks of that and nothing is named."""
        words = self._found.get("what_if", [])
        is_bare = not (ask.window or ask.rank or ask.limit or ask.thread or ask.by or ask.base or ask.within or ask.how)
        if not words and is_bare and ask.of and ask.without not in ("", IT, WORST) and {*ask.measures} <= {"total"}:
            words = ["left"]  # `main without parse`
        if not words:
            return ask
        if {*ask.measures} & {"mean", "median", "percentile", "calls", "limit"}:
            return None if "saved" in words else _without_a_call(ask)
        ways, wants = {*words}, "saved" if "saved" in words else "left"
        times = self._times if ways & {"times", "parallel"} else None
        if ask.window or ask.rank or ask.limit or ask.thread or not ways - {"would"}:
            return None if not ask.without or ask.rank else replace(ask, what_if=WhatIf(wants))
        without = ask.without
        if not without and ways & {"saved", "gone", "going", "times", "parallel"}:
            (without, *others) = ask.of or (IT,)
            ask = replace(ask, of=tuple(others))
        if not without:
            return None
        of = tuple(one for one in ask.of if one != IT)
        what_if = WhatIf(wants, times, "parallel" in ways)
        return replace(ask, without=without, of=of, what_if=what_if, placed=False)


def _without_a_call(ask: Ask) -> Ask | None:
    """`avg wait if you drop that outlier`: nothing is supposed, a call is left out."""
    if "longest" not in ask.measures:
        return ask if ask.without == IT else None
    name = ask.without if ask.without not in ("", IT, WORST) else ""
    of = (name,) if name and not ask.of else tuple(one for one in ask.of if one != IT)
    return replace(ask, without=WORST, of=of, measures=tuple(one for one in ask.measures if one != "longest"))


_POINTS = word_list("points_at_a_noun")
_ARTICLES = frozenset({"the", "a", "our", "its", "der", "die", "das", "le", "la", "el", "o", "os"})
GOING, NOUN = "going", "noun"
_CALL_LEFT_OUT = frozenset({WORST, "without_first", "without_last"})
_BEFORE_A_NAME = {("what_if", "going"): GOING, ("measure", "part"): "base", ("measure", "some_of"): "base"}
_MEANS = {"part": "share", "some_of": "total", "total_of": "total", "total_in": "total"}
_OF_A_RANK = frozenset({"which", "who"})
_COUNTING = (
    "one two three four five six seven eight nine ten",
    "eine zwei drei vier fünf sechs sieben acht neun zehn",
    "un deux trois quatre cinq six sept huit neuf dix",
    "um dois três quatro cinco seis sete oito nove dez",
    "uno dos tres cuatro cinco seis siete ocho nueve diez",
)
_NUMBERS = {word: at for row in _COUNTING for at, word in enumerate(row.split(), start=1)} | {"duas": 2}
