"""What the names of an ask stand for in the recording: a function, or threads."""

import re
from dataclasses import dataclass
from typing import Any

from server.agent.memory.word_stem import stem
from server.agent.verification.recompute import last_part
from server.analyst.asks.ask import IT, THEM, Ask
from server.analyst.evidence import OF_THE_SAME_THREADS, Evidence
from server.analyst.forms import forms, word_list
from server.analyst.kinds import spoken_names
from server.analyst.kinds.kind import Call
from server.analyst.kinds.meant_functions import is_named
from server.analyst.kinds.one_function import which_of
from server.analyst.measured import Measured
from server.analyst.pseudo_frames import PSEUDO_FRAMES, collects
from server.analyst.queries import query
from server.analyst.subjects import HANDLE
from server.analyst.thread_names import called
from server.analyst.thread_scope import parts_of_thread
from server.analyst.topic_words import words_in
from server.analyst.wording import cited, cited_profile, coded, few, joined

_FORMS = forms("asks")

LISTED_THREADS = 3
ALL_PROFILES = 99
"""No other kind asks for so many: by it the calls of an ask are known."""
PROFILES: Call = ("list_profiles", {"limit": ALL_PROFILES})


@dataclass(frozen=True, slots=True)
class Subject:
    """`frames` are functions, else `profiles` threads; both empty for all of the recording. `label` names it."""

    label: str
    frames: tuple[str, ...] = ()
    profiles: tuple[dict[str, Any], ...] = ()

    @property
    def is_place(self) -> bool:
        """Whether it is all functions of a file or a package."""
        return any(one.startswith("SELECT ") for one in self.frames)


def finds(ask: Ask, evidence: Evidence) -> list[Call]:
    """The searches for its names, and for the function of the single call that was spoken of."""
    before = evidence.spoken_of
    is_of_it = before and (before.handle.startswith("s") or (IT in ask.of and before.handle.startswith("f")))
    of_it = (before.name,) if before and is_of_it else ()
    names = [name for name in ask.names if name.casefold() not in _COLLECTOR]
    names += [one for name in names if (one := _as_a_function(name)) != name]
    calls = spoken_names.finds(Measured((), (*names, *of_it)))
    if len(names) < len(ask.names):
        calls.append(("find_frames", {"pattern": COLLECTOR, "regex": True, "limit": 5, "profile": "all"}))
    return calls[:MOST_FINDS]


def _as_a_function(name: str) -> str:
    """A noun as functions are named: `check_in` for `check-ins`, `query` for `queries`."""
    if " " in name or not re.fullmatch(r"[a-z]{3,}(?:-[a-z]{2,})*", name):
        return name
    one = re.sub(r"(?<=[^aeiou])ies$", "y", name)
    one = re.sub(r"(?:(?<=[xz])|(?<=[cs]h)|(?<=ss))es$|(?<!s)s$", "", one)
    return one.replace("-", "_")


def _as_it_is_named(name: str, evidence: Evidence) -> str:
    one, rows = _as_a_function(name), rows_found(evidence)
    is_noun = one != name and not any(is_named(row, name) for row in rows)
    return one if is_noun and any(one in (row["name"], last_part(row["name"])) for row in rows) else name


MOST_FINDS = 6
COLLECTOR = r"^\(garbage collector\)$|^\(?GC\)?$"
_COLLECTOR = word_list("the_collector")
_ORDINARY = word_list("things_of_many_names")


def placed(run: str, evidence: Evidence) -> tuple[Subject | None, tuple[str, ...], bool]:
    """What the run of words stands for, the words in it that are no part of that, and whether that is its very name."""
    if found := named(run, evidence):
        return found, (), _surely(run, evidence) is not None
    words = run.split()
    for length in range(len(words) - 1, 0, -1):
        for start in range(len(words) - length + 1):
            some = " ".join(words[start : start + length])
            if found := _surely(some, evidence):
                return found, (*words[:start], *words[start + length :]), True
    return None, tuple(words), False


def _surely(name: str, evidence: Evidence) -> Subject | None:
    """What a part of a run stands for, where that is its very name."""
    return named(name, evidence, is_sure=True)


def _collector(evidence: Evidence) -> Subject | None:
    """The one function that a recorder puts all collecting in."""
    rows = [row for row in evidence.rows("find_frames", pattern=COLLECTOR) if row["total_value"] > 0]
    return Subject(cited(rows[0]), (rows[0]["handle"],)) if len(rows) == 1 else None


def is_of_a_collector(subject: Subject) -> bool:
    """Whether it is one frame of a collector among several: another kind counts them all."""
    return any(collects(name) and name not in PSEUDO_FRAMES for name in re.findall(r"`([^`]+)`", subject.label))


def _place(name: str, evidence: Evidence) -> Subject | None:
    """All functions of a file or a package that is called so, where no function is."""
    if len(name) < SHORTEST or not re.fullmatch(r"[\w.@-]+", name):
        return None
    part = re.compile(rf"(?:^|[/\\]){re.escape(name)}(?:$|[/\\@]|\.\w{{1,4}}$)", re.IGNORECASE)
    if not any(part.search(row["file"] or "") for row in rows_found(evidence)):
        return None
    pattern = rf"(?i)(^|[/\\]){re.escape(name)}($|[/\\@]|\.[A-Za-z0-9]{{1,4}}$)"
    return Subject(coded(name), (query("frames_of_a_file").replace("{pattern}", pattern),))


SHORTEST = 2


def threads(evidence: Evidence) -> list[dict[str, Any]]:
    """The profiles that measure what the main one does."""
    found = evidence.first(PROFILES[0], **PROFILES[1])
    rows: list[dict[str, Any]] = (found or {"profiles": []})["profiles"]
    main = next((row for row in rows if row["handle"] == (found or {}).get("default_profile")), None)
    of_bytes = [row for row in rows if row["unit"] == "bytes" and row["total"]]
    if of_bytes and main and main["unit"] != "bytes" and _FORMS.of_allocations.search(evidence.prompt):
        return of_bytes[:1]
    alike = [row for row in rows if main and (row["kind"], row["unit"]) == (main["kind"], main["unit"])]
    return [main] if main and {row["name"] for row in alike} == OF_THE_SAME_THREADS else alike


def named(name: str, evidence: Evidence, *, is_thread: bool = False, is_sure: bool = False) -> Subject | None:
    """What a name stands for: a function of that very name, threads that have the word in their names, a file, else a
    function that is named like it, unless `is_sure`. `is_thread` where nothing but a thread is meant."""
    if name == IT:
        return spoken_of(evidence)
    if name in THEM:
        some = them(name, evidence)
        return Subject(joined([one.label for one in some]), tuple(one.frames[0] for one in some)) if some else None
    if name.casefold() in _COLLECTOR:
        return _collector(evidence)
    if is_thread:
        return _threads(name, evidence)
    name = _as_it_is_named(name, evidence)
    exact = list({row["handle"]: row for row in rows_found(evidence) if is_named(row, name)}.values())
    if not exact and (found := _threads(name, evidence)):
        return found
    is_ordinary = name.casefold() in _ORDINARY and all(row["name"] != name for row in exact)
    if is_ordinary or not exact:
        found = _of_a_word(name, evidence) or _place(name, evidence)
        if found or is_ordinary or is_sure:
            return found
    if which_of(exact, name):
        return _alike(exact)  # else it may be any of several
    if not exact and " " not in name and len(_like(name, evidence)) > 1:
        return None  # several are called like it
    handle = spoken_names.handle_named(name, evidence)
    return function_of(handle, evidence) if handle else None


def _alike(rows: list[dict[str, Any]]) -> Subject | None:
    """Functions of one name that pass the same on to each other, as one; None for others."""
    rows = sorted((row for row in rows if row["total_value"] > 0), key=lambda row: row["self_value"])
    are_alike = all(
        row["total_value"] >= ALIKE * rows[0]["total_value"] >= ALIKE**2 * row["total_value"] for row in rows
    )
    own = sum(row["self_value"] for row in rows)
    passes_on = own <= OVER * rows[0]["total_value"]
    return Subject(cited(rows[0]), tuple(row["handle"] for row in rows)) if are_alike and passes_on else None


ALIKE = 0.98
"""Part of the total of another from which one of the same name has as much."""
OVER = 1.001


def _like(word: str, evidence: Evidence) -> set[str]:
    """The functions that have the word in their names, whatever its ending is."""
    root = stem(word.casefold())
    return {last_part(row["name"]) for row in rows_found(evidence) if root in row["name"].casefold()}


def spoken_of(evidence: Evidence) -> Subject | None:
    """The function or the thread that the answer before is about; None where it may be several things."""
    before = evidence.spoken_of
    if before is None or (before.is_aside and not before.threads):
        return None
    if before.threads:
        row = next((one for one in threads(evidence) if one["handle"] == before.threads[0]), None)
        return Subject(cited_profile(row), profiles=(row,)) if row else None
    if before.handle.startswith("s"):
        handle = next((row["handle"] for row in rows_found(evidence) if row["name"] == before.name), "")
        return function_of(handle, evidence) if handle else None
    return Subject(before.cited, (before.handle,)) if before.handle.startswith("f") else None


def them(name: str, evidence: Evidence) -> tuple[Subject, ...]:
    """As many functions as were spoken of last; none where so many were not."""
    last = evidence.spoken_of.last(THEM[name]) if evidence.spoken_of else ()
    are_functions = all(handle.startswith("f") for _, handle in last)
    return tuple(Subject(cited_, (handle,)) for cited_, handle in last) if are_functions else ()


def divisor(name: str, evidence: Evidence) -> Subject | None:
    """What something is divided by: what is called so, else the only function that has the word in its name."""
    found = named(name, evidence, is_sure=True)
    word = name.casefold().removesuffix("s")
    if (found and found.frames) or len(word) <= SHORTEST:
        return found
    like = {
        last_part(row["name"]): row["handle"]
        for row in rows_found(evidence)
        if word in words_in(last_part(row["name"]))
    }
    if not like:
        return found  # threads
    return function_of(next(iter(like.values())), evidence) if len(like) == 1 else None


def meant_by(verb: str, of: tuple[str, ...], evidence: Evidence) -> Subject | None:
    """What `how often do we parse it` is asked of: what was spoken of, unless a function of that name weighs."""
    exact = [row["total_share"] for row in rows_found(evidence) if is_named(row, verb)]
    is_verb = of in ((verb,), (IT,)) and max(exact, default=0.0) < spoken_names.LITTLE
    return spoken_of(evidence) if is_verb else None


def elsewhere(subjects: list[Subject], evidence: Evidence) -> tuple[dict[str, Any], ...]:
    """The profiles of calls, where these functions are in none that measures what the main one does: the tasks of a
    browser next to its samples."""
    handles = {frame for one in subjects for frame in one.frames}
    weights = [row["total_value"] for row in rows_found(evidence) if row["handle"] in handles]
    rows = (evidence.first(PROFILES[0], **PROFILES[1]) or {"profiles": []})["profiles"]
    calls = tuple(row for row in rows if (row["kind"], row["unit"]) == ("evented", "nanoseconds"))
    return calls if weights and not any(weights) and threads(evidence)[0]["kind"] == "sampled" else ()


def rows_found(evidence: Evidence) -> list[dict[str, Any]]:
    return [row for result in evidence.all("find_frames") for row in result.data["rows"]]


def function_of(handle: str, evidence: Evidence) -> Subject | None:
    if HANDLE.fullmatch(handle) and not handle.startswith("f"):
        return None
    row = next((one for one in rows_found(evidence) if one["handle"] == handle), None)
    if row is None:
        return None
    known = {one["handle"] for one in rows_found(evidence) if (one["name"], one["file"]) == (row["name"], row["file"])}
    of_one = last_part(row["name"]).isidentifier() and row["file"]  # recorders write a frame for each line that ran
    return Subject(cited(row), (handle, *sorted(known - {handle})) if of_one else (handle,))


def _of_a_word(name: str, evidence: Evidence) -> Subject | None:
    """The only function that holds an ordinary word, among others: `wait for db lock` for `waits`; never `Task` for
    `task`, which is a word before it is a function."""
    word = name.casefold().removesuffix("s")
    found = {row["name"]: row["handle"] for row in rows_found(evidence) if word in row["name"].casefold()}
    (only, *others) = found or ("",)
    words = only.casefold().split()
    return function_of(found[only], evidence) if not others and len(words) > 1 and word in words else None


def _threads(name: str, evidence: Evidence) -> Subject | None:
    """The threads that are called so; one, or like-named ones with a number each."""
    rows = threads(evidence)
    ways = {name.casefold(), name.casefold().removesuffix("s"), name.casefold().removesuffix("es")} - {""}
    words = name.casefold().split()
    found = [row for row in rows if row["name"].casefold() == name.casefold() or row["tid"] == name]
    found = found or called(name, rows)
    found = found or [row for row in rows if ways & parts_of_thread(row["name"])]
    found = found or [row for row in rows if len(words) > 1 and {*words} <= parts_of_thread(row["name"])]
    if not found or (len(found) == len(rows) > 1 and len({_plain(row["name"]) for row in rows}) > 1):
        return None
    is_plural = name.casefold().endswith("s") and name.casefold() not in {
        one for row in found for one in parts_of_thread(row["name"])
    }
    if len(found) > 1 and not is_plural and len({_plain(row["name"]) for row in found}) > 1:
        return None  # `main` of several programs
    return Subject(listed(found), profiles=tuple(found))


def listed(rows: list[dict[str, Any]]) -> str:
    """Threads, by name where they are few, and by their common one where it is the same."""
    plain = {_called(row) for row in rows}
    if len(rows) > LISTED_THREADS and len(plain) == 1:
        return f"{few(len(rows))} threads called {coded(plain.pop())}"
    more = f" and {few(len(rows) - LISTED_THREADS)} more threads" if len(rows) > LISTED_THREADS else ""
    return f"{joined([cited_profile(row) for row in rows[:LISTED_THREADS]])}{more}"


def _called(row: dict[str, Any]) -> str:
    """A thread's name without the numbers that a system gave it in brackets."""
    return str(row["name"]).partition(" (")[0]


def _plain(thread: str) -> str:
    """A thread's name without its numbers."""
    return re.sub(r"\d+", "", thread)
