"""The tables of a fleet (`flamechat batch`) next to what an account's own recordings measured, for SQL over both.

A fleet's folder or bucket belongs to one account, which an administrator's setting names; no request does. Of its
tables the parts of the days and the program that a search means are taken, newest first, and written behind the lines
of the account's recordings, in the same form.
"""

import re
import shutil
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from urllib.parse import unquote

import anyio.to_thread
import duckdb
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore

from server.adapters.fleet.sources import store_of, unavailable
from server.adapters.fleet.tables import FILES, quiet_database
from server.errors import ConfigError, ServiceUnavailable
from server.ports.history import MOST_LIBRARY_ROWS, History, LibraryFiles, LibraryTableName
from server.ports.identity import Caller
from server.ports.traces import TraceSearch

MEMORY = "512MB"
FUNCTIONS_OF_A_RUN = 500
MOST_FETCHED_BYTES = 1 << 30
"""Of a bucket's parts for one query."""
_PART = re.compile(r"[a-z]+/program=(?P<program>[^/]*)/day=(?P<day>\d{4}-\d\d-\d\d)/[^/]+\.parquet")

_RUNS = """
create temp table runs as
select key, any_value(name) as name, any_value(format) as format, any_value(size) as size,
    any_value(program) as program, max(day) as day
from read_parquet($files) where outcome = 'read' and ($program is null or program = $program) and
    ($since is null or day >= $since)
group by key order by day desc, key limit $most
"""
_SELECTED: dict[LibraryTableName, str] = {
    "traces": """
        select key, name, epoch_us(day::timestamp), program, '{}', format, size,
            max(value) filter (measure = 'duration' and unit = 'nanoseconds')::bigint,
            max(unit) filter (measure = 'total'), max(value) filter (measure = 'total')
        from runs left join (select key, measure, value, unit from part) using (key) group by all order by all
    """,
    "functions": """
        select key, part.name, file, self_value, total_value, self_share, total_share, calls
        from part semi join runs using (key) where len($names) = 0 or list_contains($names, part.name)
    """,
    "findings": "select key, finding, severity, share from part semi join runs using (key)",
    "measures": "select key, measure, value, unit from part semi join runs using (key)",
}
"""In the columns of `server.agent.questions.run_tables`; `part` are the rows of the table's own partitions."""


@dataclass(frozen=True, slots=True)
class FleetPlace:
    """Where the tables are. `account_id` None: everybody's, on a machine with one user."""

    where: str
    account_id: str | None


class HistoryWithFleets:
    """`History` with the fleets of the caller's account in its library."""

    def __init__(self, history: History, places: Collection[FleetPlace]) -> None:
        self._history = history
        self._fleets = [(place, FleetParts(place.where)) for place in places]
        self.keep = history.keep
        self.unmeasured = history.unmeasured
        self.unmeasured_anywhere = history.unmeasured_anywhere
        self.points = history.points
        self.functions = history.functions
        self.removed = history.removed
        self.known = history.known
        self.named = history.named
        self.state = history.state

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
        """As the port says; also raises ServiceUnavailable."""
        own = await self._history.write_library(
            caller, criteria, tables, folder, functions=functions, most_rows=most_rows
        )
        runs, left_out = own.runs, own.left_out
        for place, parts in self._fleets:
            if place.account_id not in (None, caller.account_id) or criteria.run.labels:
                continue  # a fleet's recordings have no labels but their program
            search = _Search(
                criteria.run.program, criteria.since and criteria.since.date(), tuple(functions), most_rows
            )
            added, more = await anyio.to_thread.run_sync(parts.append, search, own.files)
            runs, left_out = runs + added, left_out + more
        return LibraryFiles(own.files, runs, left_out)


@dataclass(frozen=True, slots=True)
class _Search:
    program: str | None
    since: date | None
    functions: tuple[str, ...]
    most_rows: int

    def means(self, path: str) -> bool:
        """Whether a part of a table may have rows of it."""
        match = _PART.fullmatch(path)
        if match is None:
            return False
        is_of_program = self.program is None or unquote(match["program"]) == self.program
        return is_of_program and (self.since is None or date.fromisoformat(match["day"]) >= self.since)


class FleetParts:
    """The Parquet files of a fleet's tables. Raises ConfigError for a place that is none."""

    def __init__(self, where: str) -> None:
        self._folder = None if "://" in where else Path(where)
        if self._folder is not None and not self._folder.is_dir():
            raise ConfigError(f"FLAMECHAT_FLEETS names {where}, and there is no such folder.")
        self._store: ObjectStore = store_of(where) if self._folder is None else LocalStore(self._folder)

    def append(self, search: _Search, files: Mapping[LibraryTableName, Path]) -> tuple[int, int]:
        """Write the search's rows behind those that are in the files; how many recordings were added, and how many were
        too much. Raises ServiceUnavailable, OSError."""
        with tempfile.TemporaryDirectory() as scratch, quiet_database() as database:
            database.execute(f"set memory_limit = '{MEMORY}'; set threads = 1; set temp_directory = ''")
            listed = self._fetched(self._listed(FILES), Path(scratch))
            if not listed:
                return 0, 0
            most = max(1, search.most_rows // FUNCTIONS_OF_A_RUN)
            bound = {"files": listed, "program": search.program, "since": search.since, "most": most + 1}
            database.execute(_RUNS, bound)
            found = _count(database)
            if found > most:
                database.execute("delete from runs where key not in (select key from runs limit ?)", [most])
            for table, file in files.items():
                source = "measures" if table == "traces" else table
                paths = [path for path in self._listed(source) if search.means(path)]
                self._write(database, table, self._fetched(paths, Path(scratch)), search, file)
            return _count(database), max(0, found - most)

    def _write(
        self,
        database: duckdb.DuckDBPyConnection,
        table: LibraryTableName,
        parts: list[str],
        search: _Search,
        file: Path,
    ) -> None:
        if not parts:
            return
        database.read_parquet(parts, hive_partitioning=False).create_view("part", replace=True)
        params = {"names": list(search.functions)} if table == "functions" else None
        lines = file.with_suffix(".fleet")
        database.sql(_SELECTED[table], params=params).write_csv(
            str(lines), header=False, na_rep="", quotechar='"', escapechar='"', quoting="ALL"
        )
        with lines.open("rb") as read, file.open("ab") as written:
            shutil.copyfileobj(read, written)
        lines.unlink()

    def _listed(self, table: str) -> list[str]:
        """The paths of a table's parts."""
        try:
            return sorted(
                one["path"]
                for page in self._store.list(prefix=table)
                for one in page
                if one["path"].endswith(".parquet")
            )
        except (BaseError, FileNotFoundError) as error:
            raise unavailable("listed", error) from error

    def _fetched(self, paths: list[str], scratch: Path) -> list[str]:
        """The parts as files of this machine, the newest days first within what is fetched."""
        if self._folder is not None:
            return [str(self._folder / path) for path in paths]
        files, size = [], 0
        for number, path in enumerate(sorted(paths, key=_day, reverse=True)):
            try:
                content = bytes(self._store.get(path).bytes())
            except (BaseError, FileNotFoundError) as error:
                raise unavailable("read", error) from error
            size += len(content)
            if size > MOST_FETCHED_BYTES:
                raise ServiceUnavailable(
                    "The fleet's parts that are meant have more than 1 GB: name a program, or a later day.",
                    service="bucket",
                )
            target = scratch / f"{path.split('/')[0]}-{number}.parquet"
            target.write_bytes(content)
            files.append(str(target))
        return files


def _day(path: str) -> str:
    match = _PART.fullmatch(path)
    return match["day"] if match else ""


def _count(database: duckdb.DuckDBPyConnection) -> int:
    return int(database.execute("select count(*) from runs").fetchall()[0][0])
