"""Which time range a question means: between, at, before and after, halves and thirds, and named windows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from server.agent.verification.references.figure_links import without_addresses
from server.analyst.forms import forms
from traces.lazy_regex import lazy_regex

_FORMS = forms("moments")

_UNITS = {
    "ns": 1e-6,
    "us": 1e-3,
    "μs": 1e-3,  # the Greek letter, which the micro sign becomes in small letters
    **dict.fromkeys(("ms", "мс", "毫秒", "ミリ秒", "밀리초"), 1.0),
    **dict.fromkeys(("s", "sec", "second", "sekunde", "seconde", "segundo", "secondo", "с", "сек", "秒", "초"), 1e3),
    **dict.fromkeys(("min", "minute", "分", "分钟", "분"), 6e4),
}
_PARTS = {
    "first_half": (0.0, 0.5),
    "second_half": (0.5, 1.0),
    "first_third": (0.0, 1 / 3),
    "second_third": (1 / 3, 2 / 3),
    "last_third": (2 / 3, 1.0),
    "first_quarter": (0.0, 0.25),
    "last_quarter": (0.75, 1.0),
    "beginning": (0.0, 0.1),
    "ending": (0.9, 1.0),
}
_NAMED = (
    (lazy_regex(r"\b(?:page )?load(?:ing)? (?:time|phase)?\b|\bduring load\b|\bthe load\b", re.IGNORECASE), ("load",)),
    (
        lazy_regex(r"\b(?:busiest|hottest) (?:stretch|moment|part|time|phase)\b", re.IGNORECASE),
        ("the busiest stretch",),
    ),
)


_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DIGITS = {word: str(value) for value, word in enumerate(_NUMBERS, start=1)}
_WORDED = lazy_regex(rf"\b(?:{'|'.join(_NUMBERS)})\b(?= (?:seconds?|milliseconds?|minutes?|and|to)\b)", re.IGNORECASE)


def _one(text: str) -> str:
    """The text with `first 1 second` for the first second, in any language."""
    return _FORMS.one.sub(lambda found: f" {'last' if found[1] else 'first'} 1 {found[2]} ", text)


@dataclass(frozen=True, slots=True)
class TimeRange:
    """What a question says of time. `start` and `end` in milliseconds (None: from the beginning, to the end), `moment`
    a single one, `part` as shares of the recording; `profile` of a named window."""

    start: float | None = None
    end: float | None = None
    moment: float | None = None
    part: tuple[float, float] | None = None
    last: float | None = None
    profile: str | None = None

    def within(self, length_ms: float) -> tuple[float, float]:
        """From and to, in milliseconds, within a recording of that length; a moment becomes a hundredth of it, 10 ms at
        least. What lies outside keeps its place."""
        if self.part is not None:
            return self.part[0] * length_ms, self.part[1] * length_ms
        if self.moment is not None:
            half = max(length_ms / 200, 5.0)
            return max(0.0, self.moment - half), self.moment + half
        if self.last is not None:
            return max(0.0, length_ms - self.last), length_ms
        return self.start or 0.0, length_ms if self.end is None else self.end


def time_ranges(text: str, windows: list[dict[str, Any]]) -> tuple[TimeRange, ...]:
    """The time ranges that a question names, in its order; `windows` are those with a name."""
    text = _WORDED.sub(lambda word: _DIGITS[word[0].casefold()], _one(text))
    found: list[tuple[int, TimeRange]] = []
    for match in _FORMS.span.finditer(text):
        last = match[5] or match[6]
        start, end = milliseconds(match[1], match[2] or match[3] or last), milliseconds(match[4], last)
        if start < end:
            found.append((match.start(), TimeRange(start, end)))
    found += (
        []
        if found
        else [
            (m.start(), TimeRange(milliseconds(m[1], None), milliseconds(m[2], None)))
            for m in _FORMS.without_unit.finditer(text)
            if float(m[1]) < float(m[2])
        ]
    )
    if not found:
        found = [*_single(text)]
    for name, part in _PARTS.items():
        found += [(match.start(), TimeRange(part=part)) for match in getattr(_FORMS, name).finditer(text)]
    if not found:
        found = [*_named(text, windows)]
    return tuple(time_range for _, time_range in sorted(found, key=lambda one: one[0]))


def _single(text: str) -> list[tuple[int, TimeRange]]:
    found = [(m.start(), TimeRange(moment=_length(m))) for m in _FORMS.at.finditer(text)]
    found += [(m.start(), TimeRange(moment=milliseconds(m[1], "s"))) for m in _FORMS.at_second.finditer(text)]
    after = [*_FORMS.after.finditer(text)]
    firsts = (m for m in _FORMS.first.finditer(text) if not any(one.start() < m.end() <= one.end() for one in after))
    found += [(m.start(), TimeRange(0.0, _length(m))) for m in firsts]
    found += [(m.start(), TimeRange(last=_length(m))) for m in _FORMS.last.finditer(text)]
    found += [(m.start(), TimeRange(_length(m))) for m in after]
    return found


def _length(match: re.Match[str]) -> float:
    """The number and unit of a match, which may stand in other groups."""
    found = match.groups()
    at = next(at for at in range(0, len(found), 3) if found[at] is not None)
    number, unit, character = found[at : at + 3]
    return milliseconds(number, unit or character)


def without_time_ranges(text: str) -> str:
    """The text with W where a time range is named."""
    text = _WORDED.sub(lambda word: _DIGITS[word[0].casefold()], _one(text))
    for pattern in (
        _FORMS.span,
        _FORMS.without_unit,
        _FORMS.at,
        _FORMS.at_second,
        _FORMS.first,
        _FORMS.last,
        _FORMS.after,
        *(getattr(_FORMS, one) for one in _PARTS),
        _FORMS.in_view,
    ):
        text = pattern.sub(" W ", text)
    return text


def asks_of_a_time_alone(text: str) -> bool:
    """Whether nothing but a time range is asked for, at the end of a prompt: `between 500 and 700 ms?`."""
    last = _SENTENCES.split(text.strip())[-1]
    left = without_time_ranges(last)
    return left != last and not re.search(r"(?!\b(?:W|and|so|what|now|und|et|y)\b)\b\w", left)


_SENTENCES = lazy_regex(r"(?<=[^\d][.!?])\s+")


def lengths(text: str) -> tuple[float, ...]:
    """Every length of time in the text, in milliseconds."""
    return tuple(milliseconds(m[1], m[2] or m[3]) for m in _FORMS.length.finditer(text))


def called_between(opening: str) -> TimeRange | None:
    """The time of the range or the one call that an answer's opening names; None where it names none."""
    read = without_addresses(opening)
    if span := _FORMS.span.search(read):
        return _spanned(span)
    if call := _FORMS.call.search(read):
        at = milliseconds(call[4], call[5] or call[6])
        return TimeRange(at, at + milliseconds(call[1], call[2] or call[3]))
    return None


def is_next_to(text: str) -> str:
    """`before` or `after`, where a text asks for the time next to what was spoken of; else empty."""
    asked = _FORMS.next_to.match(text)
    return "" if asked is None else "before" if any(asked.groups()) else "after"


def within(text: str, openings: Sequence[str]) -> TimeRange | None:
    """The time range that the newest answer's opening names, where a text asks for what was in that; else None."""
    if not openings or not _FORMS.within.match(text):
        return None
    span = _FORMS.span.search(without_addresses(openings[-1]))
    return None if span is None else _spanned(span)


def _spanned(match: re.Match[str]) -> TimeRange:
    last = match[5] or match[6]
    return TimeRange(milliseconds(match[1], match[2] or match[3] or last), milliseconds(match[4], last))


def next_to(text: str, earlier: Sequence[str], openings: Sequence[str]) -> TimeRange | None:
    """The time before or after the range that the newest answer's opening named, or an earlier prompt, the newest
    first. None where the text does not ask so, or none was named."""
    side = is_next_to(text)
    for words in (*map(without_addresses, openings[-1:]), *reversed(earlier)):
        spans = [(milliseconds(m[1], m[2] or m[3] or m[5] or m[6]), milliseconds(m[4], m[5] or m[6]))
                 for m in _FORMS.span.finditer(words)]  # fmt: skip
        spans += [
            (at := milliseconds(m[4], m[5] or m[6]), at + milliseconds(m[1], m[2] or m[3]))
            for m in _FORMS.call.finditer(words)
        ]
        spans += [(_length(m), _length(m)) for m in _FORMS.began.finditer(words)]
        if spans and side:
            return TimeRange(0.0, spans[0][0]) if side == "before" else TimeRange(spans[0][1])
    return None


def _named(text: str, windows: list[dict[str, Any]]) -> list[tuple[int, TimeRange]]:
    meant: tuple[str, ...] = ("what is in view",) if _FORMS.in_view.search(text) else ()
    for pattern, names in _NAMED:
        meant += names if pattern.search(text) else ()
    return [
        (0, TimeRange(window["start_ms"], window["end_ms"], profile=window["profile"]))
        for window in windows
        if window["name"] in meant
    ]


def milliseconds(number: str, unit: str | None) -> float:
    """A length as it was written; seconds where no unit is."""
    name = (unit or "s").casefold()
    name = "ms" if name.startswith("milli") else name
    return float(number) * _UNITS.get(name, _UNITS.get(name.rstrip("sn"), 1e3))
