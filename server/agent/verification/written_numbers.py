"""Numbers in a text, with what they measure and how precisely they were written."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from traces.lazy_regex import lazy_regex

UNIT = (
    r"%|percent\b|ns\b|nanoseconds?\b|µs\b|μs\b|us\b|microseconds?\b|ms\b|milliseconds?\b|msecs?\b|seconds?\b|secs?\b|s\b|"
    r"minutes?\b|mins?\b|hours?\b|bytes?\b|[kKMGT]i?B\b|B\b|k?Hz\b|thousand\b|million\b|billion\b|[kM]\b|"
    r"(?:[Nn]ano|[Mm]ikro|[Mm]illi)?[Ss]ekunden?\b|(?:nano|micro|milli)?secondes?\b|(?:nano|micro|mili)?segundos?\b|"
    r"[Pp]rozent\b|pour\s?cent\b|por\sciento\b|[Mm]inuten\b|minutos?\b|octets?\b|[kKMGT]o\b"
)
NUMBER = re.compile(
    rf"(?<![\w.,/#:$^])(?<!\w-)(?<![A-Za-z]\+)(?P<hedge>~|≈)?(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"(?:[\s\u00a0\u202f]?(?P<unit>{UNIT}))?(?![\w%]|\.\d)"
)
MINUTES = lazy_regex(r"(?<![\w.,])(?P<minutes>\d[\d,]{0,12}) min (?P<seconds>\d{1,2}) s\b")
RANGE = lazy_regex(
    rf"(?<![\w.,/#:$^-])(?P<first>\d+(?:\.\d+)?)\s?(?P<own>{UNIT})?\s?(?:-|–|—|\bto\b|\band\b|\buntil\b|→)\s?"
    rf"(?P<last>\d+(?:\.\d+)?)\s?(?P<unit>{UNIT})(?![\w%]|\.\d)"
)


IN_WORDS = lazy_regex(
    r"\b(?:(?P<half>half an?|eine[rn]? halbe[rn]?|une demi-?|una? medi[ao]|medi[ao])|an?|one|eine[rn]?|une?|uno?) ?"
    r"(?P<unit>(?:nano|micro|milli|mili|[Nn]ano|[Mm]ikro|[Mm]illi)(?:seconds?|[Ss]ekunden?|secondes?|segundos?)|"
    r"(?<=half a )second|(?<=halbe )Sekunde|(?<=halben )Sekunde|(?<=demi-)seconde|(?<=medio )segundo)\b",
)
"""`Half a microsecond`, `eine Millisekunde`."""


class Dimension(StrEnum):
    """What a number in an answer measures: only numbers of one dimension are compared."""

    TIME = "time"  #: nanoseconds
    BYTES = "bytes"  #: bytes
    SHARE = "share"  #: percent of something
    COUNT = "count"  #: a number of things


_SECONDS = {
    "sekunde": {"": 1e9, "milli": 1e6, "mikro": 1e3, "nano": 1.0},
    "sekunden": {"": 1e9, "milli": 1e6, "mikro": 1e3, "nano": 1.0},
    "seconde": {"": 1e9, "milli": 1e6, "micro": 1e3, "nano": 1.0},
    "segundo": {"": 1e9, "mili": 1e6, "micro": 1e3, "nano": 1.0},
}

_UNITS: dict[str, tuple[Dimension, float]] = {
    "%": (Dimension.SHARE, 1),
    "percent": (Dimension.SHARE, 1),
    "ns": (Dimension.TIME, 1),
    "nanosecond": (Dimension.TIME, 1),
    "µs": (Dimension.TIME, 1e3),
    "μs": (Dimension.TIME, 1e3),
    "us": (Dimension.TIME, 1e3),
    "microsecond": (Dimension.TIME, 1e3),
    "ms": (Dimension.TIME, 1e6),
    "msec": (Dimension.TIME, 1e6),
    "millisecond": (Dimension.TIME, 1e6),
    "s": (Dimension.TIME, 1e9),
    "sec": (Dimension.TIME, 1e9),
    "second": (Dimension.TIME, 1e9),
    "min": (Dimension.TIME, 60e9),
    "minute": (Dimension.TIME, 60e9),
    "hour": (Dimension.TIME, 3600e9),
    "b": (Dimension.BYTES, 1),
    "byte": (Dimension.BYTES, 1),
    "kb": (Dimension.BYTES, 1e3),
    "mb": (Dimension.BYTES, 1e6),
    "gb": (Dimension.BYTES, 1e9),
    "tb": (Dimension.BYTES, 1e12),
    "kib": (Dimension.BYTES, 2**10),
    "mib": (Dimension.BYTES, 2**20),
    "gib": (Dimension.BYTES, 2**30),
    "tib": (Dimension.BYTES, 2**40),
    "hz": (Dimension.COUNT, 1),
    "khz": (Dimension.COUNT, 1e3),
    "k": (Dimension.COUNT, 1e3),
    "thousand": (Dimension.COUNT, 1e3),
    "m": (Dimension.COUNT, 1e6),
    "million": (Dimension.COUNT, 1e6),
    "billion": (Dimension.COUNT, 1e9),
    "prozent": (Dimension.SHARE, 1),
    "pour cent": (Dimension.SHARE, 1),
    "por ciento": (Dimension.SHARE, 1),
    "octet": (Dimension.BYTES, 1),
    "ko": (Dimension.BYTES, 1e3),
    "mo": (Dimension.BYTES, 1e6),
    "go": (Dimension.BYTES, 1e9),
    "to": (Dimension.BYTES, 1e12),
    **{
        f"{small}{second}": (Dimension.TIME, size)
        for second, kinds in _SECONDS.items()
        for small, size in kinds.items()
    },
    "minuten": (Dimension.TIME, 60e9),
    "minuto": (Dimension.TIME, 60e9),
}


@dataclass(frozen=True, slots=True)
class Mention:
    """A number in a text: its value in the dimension's base unit (ns, bytes, percent, 1), and half its last printed
    digit.
    """

    value: float
    half_digit: float
    dimension: Dimension
    has_unit: bool
    hedged: bool
    start: int
    end: int


def mentions(text: str) -> Iterator[Mention]:
    """Every number of a text with its unit, in order; `3 min 12 s` is one number, `10–20 ms` two of milliseconds."""
    found = [
        Mention(
            (int(match["minutes"].replace(",", "")) * 60 + int(match["seconds"])) * 1e9,
            0.5e9,
            Dimension.TIME,
            has_unit=True,
            hedged=False,
            start=match.start(),
            end=match.end(),
        )
        for match in MINUTES.finditer(text)
    ]
    if "second" in text or "ekunde" in text or "segundo" in text:
        found += [_in_words(match) for match in IN_WORDS.finditer(text)]
    taken = _places(found)
    for match in RANGE.finditer(text):
        if not _overlaps(taken, match.start()):
            end = match.end("own") if match["own"] else match.end("first")
            found.append(_mention(match["first"], match["own"] or match["unit"], match.start("first"), end))
            found.append(_mention(match["last"], match["unit"], match.start("last"), match.end()))
    taken = _places(found)
    found += [
        _mention(match["number"], match["unit"] or "", match.start(), match.end(), hedged=bool(match["hedge"]))
        for match in NUMBER.finditer(text)
        if not _overlaps(taken, match.start())
    ]
    return iter(sorted(found, key=lambda mention: mention.start))


def _places(found: list[Mention]) -> tuple[list[int], list[int]]:
    """Where mentions begin and end, in order; none overlap."""
    ordered = sorted((mention.start, mention.end) for mention in found)
    return [start for start, _ in ordered], [end for _, end in ordered]


def _overlaps(taken: tuple[list[int], list[int]], start: int) -> bool:
    starts, ends = taken
    at = bisect_right(starts, start) - 1
    return at >= 0 and start < ends[at]


def _in_words(match: re.Match[str]) -> Mention:
    dimension, scale = _UNITS[match["unit"].lower().rstrip("s")]
    value = scale / 2 if match["half"] else scale
    return Mention(value, 0.1 * value, dimension, has_unit=True, hedged=False, start=match.start(), end=match.end())


def _mention(number: str, unit: str, start: int, end: int, *, hedged: bool = False) -> Mention:
    digits = number.replace(",", "")
    name = " ".join(unit.lower().split())
    dimension, scale = _UNITS.get(name, _UNITS.get(name.rstrip("s"), (Dimension.COUNT, 1.0)))
    last_digit = 10.0 ** -len(digits.partition(".")[2])
    return Mention(float(digits) * scale, 0.5 * last_digit * scale, dimension, bool(unit), hedged, start, end)
