"""Which function a prompt means that names it as people speak: `qr codes` is `qr_code`, `timers` is `TimerFire`."""

import re
from typing import Any

from server.agent.memory.word_stem import SHORTEST, stem
from server.agent.verification.recompute import last_part
from server.analyst.asked_things import is_of_another_kind
from server.analyst.evidence import GARBAGE, Evidence
from server.analyst.kinds.kind import Call
from server.analyst.kinds.meant_functions import is_named
from server.analyst.measured import Measured
from server.analyst.subjects import HANDLE
from server.analyst.topic_words import parts_of, words_in
from server.analyst.unread_words import SMALL_WORDS

MATCHES = 50
MOST_MATCHES = 100
BEGINNING = 4
"""Letters by which an ordinary word is searched, and from which a part of a name is meant by a longer word."""


def finds(asked: Measured) -> list[Call]:
    """The searches for its names: as they are written, and by what their words begin with."""
    runs = [run for run in asked.runs if not HANDLE.fullmatch(run)]
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
    return "(?i)" + "|".join(re.escape(stem(word)) for word in words)


def _loosely(run: str) -> str:
    root = stem(run)[:BEGINNING]
    return f"(?i){re.escape(root if len(root) == BEGINNING else _singular(run))}"


def _singular(word: str) -> str:
    return word.casefold().removesuffix("s")


def _is_ordinary(run: str) -> bool:
    """Whether it is one word of the language, of which no other kind of question knows more than its names."""
    plain = run.isalpha() and (run.islower() or run.istitle()) and len(run) >= BEGINNING
    return plain and not (run.casefold() in SMALL_WORDS or is_of_another_kind(run) or GARBAGE.search(run))


def handle_named(run: str, evidence: Evidence) -> str | None:
    """The function that is meant, of several of that name the heaviest; None where the trace has none."""
    if HANDLE.fullmatch(run):
        return run
    rows = _found(evidence, pattern_of(run))
    ways = {run, run.replace(" ", "_"), run.replace(" ", "")}
    exact = [row for row in rows if any(is_named(row, way) for way in ways)]
    if exact:
        return str(next((row for row in exact if row["name"] == run), exact[0])["handle"])
    stems = {stem(word) for word in run.split()}
    if len(stems) == 1:
        fits = _by_word(run, evidence) if _is_ordinary(run) else []
    else:
        fits = [row for row in rows if all(_has(row, one) for one in stems)]
        fits.sort(key=lambda row: (len(parts_of(row["name"])), -row["total_value"]))
        fits = fits or _within(stems, rows)
    return str(fits[0]["handle"]) if fits else None


def _found(evidence: Evidence, pattern: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (evidence.first("find_frames", pattern=pattern) or {"rows": []})["rows"]
    return rows


def _by_word(word: str, evidence: Evidence) -> list[dict[str, Any]]:
    """The functions that have the word for a part of their name, those that are nothing else first, the heaviest
    first of these."""
    said = stem(word)
    fits = [
        row
        for row in _found(evidence, _loosely(word))
        if any(_begins(part, said) for part in parts_of(row["name"])) or _begins_with_a_part(word, row["name"])
    ]
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


def _begins(part: str, said: str) -> bool:
    """Whether one of them begins with the other, and both are long enough to mean something."""
    least = min(len(part), len(said))
    return part == said or (least >= BEGINNING and (part.startswith(said) or said.startswith(part)))


def _begins_with_a_part(word: str, name: str) -> bool:
    """Whether it goes on from a word of the name: `lowercasing` from `ToLower`."""
    return any(len(part) > BEGINNING and word.casefold().startswith(part) for part in words_in(name))


def _has(row: dict[str, Any], said: str) -> bool:
    """Whether one of the words of a name begins like this stem, or this stem like it."""
    parts = parts_of(row["name"])
    if len(said) < SHORTEST:
        return said in parts
    return any(one.startswith(said) or (said.startswith(one) and len(one) > SHORTEST) for one in parts)


def _within(stems: set[str], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The functions whose whole name is one or more of the words: `short` for `name shortening`."""
    fits = [row for row in rows if (parts := parts_of(row["name"])) and parts <= stems and row["total_value"] > 0]
    return fits if len({row["name"] for row in fits}) == 1 else []
