"""Which function a prompt means that names it as people speak: `qr codes` is `qr_code`, `timers` is `TimerFire`."""

import re
from typing import Any

from server.agent.memory.word_stem import SHORTEST, stem
from server.agent.verification.recompute import last_part
from server.analyst.asked_things import is_of_another_kind
from server.analyst.evidence import Evidence
from server.analyst.forms import word_list
from server.analyst.kinds.kind import Call
from server.analyst.kinds.meant_functions import VARIANT, is_named
from server.analyst.measured import Measured
from server.analyst.pseudo_frames import GARBAGE
from server.analyst.subjects import HANDLE
from server.analyst.topic_words import parts_of, words_in

MATCHES = 50
MOST_MATCHES = 100
LITTLE = 0.01
"""Total share below which a function is not meant by one of the words of its name: other ones may be, together."""
BEGINNING = 4
"""Letters by which an ordinary word is searched, and from which a part of a name is meant by a longer word."""


_GENERIC = word_list("generic")
NO_PART = word_list("no_part")


def _plain(run: str) -> str:
    """The words without those that only say that it is a part of a program: `touch` of `touch handling`."""
    return " ".join(word for word in run.split() if word.casefold() not in _GENERIC) or run


def finds(asked: Measured) -> list[Call]:
    """The searches for its names: as they are written, and by what their words begin with."""
    named = [run for run in asked.runs if not HANDLE.fullmatch(run)]
    runs = list(dict.fromkeys(way for run in named for way in (run, _plain(run))))
    exact: list[Call] = [
        ("find_frames", {"pattern": pattern_of(run), "regex": True, "limit": MATCHES, "profile": "all"}) for run in runs
    ]
    loose: list[Call] = [
        ("find_frames", {"pattern": _loosely(run), "regex": True, "limit": MOST_MATCHES, "profile": "all"})
        for run in runs
        if _is_ordinary(run)
    ]
    return [*exact, *loose]


def pattern_of(run: str) -> str:
    """An expression for what is written so; a name of several words is searched by each of them."""
    words = run.split()
    if len(words) == 1:
        return rf"(?i)(?:^|[^A-Za-z0-9]){re.escape(words[0])}(?:$|[^A-Za-z0-9])"
    return "(?i)" + "|".join(re.escape(stem(word)[: BEGINNING + 1]) for word in words)


def _loosely(run: str) -> str:
    root = stem(run)[:BEGINNING]
    return f"(?i){re.escape(root if len(root) == BEGINNING else _singular(run))}"


def _singular(word: str) -> str:
    return word.casefold().removesuffix("s")


def _is_ordinary(run: str) -> bool:
    """Whether it is one word of the language, of which no other kind of question knows more than its names."""
    plain = run.isalpha() and (run.islower() or run.istitle()) and len(run) >= BEGINNING
    return plain and not (run.casefold() in NO_PART or is_of_another_kind(run) or GARBAGE.search(run))


def handle_named(run: str, evidence: Evidence) -> str | None:
    """The function that is meant, of several of that name the heaviest; None where the trace has none. One that is
    written so but weighs next to nothing gives way to one that holds the word."""
    if HANDLE.fullmatch(run):
        return run
    exact, loose = _written_so(run, evidence), _like(run, evidence)
    if not (exact or loose) and _plain(run) != run:
        return handle_named(_plain(run), evidence)
    lightest = VARIANT * exact[0]["total_value"] if exact else 0.0
    heavy = [row for row in loose if row["total_value"] > lightest] if exact else loose
    found = (heavy if exact and _is_ordinary(run) else []) or exact or loose
    return str(found[0]["handle"]) if found else None


def _written_so(run: str, evidence: Evidence) -> list[dict[str, Any]]:
    """The functions that have the very name, the heaviest first; those in other letters last."""
    ways = {run, run.replace(" ", "_"), run.replace(" ", "")}
    rows = [
        row for row in evidence.rows("find_frames", pattern=pattern_of(run)) if any(is_named(row, way) for way in ways)
    ]
    return sorted(rows, key=lambda row: (_differs_in_case(row["name"], run), -row["total_value"]))


def _differs_in_case(name: str, run: str) -> bool:
    return name != run and name.casefold() == run.casefold()


def _like(run: str, evidence: Evidence) -> list[dict[str, Any]]:
    """The functions whose names are made of these words, whatever their endings are."""
    stems = {stem(word) for word in run.split()}
    if len(stems) == 1:
        return _by_word(run, evidence) if _is_ordinary(run) else []
    rows = evidence.rows("find_frames", pattern=pattern_of(run))
    fits = [row for row in rows if all(has_part(row, one) for one in stems)]
    fits.sort(key=lambda row: (len(parts_of(row["name"])), -row["total_value"]))
    return fits or _within(stems, rows)


def _by_word(word: str, evidence: Evidence) -> list[dict[str, Any]]:
    """The functions that have the word for a part of their name, those that are nothing else first, the heaviest
    first of these."""
    said = stem(word)
    fits = [
        row
        for row in evidence.rows("find_frames", pattern=_loosely(word))
        if any(_begins(part, said) for part in parts_of(row["name"])) or _begins_with_a_part(word, row["name"])
    ]
    fits = [row for row in fits if row["total_share"] >= LITTLE or _is_all_of(said, row) or not row["total_value"]]
    return sorted(
        fits,
        key=lambda row: (
            row["total_value"] <= 0,
            _singular(word) not in words_in(row["name"]),
            said not in parts_of(row["name"]),
            {said} != parts_of(last_part(row["name"])),
            -row["total_value"],
        ),
    )


def _is_all_of(said: str, row: dict[str, Any]) -> bool:
    """Whether the function's own name is nothing but the word."""
    return parts_of(last_part(row["name"])) == {said}


def _begins(part: str, said: str) -> bool:
    """Whether one of them begins with the other, and both are long enough to mean something."""
    least = min(len(part), len(said))
    return part == said or (least >= BEGINNING and (part.startswith(said) or said.startswith(part)))


def _begins_with_a_part(word: str, name: str) -> bool:
    """Whether it goes on from a word of the name: `lowercasing` from `ToLower`."""
    return any(len(part) > BEGINNING and word.casefold().startswith(part) for part in words_in(name))


def has_part(row: dict[str, Any], said: str) -> bool:
    """Whether one of the words of a name begins like this stem, or this stem like it."""
    parts = parts_of(row["name"])
    if len(said) < SHORTEST:
        return said in parts
    return any(one.startswith(said) or (said.startswith(one) and len(one) > SHORTEST) for one in parts)


def _within(stems: set[str], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The functions whose complete name is one or more of the words: `short` for `name shortening`."""
    fits = [row for row in rows if row["total_value"] > 0 and _is_within(parts_of(row["name"]), stems)]
    return fits if len({row["name"] for row in fits}) == 1 else []


def _is_within(parts: set[str], stems: set[str]) -> bool:
    return bool(parts) and all(any(_begins(part, one) for one in stems) for part in parts)
