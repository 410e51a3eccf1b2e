"""Tables of what a fleet's recordings measured: Parquet files in a folder or a bucket, partitioned by program and day.

What is read at once is one part. Its rows are written table by table, the list of its files last: a part that is not
in that list was cut off, and is removed before the next one. Only one batch at a time may write to a place.
"""

import fcntl
import hashlib
import math
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import date
from itertools import compress
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore

from server.adapters.fleet.sources import store_of, unavailable
from server.errors import Busy, ConfigError
from traces.gate.run_history import HistoryColumns

FILES = "files"
PART_DIGITS = 16
NONE = -1
"""A count that a file has not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """A file and what came of it: `outcome` is `read`, `same` (as another file's bytes, of which the rows are), or
    `refused` with the reason. `key` is that of its content, None where it was not read."""

    name: str
    version: str
    size: int
    key: str | None
    outcome: str
    reason: str | None
    format: str | None
    program: str
    day: date


COLUMNS: dict[str, dict[str, str]] = {
    "functions": {
        "key": "varchar", "name": "varchar", "file": "varchar", "self_value": "double", "total_value": "double",
        "self_share": "double", "total_share": "double", "calls": "bigint",
    },
    "findings": {"key": "varchar", "finding": "varchar", "severity": "varchar", "share": "double"},
    "measures": {"key": "varchar", "measure": "varchar", "value": "double", "unit": "varchar"},
}  # fmt: skip
"""Of each partitioned table, besides `program` and `day`."""


class FleetTables:
    """The tables at a place: a folder, which is made, or an address (`s3://bucket/prefix`). Raises ConfigError."""

    def __init__(self, where: str) -> None:
        self._folder = None if "://" in where else Path(where)
        if self._folder is None:
            self._store: ObjectStore = store_of(where)
        else:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise ConfigError(f"{where} cannot be written: {error.strerror}.") from None
            self._store = LocalStore(self._folder)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While nobody else of this machine writes to the folder. Raises Busy."""
        if self._folder is None:
            yield
            return
        with (self._folder / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Busy(f"Another batch writes to {self._folder}.", retry_after_s=60) from None
            yield

    def known(self) -> tuple[set[tuple[str, str]], set[str]]:
        """The files that are in the tables, by name and version, and the keys of those that were read. What a batch
        that was cut off has left is removed. Raises ServiceUnavailable."""
        parts: set[str] = set()
        others: list[str] = []
        files: set[tuple[str, str]] = set()
        keys: set[str] = set()
        try:
            for page in self._store.list():
                for one in page:
                    path = one["path"]
                    if path.startswith(f"{FILES}/") and path.endswith(".parquet"):
                        parts.add(path.removeprefix(f"{FILES}/").removesuffix(".parquet"))
                        for name, version, key in self._rows(path):
                            files.add((name, version))
                            keys |= {key} if key is not None else set()
                    elif path.split("/")[0] in COLUMNS:
                        others.append(path)
            for path in others:
                if Path(path).stem.removeprefix("part-")[:PART_DIGITS] not in parts:
                    self._store.delete(path)
        except (BaseError, FileNotFoundError) as error:
            raise unavailable("read", error) from error
        return files, keys

    def add(self, files: Sequence[FileRow], measured: Sequence[tuple[FileRow, HistoryColumns]]) -> None:
        """Write a part: its `files`, and what some of them `measured`. Raises ServiceUnavailable."""
        named = "\n".join(f"{one.name}\0{one.version}" for one in files)
        part = hashlib.sha256(named.encode(errors="surrogatepass")).hexdigest()[:PART_DIGITS]
        with tempfile.TemporaryDirectory() as folder, quiet_database() as database:
            made = Path(folder)
            _load(database, "runs", OF_RUN, [range(len(measured)), *_of_files([file for file, _ in measured], RUN)])
            for table, columns in _columns_of([history for _, history in measured]).items():
                if columns[0]:
                    _write(database, made / table, table, columns, part)
            types = {one.name: _type(one.name) for one in fields(FileRow)}
            _load(database, "made", types, _of_files(files, tuple(types)))
            database.execute(f"copy made to '{made / part}.parquet' (format parquet)")
            try:
                for path in sorted(made.glob("*/**/*.parquet")):
                    self._store.put(str(path.relative_to(made)), path)
                self._store.put(f"{FILES}/{part}.parquet", made / f"{part}.parquet")
            except (BaseError, OSError) as error:
                raise unavailable("written", error) from error

    def _rows(self, path: str) -> list[tuple[str, str, str | None]]:
        with tempfile.NamedTemporaryFile(suffix=".parquet") as copy, quiet_database() as database:
            copy.write(bytes(self._store.get(path).bytes()))
            copy.flush()
            return database.execute("select name, version, key from read_parquet(?)", [copy.name]).fetchall()


def quiet_database() -> duckdb.DuckDBPyConnection:
    """One in memory, that prints no progress bar to stdout where a statement takes two seconds."""
    database = duckdb.connect()
    database.execute("set enable_progress_bar = false")
    return database


def _type(name: str) -> str:
    return {"size": "bigint", "day": "date"}.get(name, "varchar")


RUN = ("key", "program", "day")
"""What each row of a table has of its file."""
OF_RUN = {"run": "bigint"} | {name: _type(name) for name in RUN}


def _of_files(files: Sequence[FileRow], names: Sequence[str]) -> list[list[Any]]:
    return [[getattr(one, name) for one in files] for name in names]


def _columns_of(measured: Sequence[HistoryColumns]) -> dict[str, list[list[Any]]]:
    """Of each table its columns, the place of a row's run in `measured` first. What is no number is left out."""
    found: dict[str, list[list[Any]]] = {table: [[] for _ in types] for table, types in COLUMNS.items()}
    for run, one in enumerate(measured):
        for table, columns in (("functions", one.functions), ("findings", one.findings), ("measures", one.figures)):
            if columns:
                places, *others = found[table]
                places.extend([run] * len(columns[0]))
                for column, values in zip(others, columns, strict=True):
                    column.extend(values)
    finite = [math.isfinite(value) for value in found["measures"][2]]
    found["measures"] = [list(compress(column, finite)) for column in found["measures"]]
    return found


def _text(value: str | None) -> str | None:
    """What a Parquet file cannot hold becomes U+FFFD."""
    return None if value is None else value.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _array(values: Sequence[Any], kind: str) -> np.ndarray:
    """A column as DuckDB reads it at once: the values of a list took it five times as long. NaN of a number, and NONE
    of a count, is null."""
    if kind == "double":
        return np.array(values, np.float64)
    if kind == "bigint":
        return np.array([NONE if value is None else value for value in values], np.int64)
    if kind == "date":
        return np.array(values, "datetime64[s]")
    texts = {value: _text(value) for value in set(values)}
    return np.array([texts[value] for value in values], object)


def _load(
    database: duckdb.DuckDBPyConnection,
    table: str,
    types: dict[str, str],
    columns: Sequence[Sequence[Any]],
    joined: str = "",
) -> None:
    """As a table; `joined` is what each row has besides, as SQL."""
    arrays = {name: _array(column, kind) for (name, kind), column in zip(types.items(), columns, strict=True)}
    chosen = (f"nullif({name}, {NONE})" if kind == "bigint" else name for name, kind in types.items())
    typed = ", ".join(f"{one}::{kind} as {name}" for one, (name, kind) in zip(chosen, types.items(), strict=True))
    # Columns of objects are texts here: looking at each to find its type took as long as all the rest.
    database.execute("set pandas_analyze_sample = 0")
    database.register("arrays", arrays)
    typed = f"select {typed} from arrays"  # noqa: S608 - names of ours
    database.execute(f"create or replace temp table {table} as {joined.format(typed) or typed}")
    database.unregister("arrays")


def _write(
    database: duckdb.DuckDBPyConnection, folder: Path, table: str, columns: Sequence[Sequence[Any]], part: str
) -> None:
    """What each row has of its run is joined to it: a key for each of 500 functions was a third of the time."""
    own = {name: kind for name, kind in COLUMNS[table].items() if name != "key"}
    every = ", ".join(["key", *own, "program", "day"])
    joined = f"select {every} from ({{}}) join runs using (run)"  # noqa: S608 - names of ours
    _load(database, "made", {"run": "bigint"} | own, columns, joined)
    folder.mkdir()
    database.execute(
        f"copy made to '{folder}' (format parquet, partition_by (program, day), filename_pattern 'part-{part}', "
        "overwrite_or_ignore)"
    )
