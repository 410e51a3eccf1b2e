"""What the recordings of an account measured as SQL tables, `lib.traces` and its kin: what each column holds, and the
raw columns it is made of. Read by the sandbox that answers queries and by whoever describes them; knows no database.
"""

from dataclasses import dataclass

from server.ports.history import LibraryTableName

SCHEMA = "lib"


@dataclass(frozen=True, slots=True)
class LibraryColumn:
    """`expression` is over the table's raw columns `own`, and of all but `traces` those of its recording `run`."""

    name: str
    expression: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class LibraryTable:
    """`raw` are the columns that leave the database, in their order, with DuckDB's types."""

    name: LibraryTableName
    meaning: str
    raw: tuple[tuple[str, str], ...]
    columns: tuple[LibraryColumn, ...]

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


_NANOSECONDS = "run.unit = 'nanoseconds'"


def _label(key: str) -> LibraryColumn:
    return LibraryColumn(key, f"run.labels ->> '{key}'", f"the label {key}, where it has one")


_OF_RUN = (
    LibraryColumn("trace", "run.id", "id of the recording"),
    LibraryColumn("recording", "run.name", "its file's name"),
    LibraryColumn("uploaded", "make_timestamp(run.created_us)", "in UTC"),
    LibraryColumn("program", "run.program"),
    *(_label(key) for key in ("commit", "branch", "release")),
)

_ALL = (
    LibraryTable(
        "traces",
        "recordings",
        (
            ("id", "VARCHAR"),
            ("name", "VARCHAR"),
            ("created_us", "BIGINT"),
            ("program", "VARCHAR"),
            ("labels", "JSON"),
            ("format", "VARCHAR"),
            ("size_bytes", "BIGINT"),
            ("duration_ns", "BIGINT"),
            ("unit", "VARCHAR"),
            ("total", "DOUBLE"),
        ),
        (
            *_OF_RUN,
            LibraryColumn(
                "labels", "from_json(run.labels, '\"MAP(VARCHAR, VARCHAR)\"')", "all of them: labels['host']"
            ),
            LibraryColumn("format", "run.format"),
            LibraryColumn("size_bytes", "run.size_bytes", "of the file"),
            LibraryColumn("duration_ms", "run.duration_ns / 1e6", "NULL where it has no time"),
            LibraryColumn("unit", "run.unit", "of self_value and total_value; NULL: not measured"),
            LibraryColumn("total_value", "run.total", "all of its main profile"),
        ),
    ),
    LibraryTable(
        "functions",
        "the 500 heaviest functions of each recording",
        (
            ("trace_id", "VARCHAR"),
            ("name", "VARCHAR"),
            ("file", "VARCHAR"),
            ("self_value", "DOUBLE"),
            ("total_value", "DOUBLE"),
            ("self_share", "DOUBLE"),
            ("total_share", "DOUBLE"),
            ("calls", "BIGINT"),
        ),
        (
            *_OF_RUN,
            LibraryColumn("name", "own.name"),
            LibraryColumn("file", "own.file", "without folder and build hash"),
            LibraryColumn("unit", "run.unit"),
            LibraryColumn("self_value", "own.self_value", "in the unit"),
            LibraryColumn("total_value", "own.total_value", "in the unit, with what it calls"),
            LibraryColumn("self_ms", f"CASE WHEN {_NANOSECONDS} THEN own.self_value / 1e6 END"),
            LibraryColumn("total_ms", f"CASE WHEN {_NANOSECONDS} THEN own.total_value / 1e6 END"),
            LibraryColumn("self_share", "own.self_share", "0 to 1"),
            LibraryColumn("total_share", "own.total_share", "0 to 1"),
            LibraryColumn("calls", "own.calls", "NULL where not counted"),
        ),
    ),
    LibraryTable(
        "findings",
        "the findings of each recording",
        (("trace_id", "VARCHAR"), ("finding", "VARCHAR"), ("severity", "VARCHAR"), ("share", "DOUBLE")),
        (
            *_OF_RUN,
            LibraryColumn("finding", "own.finding"),
            LibraryColumn("severity", "own.severity", "high, medium, low, info"),
            LibraryColumn("share", "own.share", "0 to 1, of what is at stake"),
        ),
    ),
    LibraryTable(
        "measures",
        "figures of each recording as such: total, duration, busy, waiting, idle, samples, spans, counter:NAME",
        (("trace_id", "VARCHAR"), ("measure", "VARCHAR"), ("value", "DOUBLE"), ("unit", "VARCHAR")),
        (
            *_OF_RUN,
            LibraryColumn("measure", "own.measure"),
            LibraryColumn("value", "own.value", "in the unit"),
            LibraryColumn("unit", "own.unit"),
            LibraryColumn("value_ms", "CASE WHEN own.unit = 'nanoseconds' THEN own.value / 1e6 END"),
        ),
    ),
)
LIBRARY: dict[LibraryTableName, LibraryTable] = {table.name: table for table in _ALL}


def raw_name(table: str) -> str:
    """The name under which a table's raw columns stand."""
    return f"main._{table}"


def view(table: LibraryTable) -> str:
    """`SELECT ...` of a table over the raw columns."""
    chosen = ", ".join(f'{column.expression} AS "{column.name}"' for column in table.columns)
    if table.name == "traces":
        return f"SELECT {chosen} FROM {raw_name('traces')} run"  # noqa: S608 - of constants of this file
    joined = f"{raw_name(table.name)} own JOIN {raw_name('traces')} run ON run.id = own.trace_id"
    return f"SELECT {chosen} FROM {joined}"  # noqa: S608 - as above


def tables_named(sql: str) -> tuple[LibraryTableName, ...]:
    """The tables that a query may read: those whose names stand in it, and the recordings, which all of them join."""
    text = sql.casefold()
    return tuple(table.name for table in _ALL if table.name == "traces" or table.name in text)


def described_tables() -> str:
    """The tables for whoever writes a query, in a line each."""
    return "\n".join(f"{SCHEMA}.{one.name} ({one.meaning}): {', '.join(one.column_names)}" for one in _ALL)
