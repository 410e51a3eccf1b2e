"""Prompts that ask for one of a list by its place: `the second?`, `der dritte`, `y el más rápido?`, `the first`."""

import re
from collections.abc import Sequence

from server.agent.verification.references.figure_links import without_addresses
from server.analyst.asked_things import would_help
from server.analyst.forms import forms, word_list
from server.analyst.moments import called_between
from traces.lazy_regex import lazy_regex

_FORMS = forms("ordinals")

_PLACES = (
    r"first|1st|erste[rns]?|premi(?:er|ère)|primer[oa]?|primeir[oa]|prim[oa]|первый|第一个?",
    r"second|2nd|other|zweite[rns]?|deuxième|segund[oa]|second[oa]|tweede|второй|第二个?",
    r"third|3rd|dritte[rns]?|troisième|tercer[oa]?|terceir[oa]|terz[oa]|derde|третий|第三个?",
    r"fourth|4th|vierte[rns]?|quatrième|cuart[oa]|quart[oa]|vierde|четв[её]ртый|第四个?",
)
"""Words for the places of a list, from its first."""
_LAST = (
    r"last|fastest|quickest|cheapest|lightest|(?:the )?least|schnellste[rns]?|letzte[rns]?|(?:plus )rapide|dernière?|"
    r"(?:más |mais )r[áa]pid[oa]|últim[oa]|(?:più )veloce|ultim[oa]|snelste|laatste|самый быстрый|最快的?|最后一个?"
)
"""Words for the end of a list of what takes the most."""
_NEXT = r"next|nächste[rns]?|suivante?|siguiente|próxim[oa]|prossim[oa]|volgende|следующий|下一个"
"""Words for what follows in a list."""
_WORD = rf"(?:{'|'.join(_PLACES)}|{_LAST}|{_NEXT})"
_ARTICLE = r"(?:the|your|der|die|das|le|la|el|il|lo|o|a|de|het)"
_NOUN = r"(?:one|function|method|entry|row|guy|thing|place|thread|process|callers?|callees?)"
_RANK = r"(?:(?:most (?:common|frequent|important)|biggest|largest|heaviest) )?"
_BARE = lazy_regex(
    rf"^¿?(?:(?:and|then|ok(?:ay)?|und|et|y|e|en|и|那)[ ,]*)*(?:(?:what|who|which)(?:['’]?s| is| comes)? )?"
    rf"(?:{_ARTICLE} )?(?P<word>{_WORD})(?: (?:busiest|heaviest|hottest|biggest|costliest))?(?: {_NOUN})?"
    r"(?: (?:there|here|then))?"
    rf"(?: of (?:(?:the|these|those|all) )?(?:two|three|four|five|them|all|lot|these|those))?\W*$",
    re.IGNORECASE,
)
_OF_ALL = lazy_regex(rf"^{_LAST}$", re.IGNORECASE)
_WITHIN = lazy_regex(
    rf"\b(?:{_ARTICLE} )?(?P<word>{'|'.join(_PLACES)}|last) {_RANK}{_NOUN}\b|"
    rf"(?<=\b(?:on|of|in|by) )(?:{_ARTICLE} )(?P<end>{'|'.join(_PLACES)})(?=\W*$)|"
    r"(?<![\w#])#(?P<sign>[1-9])(?![\w])|\b(?:number|nr|no)\.? ?(?P<number>[1-9])\b",
    re.IGNORECASE,
)
_SENTENCE = lazy_regex(
    r"(?<=[.!?;])\s+|(?<=,)\s+(?=what(?: is|'?s)? else|any\w* else|was sonst|sonst|quoi d|qué más|o que mais)"
)
_CITED = lazy_regex(r"\[`[^`\n]+`\]\(#([fns]\d+)\)")
_OF_A_LIST = word_list("of_a_list")
LAST, NEXT = -1, -2
FURTHER_UP = ", further up"
"""How an opening goes on after those that call a function, with who calls them: they are no part of its list."""


def place_of(word: str) -> int:
    """`1` for `second` and `zweite`, `LAST` for what ends a list, `NEXT` for what follows what was spoken of."""
    if _OF_ALL.match(word):
        return LAST
    if re.fullmatch(_NEXT, word, re.IGNORECASE):
        return NEXT
    return next(place for place, ways in enumerate(_PLACES) if re.fullmatch(ways, word, re.IGNORECASE))


_NUMBERS = (
    {"1", "one", "eins", "un", "uno"},
    {"2", "two", "zwei", "deux", "dos", "due"},
    {"3", "three", "drei", "trois", "tres", "tre"},
    {"4", "four", "vier", "quatre", "cuatro", "quattro"},
)
_ORDINALS = ("first", "second", "third", "fourth")


def what_else(prompt: str) -> bool:
    """Whether it asks for what there is besides what was spoken of."""
    return _FORMS.what_else.match(_SENTENCE.split(" ".join(prompt.split()))[-1]) is not None


def _as_ordinal(prompt: str) -> str:
    """The prompt with `second` for `number two`, and `next` for what asks of the rest."""
    if what_else(prompt):
        return "next"

    def ordinal(found: re.Match[str]) -> str:
        word = found["place"].casefold()
        return _ORDINALS[next(at for at, ways in enumerate(_NUMBERS) if word in ways)]

    return _FORMS.numbered.sub(ordinal, prompt)


def after_a_list(prompt: str, ranked: Sequence[str], openings: Sequence[str]) -> str:
    """The prompt with `next` for what asks for what follows in a list that was given, and not after a time."""
    is_of_a_list = ranked and _FORMS.and_then.match(" ".join(prompt.split()))
    return "next" if is_of_a_list and not (openings and called_between(openings[-1])) else prompt


def bare_place(prompt: str) -> int | None:
    """The place that a prompt asks for which is nothing else; None for any other."""
    found = _BARE.match(_as_ordinal(prompt))
    return place_of(found["word"]) if found else None


def place_within(prompt: str) -> tuple[int, int, int] | None:
    """The place that a prompt speaks of, and where in it that stands."""
    found = _WITHIN.search(prompt)
    if found is None or would_help(prompt):  # `a 4th thread` that is not there yet
        return None
    digit = found["sign"] or found["number"]
    return (int(digit) - 1 if digit else place_of(found["word"] or found["end"])), found.start(), found.end()


def with_ordinals(prompt: str, ranked: Sequence[str], listed: Sequence[str] = (), current: str = "") -> str:
    """The prompt with the handle of what it calls `the second one`: of the list that was given, else, unless it is
    nothing but a place, of all that the answer before named. `current` is what was spoken of, which `next` follows."""
    is_besides = what_else(prompt)
    prompt = _as_ordinal(prompt)
    bare = bare_place(prompt)
    if bare == NEXT:  # after a list that holds what was spoken of; else it is of all
        bare = ranked.index(current) + 1 if current in ranked else len(ranked) if is_besides else 1
    if bare is not None:
        if len(ranked) <= max(bare, 1):
            return prompt
        return ranked[bare] if is_besides else f"and {ranked[bare]}?"
    found = place_within(prompt)
    if found is None:
        return prompt
    place, start, end = found
    among = ranked if len(ranked) > 1 else listed
    return f"{prompt[:start]}{among[place]}{prompt[end:]}" if place < len(among) and among else prompt


def ranked_in(answer: str) -> tuple[str, ...]:
    """The handles of the list that an answer gives: in its first sentences, or as a table or lines; empty without."""
    opening, _, rest = without_addresses(answer).partition("\n\n")
    if len(in_sentence := _run(opening.partition(FURTHER_UP)[0])) > 1:
        return in_sentence
    first = _CITED.search(opening)
    if first and rest.startswith("Then [`"):  # what follows what leads
        return tuple(dict.fromkeys((first[1], *_CITED.findall(rest.partition("\n")[0]))))
    lines = [_CITED.match(line.lstrip("-| ")) for line in rest.splitlines() if line.startswith(("- ", "| "))]
    found = tuple(dict.fromkeys(line[1] for line in lines if line))
    return found if len(found) > 1 else ()


def _run(sentence: str) -> tuple[str, ...]:
    """The longest run of citations with nothing between them but figures and words of a list."""
    best: list[str] = []
    run: list[str] = []
    end = 0
    for one in _CITED.finditer(sentence):
        gap = sentence[end : one.start()]
        words = re.findall(r"[^\W\d_]+", gap.lower())
        goes_on = run and "[" not in gap and set(words) <= _OF_A_LIST and ". " not in gap and gap != " calls "
        run = [*run, one[1]] if goes_on else [one[1]]
        end = one.end()
        best = max(best, run, key=len)
    return tuple(dict.fromkeys(best))
