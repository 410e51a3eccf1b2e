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
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore

from server.adapters.fleet.sources import store_of, unavailable
from server.errors import Busy, ConfigError
from traces.gate.run_history import RunHistory

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

    def add(self, files: Sequence[FileRow], measured: Sequence[tuple[FileRow, RunHistory]]) -> None:
        """Write a part: its `files`, and what some of them `measured`. Raises ServiceUnavailable."""
        named = "\n".join(f"{one.name}\0{one.version}" for one in files)
        part = hashlib.sha256(named.encode(errors="surrogatepass")).hexdigest()[:PART_DIGITS]
        with tempfile.TemporaryDirectory() as folder, quiet_database() as database:
            made = Path(folder)
            for table, columns in _columns_of(measured).items():
                if columns[0]:
                    of_table = COLUMNS[table] | {"program": "varchar", "day": "date"}
                    _write(database, made / table, of_table, columns, part)
            types = {one.name: _type(one.name) for one in fields(FileRow)}
            listed = [[getattr(one, name) for one in files] for name in types]
            _write_one(database, made / f"{part}.parquet", types, listed)
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


def _columns_of(measured: Sequence[tuple[FileRow, RunHistory]]) -> dict[str, list[list[Any]]]:
    """Of each table its columns, with `key` first, `program` and `day` last. What is no number is left out."""
    found: dict[str, list[list[Any]]] = {
        table: [[] for _ in (*types, "program", "day")] for table, types in COLUMNS.items()
    }
    for file, history in measured:
        finite = tuple(one for one in history.figures if math.isfinite(one.value))
        for table, rows in (("functions", history.functions), ("findings", history.findings), ("measures", finite)):
            key, *columns, program, day = found[table]
            for column, values in zip(columns, zip(*rows, strict=True), strict=bool(rows)):
                column.extend(values)
            for column, value in ((key, file.key), (program, file.program), (day, file.day)):
                column.extend([value] * len(rows))
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
    if kind == "varchar":
        texts = {value: _text(value) for value in set(values)}
        values = [texts[value] for value in values]
    return np.array(values, object)


def _load(database: duckdb.DuckDBPyConnection, types: dict[str, str], columns: Sequence[Sequence[Any]]) -> None:
    """As the table `made`."""
    arrays = {name: _array(column, kind) for (name, kind), column in zip(types.items(), columns, strict=True)}
    chosen = (f"nullif({name}, {NONE})" if kind == "bigint" else name for name, kind in types.items())
    typed = ", ".join(f"{one}::{kind} as {name}" for one, (name, kind) in zip(chosen, types.items(), strict=True))
    database.execute(f"set pandas_analyze_sample = {len(columns[0])}")  # all: what a sample shows need not be of all
    database.register("arrays", arrays)
    database.execute(f"create or replace temp table made as select {typed} from arrays")  # noqa: S608 - names of ours
    database.unregister("arrays")


def _write(
    database: duckdb.DuckDBPyConnection,
    folder: Path,
    types: dict[str, str],
    columns: Sequence[Sequence[Any]],
    part: str,
) -> None:
    _load(database, types, columns)
    folder.mkdir()
    database.execute(
        f"copy made to '{folder}' (format parquet, partition_by (program, day), filename_pattern 'part-{part}', "
        "overwrite_or_ignore)"
    )


def _write_one(
    database: duckdb.DuckDBPyConnection, path: Path, types: dict[str, str], columns: Sequence[Sequence[Any]]
) -> None:
    _load(database, types, columns)
    database.execute(f"copy made to '{path}' (format parquet)")
