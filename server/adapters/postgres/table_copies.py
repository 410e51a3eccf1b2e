"""Every row of the application in files, one for each table, and back: the text of PostgreSQL's own COPY, compressed.
Text is read by every version of PostgreSQL, and the columns are named, so that a table may have gained some since.

What the server makes again by itself (jobs, checkpoints, events on their way) is not among it.
"""

import gzip
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from server.adapters.postgres.statements import statement
from server.errors import BackupUnusable, DatabaseUnavailable
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET

USERS = "auth.users"
TABLES = (
    "public.subscription_plans",
    "public.user_profiles",
    "public.accounts",
    "public.account_members",
    "public.account_invitations",
    "public.user_subscriptions",
    "public.spending_limits",
    "public.plan_changes",
    "public.api_keys",
    "public.traces",
    "public.chat_sessions",
    "public.chat_turns",
    "public.chat_messages",
    "public.message_feedback",
    "public.trace_notes",
    "public.watched_files",
    "public.kept_views",
    "public.saved_questions",
    "public.trace_functions",
    "public.trace_findings",
    "public.trace_measures",
    "public.removed_runs",
    "public.gates",
    "public.gate_results",
    "public.core_memories",
    "public.core_memory_changes",
    "public.core_memory_proposals",
    "public.collector_steps",
    "public.core_memory_onboardings",
    "public.memories",
    "public.knowledge_documents",
    "public.knowledge_chunks",
    "public.ai_invocation_summaries",
    "public.charge_receipts",
    "public.budget_notices",
)
"""Each after those that it refers to. Of users only their ids are kept: who they are an identity provider knows."""

Connection = psycopg.Connection[tuple[object, ...]]
CONNECT_S = 10
COMPRESSION = 1
PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCopy:
    """One table's rows in a file that has its name."""

    name: str
    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedRows:
    """All rows of one moment: the migrations that had made their tables, and the objects (bucket, path) they name."""

    migrations: tuple[str, ...]
    tables: tuple[TableCopy, ...]
    objects: frozenset[tuple[str, str]]


def file_name(table: str) -> str:
    """Of a table's file in the folder."""
    return f"{table}.copy.gz"


def copy_out(server_dsn: str, folder: Path) -> CopiedRows:
    """Write the rows that one snapshot sees to files of the folder, while others go on writing. Raises
    DatabaseUnavailable, OSError."""
    with _connected(server_dsn) as connection, connection.transaction():
        connection.execute("set transaction isolation level repeatable read, read only")
        connection.execute("set local role service_role")
        applied = connection.execute(statement("versions_of_database")).fetchall()
        tables = [_copy_out(connection, USERS, ("id",), _table("public.user_profiles"), folder)]
        tables += [_copy_out(connection, name, _columns(connection, name), _table(name), folder) for name in TABLES]
        return CopiedRows(
            migrations=tuple(str(row[0]) for row in applied), tables=tuple(tables), objects=_objects(connection)
        )


def objects_named(server_dsn: str) -> frozenset[tuple[str, str]]:
    """The objects (bucket, path) that rows name now. Raises DatabaseUnavailable."""
    with _connected(server_dsn) as connection, connection.transaction():
        connection.execute("set local role service_role")
        return _objects(connection)


def applied_migrations(owner_dsn: str) -> frozenset[str]:
    """What has been applied to a database; nothing to an empty one. Raises DatabaseUnavailable."""
    with _connected(owner_dsn) as connection:
        if connection.execute(statement("has_migrations")).fetchone() != (True,):
            return frozenset()
        rows = connection.execute(statement("owners_migrations"))
        return frozenset(str(row[0]) for row in rows)


def copy_in(owner_dsn: str, folder: Path, tables: Sequence[TableCopy]) -> None:
    """Fill the tables of a migrated database in which nothing has been uploaded, in one transaction. Raises
    BackupUnusable for one that has rows, or a project whose Auth lacks users of the backup; DatabaseUnavailable."""
    with _connected(owner_dsn) as connection, connection.transaction():
        if connection.execute(statement("is_in_use")).fetchone() != (False,):
            raise BackupUnusable("This database has traces, or plans that were changed: restore into an empty one.")
        by_name = {table.name: table for table in tables}
        names = [name for name in TABLES if name in by_name]  # an older version may not have had all of them
        connection.execute(sql.SQL("truncate {} cascade").format(sql.SQL(", ").join(map(_table, names))))
        _users_in(connection, folder, by_name[USERS])
        with _without_triggers(connection, "public.traces"):
            for name in names:
                _copy_in(connection, by_name[name], folder)
        connection.execute(statement("next_plan_change"))
        connection.execute(statement("settle_users"))


def _users_in(connection: Connection, folder: Path, users: TableCopy) -> None:
    """Users that the backup knows: made where this database keeps them itself, else looked for."""
    connection.execute(statement("users_of_backup"))
    _copy_in(connection, users, folder, into=sql.SQL("backup_users"))
    if _has_own_users(connection):
        with _without_triggers(connection, USERS):
            connection.execute(statement("make_users_of_backup"))
        return
    row = connection.execute(statement("missing_users_of_backup")).fetchone()
    missing = 0 if row is None else row[0]
    if missing:
        raise BackupUnusable(
            f"The project's Auth does not have {missing} users of the backup: restore its users first."
        )


def _has_own_users(connection: Connection) -> bool:
    """Whether `auth.users` is the stand-in of `supabase/local/bootstrap.sql`: a project's has passwords."""
    return "encrypted_password" not in _columns(connection, USERS)


def _copy_out(
    connection: Connection,
    name: str,
    columns: tuple[str, ...],
    table: sql.Identifier,
    folder: Path,
) -> TableCopy:
    statement = sql.SQL("copy (select {} from {}) to stdout").format(_names(columns), table)
    with connection.cursor() as cursor:
        with gzip.open(folder / file_name(name), "wb", COMPRESSION) as written, cursor.copy(statement) as copy:
            for piece in copy:
                written.write(piece)
        return TableCopy(name=name, columns=columns, rows=max(cursor.rowcount, 0))


def _copy_in(
    connection: Connection,
    table: TableCopy,
    folder: Path,
    into: sql.Composable | None = None,
) -> None:
    statement = sql.SQL("copy {} ({}) from stdin").format(into or _table(table.name), _names(table.columns))
    with connection.cursor() as cursor:
        with gzip.open(folder / file_name(table.name), "rb") as reading, cursor.copy(statement) as copy:
            while piece := reading.read(PIECE_BYTES):
                copy.write(piece)
        if cursor.rowcount != table.rows:
            raise BackupUnusable(
                f"The backup has {cursor.rowcount} rows of {table.name}, and should have {table.rows}."
            )


def _columns(connection: Connection, name: str) -> tuple[str, ...]:
    rows = connection.execute(statement("columns_of_table"), {"table": name})
    return tuple(str(row[0]) for row in rows)


def _objects(connection: Connection) -> frozenset[tuple[str, str]]:
    rows = connection.execute(statement("named_objects"), {"traces": TRACES_BUCKET, "pictures": PICTURES_BUCKET})
    return frozenset((str(bucket), str(path)) for bucket, path in rows)


@contextmanager
def _without_triggers(connection: Connection, name: str) -> Iterator[None]:
    """What a table's triggers do on a new row has been done to rows that come back."""
    connection.execute(sql.SQL("alter table {} disable trigger user").format(_table(name)))
    yield
    connection.execute(sql.SQL("alter table {} enable trigger user").format(_table(name)))


@contextmanager
def _connected(dsn: str) -> Iterator[Connection]:
    try:
        with psycopg.connect(dsn, autocommit=True, prepare_threshold=None, connect_timeout=CONNECT_S) as connection:
            yield connection
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable(f"The database cannot be reached: {error}") from error


def _table(name: str) -> sql.Identifier:
    return sql.Identifier(*name.split("."))


def _names(columns: Iterable[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, columns))
