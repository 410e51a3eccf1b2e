"""What the recordings of an account say of its program by themselves: languages, recorders, names, own folders. For a
person to confirm; none of it is remembered before."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from server.agent.memory.memory_texts import separate_words
from server.cleaning import clean
from server.ports.traces import TraceRow
from server.quoting import clamp
from traces.analysis.filters import LIBRARY_FILE

LOOKED_AT = 100
"""Recordings, the newest."""

MOST = 5
"""Of one kind."""

IN_MOST = 0.5
"""Share of the recordings from which a name is the program's."""

LONGEST = 120

LANGUAGES = {
    "py": "Python", "js": "JavaScript", "mjs": "JavaScript", "cjs": "JavaScript", "ts": "TypeScript",
    "tsx": "TypeScript", "jsx": "JavaScript", "rs": "Rust", "go": "Go", "java": "Java", "kt": "Kotlin",
    "scala": "Scala", "c": "C", "h": "C", "cc": "C++", "cpp": "C++", "hpp": "C++", "cxx": "C++", "cs": "C#",
    "rb": "Ruby", "php": "PHP", "swift": "Swift", "lua": "Lua", "ex": "Elixir", "erl": "Erlang", "dart": "Dart",
}  # fmt: skip
_SCHEME = re.compile(r"^[a-z][\w+.-]*://[^/]*/?|^[A-Za-z]:[\\/]")
_LINE = re.compile(r":\d+(?::\d+)?$")
_IN_NAME = re.compile(r"\(([^()\s]+\.\w{1,5})(?::\d+)?\)$")
"""Of collapsed stacks, which have the file in the name: `parse (orders/parse.py:3)`."""
_NO_PROGRAM = frozenset(
    re.findall(
        r"\w+",
        "cpu profile profiles trace traces heap heapprofile cpuprofile json gz txt pb prof perf data script "
        "collapsed folded jfr pprof pyspy py spy viztracer cprofile chrome perfetto speedscope v8 log zip zst "
        "out html svg recording sample samples run runs test new old before after main callgrind uftrace "
        "linux go node nettrace trace2",
    )
)


def library_facts(rows: Sequence[TraceRow]) -> tuple[str, ...]:
    """Sentences, each a fact of its own; none of an account without recordings."""
    newest = list(rows)[:LOOKED_AT]
    found = [
        _listed("Recordings are of", _programs(newest)),
        _listed("The code is in", _languages(newest)),
        *(f"Our own code is under {folder}" for folder in _folders(newest)),
        _listed("We record as", _recorders(newest)),
    ]
    return tuple(" ".join(clean(one).split()) for one in found if one)


def _listed(head: str, names: Sequence[str]) -> str:
    return f"{head} {', '.join(names)}" if names else ""


def _programs(rows: Sequence[TraceRow]) -> list[str]:
    """Words that the names of most recordings share, in their order."""
    counted = Counter(word for row in rows for word in dict.fromkeys(_name_words(row.name)))
    least = max(2, len(rows) * IN_MOST)
    shared = [word for word, times in counted.items() if times >= least]
    return [" ".join(shared[:MOST])] if shared else []


def _name_words(name: str) -> list[str]:
    plain = [clean(word).casefold() for word in separate_words(name).split()]
    return [word for word in plain if len(word) > 2 and word not in _NO_PROGRAM and not any(map(str.isdigit, word))]


def _functions(row: TraceRow) -> list[dict[str, Any]]:
    program = row.summary.get("program")
    listed = program.get("functions") if isinstance(program, dict) else None
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _files(row: TraceRow) -> set[str]:
    """Files of heavy functions that are no library's."""
    named = (_LINE.sub("", clean(_file(one))).replace("\\", "/") for one in _functions(row))
    return {_SCHEME.sub("/", file) for file in named if file and not LIBRARY_FILE.search(file)}


def _file(function: dict[str, Any]) -> str:
    in_name = _IN_NAME.search(str(function.get("name") or ""))
    return str(function.get("file") or "") or (in_name[1] if in_name else "")


def _languages(rows: Sequence[TraceRow]) -> list[str]:
    counted = Counter(
        language
        for row in rows
        for language in {LANGUAGES.get(PurePosixPath(file).suffix[1:].lower(), "") for file in _files(row)}
        if language
    )
    return [name for name, _ in counted.most_common(MOST)]


def _folders(rows: Sequence[TraceRow]) -> list[str]:
    """Folders of own code, without what lies before them on one machine or another: the last two that two recordings
    share; of one recording alone none is known to be more than a place."""
    counted = Counter(
        folder
        for row in rows
        for folder in {"/".join(PurePosixPath(file).parent.parts[-2:]).strip("/") for file in _files(row)}
        if folder not in ("", ".") and len(folder) <= LONGEST
    )
    return [folder for folder, times in counted.most_common(MOST) if times > 1][:2]


def _recorders(rows: Sequence[TraceRow]) -> list[str]:
    counted: Counter[str] = Counter()
    for row in rows:
        rates = {
            round(rate)
            for profile in row.summary.get("profiles") or ()
            if isinstance(rate := (profile.get("quality") or {}).get("rate_hz"), int | float) and rate >= 1
        }
        counted[clamp(row.format, LONGEST) + (f" at {max(rates):,} samples a second" if rates else "")] += 1
    return [name for name, _ in counted.most_common(2)]
