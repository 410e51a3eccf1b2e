"""An answer as a grader reads it: its opening, its sentences, the functions it names and what it says of them."""

import re
from dataclasses import dataclass

from server.agent.verification.citations import CITATION

OPENING_SENTENCES = 3
OPENING_CHARACTERS = 900
LISTING_LINES = 4
"""Lines without a blank one between them that are a listing, whatever they begin with."""
NAMED_BEFORE = 4
"""Functions that an opening may name before the cause: who lists more has not said which one it is."""

_HEADING = re.compile(r"^\s*#{1,6}\s.*$", re.MULTILINE)
_LISTED = re.compile(r"^\s*(?:[-*+]\s|\d+[.)]\s|\|)")
_END = re.compile(r"(?<=[.!?:])[\"')*_\]]*\s+(?=[\"'(*_\[`]*[A-Z`\[])|\n\s*\n")
_NAMED = re.compile(
    r"`(?P<code>[^`\n]+)`|(?P<bare>(?<![\w$./])(?:[A-Za-z_$][\w$]*(?:(?:::|\.|#)[A-Za-z_$~][\w$]*)+"
    r"|\w+_\w+|[a-z]+[A-Z]\w*|[A-Za-z_$][\w$]*\(\)))"
)
_SAYS = (
    r"dominat|hottest|heaviest|bottleneck|\bcauses?\b|culprit|because|due to|responsible|spends?\b|spent|takes?\b|"
    r"accounts?\b|goes to|most (?:of|in)\b|largest|slowest|biggest|waits?\b|waiting|blocks?\b|blocked|allocat|"
    r"holds?\b|leads\b|\d\s?%\)? (?:\([^)]*\) )?of\b"
)
SAYS_CAUSE = re.compile(_SAYS, re.IGNORECASE)
AFTER_CLAIM = re.compile(
    r"^[^\w]{0,4}(?:\([^)]*\)\s*)?[*_]*\s*(?:dominat|leads\b|(?:is|are|was) (?:the )?(?:\w+ )?"
    r"(?:hottest|heaviest|bottleneck|cause|culprit|slowest|largest|biggest|problem))",
    re.IGNORECASE,
)
INTO = re.compile(
    r"(?:\bin|\bby|\binside|\bis|\bare|\bof(?: it)?|\bto|\bto blame:?|\bcalling|\bwithin|:|→|because|cause|on)"
    r"[\s*_`\[(]*$",
    re.IGNORECASE,
)
DENIED = re.compile(
    r"(?:\bnot|n't|\bnever|\bneither|\bnor|\brather than|\binstead of|\bwithout|\bno)\b[^,.;:`]{0,24}[`\[*_\s(]*$",
    re.IGNORECASE,
)
DENIED_AFTER = re.compile(
    r"^[`\])*_\s]{0,4}(?:\([^)]*\)\s*)?(?:is|are|was|does|do|has|takes|spends)(?: \w+)?(?: not|n't| no)\b",
    re.IGNORECASE,
)


_NUMBER = re.compile(
    r"(?<![\w.,/#:$-])(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:\s?(?P<unit>%|percent|ns|µs|us|ms|seconds?|s|"
    r"minutes?|min|bytes?|[kKMG]B|[KMG]iB|B)(?![\w]))?"
)
_SCALES = {
    "%": ("%", 1.0),
    "percent": ("%", 1.0),
    "ns": ("s", 1e-9),
    "µs": ("s", 1e-6),
    "us": ("s", 1e-6),
    "ms": ("s", 1e-3),
    "s": ("s", 1.0),
    "second": ("s", 1.0),
    "min": ("s", 60.0),
    "minute": ("s", 60.0),
    "B": ("B", 1.0),
    "byte": ("B", 1.0),
    "kB": ("B", 1e3),
    "KB": ("B", 1e3),
    "MB": ("B", 1e6),
    "GB": ("B", 1e9),
    "KiB": ("B", 2.0**10),
    "MiB": ("B", 2.0**20),
    "GiB": ("B", 2.0**30),
    "count": ("count", 1.0),
}


@dataclass(frozen=True, slots=True)
class Named:
    """A function that a text names, and where."""

    name: str
    start: int
    end: int


def prose(text: str) -> str:
    """The answer without headings and with citations as the names they stand for."""
    return _HEADING.sub("", CITATION.sub(lambda found: found["label"] or "", text)).strip()


def sentences(text: str) -> list[str]:
    """Sentences, list items and table rows of an answer, in order."""
    found: list[str] = []
    for line in prose(text).split("\n"):
        found += [line] if _LISTED.match(line) else [part for part in _END.split(line) if part and part.strip()]
    return [sentence.strip() for sentence in found if sentence.strip()]


def opening(text: str) -> str:
    """The answer's first sentences, up to where a listing begins: what a reader in a hurry takes from it."""
    said: list[str] = []
    for paragraph in re.split(r"\n\s*\n", prose(text)):
        if said and (_LISTED.match(paragraph) or paragraph.strip().count("\n") + 1 >= LISTING_LINES):
            break
        said += sentences(paragraph)
    return " ".join(said[:OPENING_SENTENCES])[:OPENING_CHARACTERS]


def amounts(text: str, unit: str) -> list[float]:
    """The numbers of a text that measure what `unit` does, in that unit; a number without a unit is a count."""
    measured, scale = _SCALES[unit]
    found = []
    for match in _NUMBER.finditer(text):
        said = match["unit"] or "count"
        measures, size = _SCALES[said if said in _SCALES else said.removesuffix("s")]
        if measures == measured:
            found.append(float(match["number"].replace(",", "")) * size / scale)
    return found


def spelled(name: str) -> re.Pattern[str]:
    """Where a text has this name: not as a part of a longer word, nor as the beginning of a longer path."""
    return re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$]|(?:\.|::|#)[\w$])")


def named(text: str, also: tuple[str, ...] = ()) -> list[Named]:
    """What a text names, in order: code spans, words spelled like identifiers, and the names `also`."""
    found = [Named(m["code"] or m["bare"], m.start(), m.end()) for m in _NAMED.finditer(text)]
    for name in also:
        for match in spelled(name).finditer(text):
            if not any(one.start <= match.start() < one.end for one in found):
                found.append(Named(name, match.start(), match.end()))
    return sorted(found, key=lambda one: one.start)


def says(text: str, names: tuple[str, ...]) -> list[Named]:
    """Where a text names one of these."""
    patterns = [spelled(name) for name in names]
    return [one for one in named(text, names) if any(pattern.search(one.name) for pattern in patterns)]


def not_called_cause(text: str, cause: tuple[str, ...]) -> str | None:
    """Why the answer's opening does not call one of these the cause; None when it does.

    To be called the cause is to be named in a sentence that claims (a share, "dominates", "because"), not denied,
    before any other function is claimed to be it, and not at the end of a list of suspects.
    """
    first = opening(text)
    meant = says(first, cause)
    if not meant:
        return f"the opening does not name {cause[0]}: {first[:160]!r}"
    before: dict[str, None] = {}
    for one in named(first, cause):
        after = first[one.end :]
        if one not in meant:
            if AFTER_CLAIM.match(after):
                return f"the opening calls {one.name} the cause"
            before[one.name] = None
            continue
        if DENIED.search(first[: one.start]) or DENIED_AFTER.match(after):
            return f"the opening denies {one.name}"
        if len(before) > NAMED_BEFORE:
            return f"the opening lists {len(before)} others before {one.name}"
        sentence = _around(first, one)
        if SAYS_CAUSE.search(sentence) and (not before or AFTER_CLAIM.match(after) or INTO.search(first[: one.start])):
            return None
    return f"the opening names {cause[0]} and does not call it the cause: {first[:160]!r}"


def _around(text: str, one: Named) -> str:
    begins = max((found.end() for found in _END.finditer(text) if found.end() <= one.start), default=0)
    ends = min((found.start() for found in _END.finditer(text) if found.start() >= one.end), default=len(text))
    return text[begins:ends]
