"""Factors in a text: `3x`, `2.4 times as long`, `twice the time`, `half`, `a third`."""

import re
from collections.abc import Iterator

from server.agent.verification.written_numbers import Dimension, Mention
from traces.lazy_regex import lazy_regex

_FACTOR = lazy_regex(r"(?<![\w.,/#:$-])(\d+(?:,\d{3})*(?:\.\d+)?)(?:\s?[x×](?![\w×])|-fold\b)")
_COMPARED = (
    r"(?:as\s(?:much|many|long|slow|fast|large|big|heavy|expensive|often)|more|less|slower|faster|longer|larger|bigger|"
    r"heavier|higher|cheaper|smaller|what|the\s(?:time|cost|weight|memory|size|amount|self|total|average|mean|duration))"
)
_TO_TWENTY = """
two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
twenty
"""
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_COUNTED: dict[str, float] = {word: float(value) for value, word in enumerate(_TO_TWENTY.split(), start=2)}
_COUNTED |= {word: 10.0 * tens for tens, word in enumerate(_TENS.split(), start=3)}
_COUNTED |= {"a hundred": 100.0, "a thousand": 1000.0}
_TIMES_AS = lazy_regex(
    rf"(?<![\w.,/#:$-])(\d+(?:\.\d+)?|{'|'.join(_COUNTED)})\stimes(?=\s{_COMPARED}\b)",
    re.IGNORECASE,
)
_TIMES_ELSEWHERE = lazy_regex(
    r"(?<![\w.,/#:$-])(\d+(?:\.\d+)?)(?:[-\s]?mal\s(?=so\s|mehr|länger|langsamer|teurer|schneller|öfter|häufiger)|"
    r"\sfois(?=\s(?:plus|moins|autant|le\s|la\s)|\s{3,})|\sveces(?=\s(?:más|menos)))",
    re.IGNORECASE,
)
_WORD_TIMES = lazy_regex(
    r"\b(zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwanzig|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|vingt|dos|"
    r"tres|cuatro|cinco|seis|siete|ocho|nueve|diez|veinte)"
    r"(?:mal(?=\s(?:so|mehr|länger|langsamer|teurer|schneller|öfter|häufiger))|\sfois(?=\s(?:plus|moins|autant|le\s|la\s|le$))|"
    r"\sveces(?=\s(?:más|menos)))|\b(doppelt)(?=\sso\b)",
    re.IGNORECASE,
)
_WORD_FACTOR = lazy_regex(
    rf"\b(?:twice(?=\s{_COMPARED}\b)|double(?=\s(?:the|de|du|que)\b|\sd['’])|(?<=el )doble(?=\s(?:que|de|del)\b)|"
    r"doubles(?=\sthe\b)|half(?!\san?\s(?:nano|micro|milli)?second\b)|(?:a|one)\sthird|two\sthirds|(?:a|one)\squarter|"
    r"three\squarters)\b",
    re.IGNORECASE,
)
_WORDS: dict[str, float] = _COUNTED | {
    **dict.fromkeys(("zwei", "deux", "dos", "doppelt"), 2.0),
    **dict.fromkeys(("drei", "trois", "tres"), 3.0),
    **dict.fromkeys(("vier", "quatre", "cuatro"), 4.0),
    **dict.fromkeys(("seis",), 6.0),
    **dict.fromkeys(("sieben", "sept", "siete"), 7.0),
    **dict.fromkeys(("ocho",), 8.0),
    **dict.fromkeys(("neun", "neuf", "nueve"), 9.0),
    **dict.fromkeys(("diez",), 10.0),
    **dict.fromkeys(("zwanzig", "vingt", "veinte"), 20.0),
    **dict.fromkeys(("fünf", "cinq", "cinco"), 5.0),
    **dict.fromkeys(("sechs",), 6.0),
    **dict.fromkeys(("acht", "huit"), 8.0),
    **dict.fromkeys(("zehn", "dix"), 10.0),
    "twice": 2.0,
    "double": 2.0,
    "doubles": 2.0,
    "doble": 2.0,
    "half": 1 / 2,
    "third": 1 / 3,
    "two thirds": 2 / 3,
    "quarter": 1 / 4,
    "three quarters": 3 / 4,
}
_PARTS: dict[str, float] = {
    part: float(size)
    for size, several in (
        (2, "halves moitié mitad hälfte"),
        (3, "third thirds tiers tercio tercios tercera terceras drittel"),
        (4, "quarter quarters fourth fourths quart quarts cuarto cuartos cuarta cuartas viertel"),
        (5, "fifth fifths cinquième cinquièmes quinto quintos quinta quintas fünftel"),
        (6, "sixth sixths sixième sixièmes sexto sextos sexta sextas sechstel"),
        (7, "seventh sevenths septième septièmes séptimo séptimos séptima séptimas siebtel"),
        (8, "eighth eighths huitième huitièmes octavo octavos octava octavas achtel"),
        (9, "ninth ninths neuvième neuvièmes noveno novenos novena novenas neuntel"),
        (10, "tenth tenths dixième dixièmes décimo décimos décima décimas zehntel"),
        (20, "twentieth twentieths zwanzigstel vingtième"),
    )
    for part in several.split()
}
_MANY: dict[str, float] = {
    word: float(value)
    for value, several in enumerate(
        (
            "a one un une una ein eine einem einen la l die der",
            "two deux dos zwei",
            "three trois tres drei",
            "four quatre cuatro vier",
            "five cinq cinco fünf",
            "six seis sechs",
            "seven sept siete sieben",
            "eight huit ocho acht",
            "nine neuf nueve neun",
            "ten dix diez zehn",
            "twenty zwanzig vingt veinte",
        ),
        start=1,
    )
    for word in several.split()
} | {"twenty": 20.0, "zwanzig": 20.0, "vingt": 20.0, "veinte": 20.0}
_SOME = "|".join(sorted(_MANY, key=len, reverse=True))
_PART_OF = lazy_regex(
    rf"\b(?P<many>{_SOME})[ '’-](?P<part>{'|'.join(sorted(_PARTS, key=len, reverse=True))})\b"
    r"(?=(?: partes?)?,? (?:of|as|less|more|the|der|des|von|vom|aller|seiner|ihrer|du|de|d['’]|del|es|is|was|ist)\b"
    r"|(?: partes?)?[.,;)]|$)",
    re.IGNORECASE,
)
"""`five sixths of`, `zwei Fünftel der`, `una quinta parte`."""
_AND_A_HALF = lazy_regex(
    rf"\b(?P<many>{_SOME}) (?:and a half times|fois et demie|veces y media)\b",
    re.IGNORECASE,
)
"""`Two and a half times`."""
_IN_SO_MANY = lazy_regex(
    rf"\b(?P<many>{_SOME}) (?:in|out of|von|sur|de(?: cada)?|of (?:every|any)) "
    r"(?P<all>two|three|four|five|six|eight|ten|twenty|zwei|drei|vier|fünf|zehn|trois|quatre|cinq|dix|tres|cuatro|cinco|"
    r"diez)\b",
    re.IGNORECASE,
)
"""`Nine in ten`."""
_WORD_PRECISION = 0.1
"""How far what is written in words (`a third`) may lie from the value, as a part of it."""


CERTAIN_PART = 0.75
"""From here on a part in words is exact to half of what it lacks: nine tenths are not 98%."""


_MAY_HAVE_ONE = lazy_regex(r"[x×]|times|fold|mal|fois|veces|twice|doub|dobl|dopp|half|third|quarter", re.IGNORECASE)
_MAY_HAVE_A_PART = lazy_regex(
    r"(?:tel|half|media|demie|ths?|halves|ieme|ième|ièmes|tiers|thirds?|quar\w+|moitié|mitad|hälfte|parte|tercios?|cuartos?|quintos?|ten|zehn|dix|diez|five|cinq|cinco|"
    r"fünf|four|vier|quatre|cuatro|three|drei|trois|tres|twenty)\b",
    re.IGNORECASE,
)


def factors(text: str) -> Iterator[Mention]:
    """Every factor, as a plain number."""
    found: list[Mention] = []
    for one in (*_and_a_half(text), *_multiples(text), *_parts(text)):
        if not any(one.start < known.end and known.start < one.end for known in found):
            found.append(one)
            yield one


def _and_a_half(text: str) -> Iterator[Mention]:
    if "half times" in text or "demie" in text or "y media" in text:
        for match in _AND_A_HALF.finditer(text):
            yield _written(match, _number(match["many"]) + 1 / 2)


def _parts(text: str) -> Iterator[Mention]:
    """What is written as a part of something: `five sixths`, `nine in ten`."""
    if not _MAY_HAVE_A_PART.search(text):
        return
    for match in _PART_OF.finditer(text):
        yield _written(match, _number(match["many"]) / _PARTS[match["part"].casefold()])
    for match in _IN_SO_MANY.finditer(text):
        if (value := _number(match["many"]) / _number(match["all"])) < 1:
            yield _written(match, value)


def _number(word: str) -> float:
    return _MANY.get(word.casefold().rstrip("rs") if word.casefold().startswith("ein") else word.casefold(), 1.0)


def _written(match: re.Match[str], value: float) -> Mention:
    half = value * _WORD_PRECISION
    if CERTAIN_PART < value < 1:
        half = min(half, (1 - value) / 2)
    return Mention(value, half, Dimension.COUNT, has_unit=True, hedged=False, start=match.start(), end=match.end())


def _multiples(text: str) -> Iterator[Mention]:
    if not _MAY_HAVE_ONE.search(text):
        return
    for pattern in (_FACTOR, _TIMES_AS, _TIMES_ELSEWHERE, _WORD_TIMES, _WORD_FACTOR):
        for match in pattern.finditer(text):
            said = next(filter(None, match.groups()), match[0])
            word = " ".join(said.casefold().removeprefix("a ").removeprefix("one ").split())
            digits = said.replace(",", "")
            value = _WORDS[word] if word in _WORDS else float(digits)
            half = value * _WORD_PRECISION if word in _WORDS else 0.5 * 10.0 ** -len(digits.partition(".")[2])
            yield Mention(
                value, half, Dimension.COUNT, has_unit=True, hedged=False, start=match.start(), end=match.end()
            )
