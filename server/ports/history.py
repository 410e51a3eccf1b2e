"""What traces measured, kept in rows, for questions over many of them; the in-memory twin obeys the same contract
suite."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from server.ports.traces import TraceSearch
from traces.gate.function_keys import FunctionKey
from traces.gate.run_history import RunHistory

MOST_RUNS = 1_000
"""Points of one answer: the newest."""
MOST_COMPARED = 100
"""Runs whose functions are all compared, the newest."""
MOST_LABELS = 2_000
"""Labels with their values of one answer to what is known."""
LISTED_RUNS = 20
"""The newest runs, whose functions and findings are what a question may name."""

MOST_LIBRARY_ROWS = 2_000_000
"""Of a table that leaves the database for one query: those of the newest recordings."""

MeasureKind = Literal["function", "finding", "figure"]
LibraryTableName = Literal["traces", "functions", "findings", "measures"]


@dataclass(frozen=True, slots=True)
class Measured:
    """What is asked of each run: a function of a name and file, a finding, or a figure of all of it."""

    kind: MeasureKind
    name: str
    file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPoint:
    """One run. What it does not have is None: `value` and `share` are by itself, the totals with what it calls; a
    finding has a share at most, and `is_there`."""

    trace_id: str
    name: str
    created_at: datetime
    run: RunLabels
    unit: str
    is_there: bool
    value: float | None = None
    share: float | None = None
    total_value: float | None = None
    total_share: float | None = None
    calls: int | None = None


@dataclass(frozen=True, slots=True)
class RunFunctions:
    """One run's `total`, in its unit, and the self values of its heaviest functions."""

    trace_id: str
    unit: str
    total: float
    functions: Mapping[FunctionKey, float]


@dataclass(frozen=True, slots=True)
class KnownRuns:
    """What questions can be about: labels with their values and how many runs have each, programs, functions with
    their files, findings, figures."""

    runs: int
    labels: dict[str, dict[str, int]]
    programs: dict[str, int]
    functions: tuple[tuple[str, str | None], ...]
    findings: tuple[str, ...]
    figures: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedThings:
    """What a question names: labels, each a key with a value or alone, a function or a figure by its full name."""

    labels: frozenset[tuple[str, str | None]] = frozenset()
    function: str | None = None
    figure: str | None = None


@dataclass(frozen=True, slots=True)
class LibraryFiles:
    """Tables of recordings as files of comma-separated values without a header, for one query: texts in double quotes,
    nothing for null. `runs` is how many recordings they are of, `left_out` how many were too much."""

    files: Mapping[LibraryTableName, Path]
    runs: int
    left_out: int


class History(Protocol):
    """Measures of traces of the caller's accounts; traces of others are as if they did not exist."""

    async def keep(self, caller: Caller, trace_id: str, history: RunHistory) -> None:
        """Put them in place of what was kept. Raises NotFound."""
        ...

    async def unmeasured(self, caller: Caller, criteria: TraceSearch, *, limit: int) -> Sequence[str]:
        """Traces of a search that were never measured, or by an earlier version, newest first."""
        ...

    async def unmeasured_anywhere(self, *, limit: int, without: Collection[str] = ()) -> Sequence[tuple[Caller, str]]:
        """Traces of all accounts that were never measured, or by an earlier version, the newest first, each with
        whoever uploaded it: for a server, which measures them by and by."""
        ...

    async def points(
        self, caller: Caller, criteria: TraceSearch, measured: Measured, *, limit: int = MOST_RUNS
    ) -> Sequence[RunPoint]:
        """The measured runs of a search, oldest first of the newest `limit`; a run that lacks what is measured is
        among them."""
        ...

    async def functions(
        self, caller: Caller, criteria: TraceSearch, *, limit: int = MOST_COMPARED
    ) -> Sequence[RunFunctions]:
        """The newest measured runs of a search with all functions that were kept of them, oldest first."""
        ...

    async def removed(self, caller: Caller, criteria: TraceSearch) -> int:
        """How many runs of a search were deleted or have expired within a year."""
        ...

    async def known(
        self, caller: Caller, criteria: TraceSearch, *, name: str | None = None, words: Collection[str] = ()
    ) -> KnownRuns:
        """Labels and programs of all runs of a search, of labels the MOST_LABELS that most runs have, and before them
        those with a value among `words`; functions, findings and figures of its newest, and functions that have exactly
        this name in any."""
        ...

    async def named(self, caller: Caller, names: NamedThings) -> KnownRuns:
        """Of all runs what is named, as far as it is there, and the programs. Of a label's values only those that were
        asked for are listed, and count 1 however often they are there."""
        ...

    async def state(self, caller: Caller) -> str:
        """Another text as soon as the account's recordings, their labels or what is measured of them have changed."""
        ...

    async def write_library(
        self,
        caller: Caller,
        criteria: TraceSearch,
        tables: Collection[LibraryTableName],
        folder: Path,
        *,
        functions: Collection[str] = (),
        most_rows: int = MOST_LIBRARY_ROWS,
    ) -> LibraryFiles:
        """Tables of a search's recordings, newest first, into files of a folder; of functions those of these names,
        where there are some. Raises OSError."""
        ...
