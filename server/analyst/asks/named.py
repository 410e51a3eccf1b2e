"""What the names of an ask stand for in the recording: a function, or threads."""

import re
from dataclasses import dataclass
from typing import Any

from server.agent.verification.recompute import last_part
from server.analyst.asks.ask import IT, Ask
from server.analyst.evidence import OF_THE_SAME_THREADS, Evidence
from server.analyst.forms import forms
from server.analyst.kinds import spoken_names
from server.analyst.kinds.kind import Call
from server.analyst.kinds.meant_functions import is_named
from server.analyst.measured import Measured
from server.analyst.subjects import HANDLE
from server.analyst.thread_scope import parts_of_thread
from server.analyst.wording import cited, cited_profile, few, joined

LISTED_THREADS = 3
ALL_PROFILES = 99
"""No other kind asks for so many: by it the calls of an ask are known."""
_FORMS = forms("asks")
PROFILES: Call = ("list_profiles", {"limit": ALL_PROFILES})


@dataclass(frozen=True, slots=True)
class Subject:
    """`frames` are functions, else `profiles` threads; both empty for all of the recording. `label` names it."""

    label: str
    frames: tuple[str, ...] = ()
    profiles: tuple[dict[str, Any], ...] = ()


def finds(ask: Ask, evidence: Evidence) -> list[Call]:
    """The searches for its names, and for the function of the single call that was spoken of."""
    before = evidence.spoken_of
    of_it = (before.name,) if before and IT in ask.of and before.handle.startswith("s") else ()
    return spoken_names.finds(Measured((), (*ask.names, *of_it)))[:7]


def threads(evidence: Evidence) -> list[dict[str, Any]]:
    """The profiles that measure what the main one does."""
    found = evidence.first(PROFILES[0], **PROFILES[1])
    rows: list[dict[str, Any]] = (found or {"profiles": []})["profiles"]
    main = next((row for row in rows if row["handle"] == (found or {}).get("default_profile")), None)
    alike = [row for row in rows if main and (row["kind"], row["unit"]) == (main["kind"], main["unit"])]
    return [main] if main and {row["name"] for row in alike} == OF_THE_SAME_THREADS else alike


def named(name: str, evidence: Evidence, *, is_thread: bool = False) -> Subject | None:
    """What a name stands for: a function of that very name, threads that have the word in their names, else a function
    that is named like it. `is_thread` where nothing but a thread is meant."""
    if name == IT:
        return spoken_of(evidence)
    if is_thread:
        return _threads(name, evidence)
    exact = [row for row in _rows(evidence) if is_named(row, name)]
    if not exact and (found := _threads(name, evidence)):
        return found
    if _FORMS.plain_word.match(name) and all(last_part(row["name"]) != name for row in exact):
        return _of_a_word(name, evidence)
    handle = spoken_names.handle_named(name, evidence)
    return _function(handle, evidence) if handle else None


def spoken_of(evidence: Evidence) -> Subject | None:
    """The function or the thread that the answer before is about; None where it may be several things."""
    before = evidence.spoken_of
    if before is None or (before.is_aside and not before.threads):
        return None
    if before.threads:
        row = next((one for one in threads(evidence) if one["handle"] == before.threads[0]), None)
        return Subject(cited_profile(row), profiles=(row,)) if row else None
    if before.handle.startswith("s"):
        handle = next((row["handle"] for row in _rows(evidence) if row["name"] == before.name), "")
        return _function(handle, evidence) if handle else None
    return Subject(before.cited, (before.handle,)) if before.handle.startswith("f") else None


def _rows(evidence: Evidence) -> list[dict[str, Any]]:
    return [row for result in evidence.all("find_frames") for row in result.data["rows"]]


def _function(handle: str, evidence: Evidence) -> Subject | None:
    if HANDLE.fullmatch(handle) and not handle.startswith("f"):
        return None
    row = next((one for one in _rows(evidence) if one["handle"] == handle), None)
    return Subject(cited(row), (handle,)) if row else None


def _of_a_word(name: str, evidence: Evidence) -> Subject | None:
    """The only function that holds an ordinary word, among others: `wait for db lock` for `waits`; never `Task` for
    `task`, which is a word before it is a function."""
    word = name.casefold().removesuffix("s")
    found = {row["name"]: row["handle"] for row in _rows(evidence) if word in row["name"].casefold()}
    (only, *others) = found or ("",)
    words = only.casefold().split()
    return _function(found[only], evidence) if not others and len(words) > 1 and word in words else None


def _threads(name: str, evidence: Evidence) -> Subject | None:
    """The threads that are called so; one, or like-named ones with a number each."""
    rows = threads(evidence)
    ways = {name.casefold(), name.casefold().removesuffix("s"), name.casefold().removesuffix("es")} - {""}
    words = name.casefold().split()
    found = [row for row in rows if row["name"].casefold() == name.casefold() or row["tid"] == name]
    found = found or [row for row in rows if ways & parts_of_thread(row["name"])]
    found = found or [row for row in rows if len(words) > 1 and {*words} <= parts_of_thread(row["name"])]
    if not found or (len(found) == len(rows) > 1 and len({_plain(row["name"]) for row in rows}) > 1):
        return None
    if len(found) > 1 and len({_plain(row["name"]) for row in found}) > 1:
        return None  # `main` of several programs
    return Subject(listed(found), profiles=tuple(found))


def listed(rows: list[dict[str, Any]]) -> str:
    """Threads, by name where they are few."""
    more = f" and {few(len(rows) - LISTED_THREADS)} more threads" if len(rows) > LISTED_THREADS else ""
    return f"{joined([cited_profile(row) for row in rows[:LISTED_THREADS]])}{more}"


def _plain(thread: str) -> str:
    """A thread's name without its numbers."""
    return re.sub(r"\d+", "", thread)
