"""Factors in a text: `3x`, `2.4 times as long`, `twice the time`, `half`, `a third`."""

import re
from collections.abc import Iterator

from server.agent.verification.written_numbers import Dimension, Mention

_FACTOR = re.compile(r"(?<![\w.,/#:$-])(\d+(?:,\d{3})*(?:\.\d+)?)(?:\s?[x×](?![\w×])|-fold\b)")
_COMPARED = (
    r"(?:as\s(?:much|many|long|slow|fast|large|big|heavy|expensive|often)|more|less|slower|faster|longer|larger|bigger|"
    r"heavier|higher|cheaper|smaller|what|the\s(?:time|cost|weight|memory|size|amount|self|total|average|mean|duration))"
)
_TIMES_AS = re.compile(
    rf"(?<![\w.,/#:$-])(\d+(?:\.\d+)?|two|three|four|five|six|seven|eight|nine|ten)\stimes(?=\s{_COMPARED}\b)",
    re.IGNORECASE,
)
_TIMES_ELSEWHERE = re.compile(
    r"(?<![\w.,/#:$-])(\d+(?:\.\d+)?)(?:[-\s]?mal\s(?=so\s|mehr|länger|langsamer|teurer|schneller|öfter|häufiger)|"
    r"\sfois(?=\s(?:plus|moins|le\s|la\s)|\s{3,})|\sveces(?=\s(?:más|menos)))",
    re.IGNORECASE,
)
_WORD_TIMES = re.compile(
    r"\b(zwei|drei|vier|fünf|sechs|acht|zehn|deux|trois|quatre|cinq|six|huit|dix|dos|tres|cuatro|cinco)"
    r"(?:mal(?=\s(?:so|mehr|länger|langsamer|teurer|schneller|öfter|häufiger))|\sfois(?=\s(?:plus|moins|le\s|la\s|le$))|"
    r"\sveces(?=\s(?:más|menos)))|\b(doppelt)(?=\sso\b)",
    re.IGNORECASE,
)
_WORD_FACTOR = re.compile(
    rf"\b(?:twice(?=\s{_COMPARED}\b)|double(?=\sthe\b)|doubles(?=\sthe\b)|half|(?:a|one)\sthird|two\sthirds|(?:a|one)\squarter|"
    r"three\squarters)\b",
    re.IGNORECASE,
)
_DIGITS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WORDS: dict[str, float] = {word: float(value) for value, word in enumerate(_DIGITS, start=2)} | {
    **dict.fromkeys(("zwei", "deux", "dos", "doppelt"), 2.0),
    **dict.fromkeys(("drei", "trois", "tres"), 3.0),
    **dict.fromkeys(("vier", "quatre", "cuatro"), 4.0),
    **dict.fromkeys(("fünf", "cinq", "cinco"), 5.0),
    **dict.fromkeys(("sechs",), 6.0),
    **dict.fromkeys(("acht", "huit"), 8.0),
    **dict.fromkeys(("zehn", "dix"), 10.0),
    "twice": 2.0,
    "double": 2.0,
    "doubles": 2.0,
    "half": 1 / 2,
    "third": 1 / 3,
    "two thirds": 2 / 3,
    "quarter": 1 / 4,
    "three quarters": 3 / 4,
}
_WORD_PRECISION = 0.1
"""How far what is written in words (`a third`) may lie from the value, as a part of it."""


_MAY_HAVE_ONE = re.compile(r"[x×]|times|fold|mal|fois|veces|twice|doub|dopp|half|third|quarter", re.IGNORECASE)


def factors(text: str) -> Iterator[Mention]:
    """Every factor, as a plain number."""
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
