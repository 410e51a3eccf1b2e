"""Applies `supabase/migrations`, recording them as the Supabase CLI does, so that either may go on after the other."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection, AsyncCursor, Error, OperationalError
from psycopg.rows import tuple_row

from server.errors import DatabaseUnavailable

FILE_NAME = re.compile(r"(?P<version>\d{14})_(?P<name>[a-z0-9_]+)\.sql")
LOCK_KEY = 7_274_463_201
"""Ours among the advisory locks of a database: one runner at a time."""

LOCK_WAIT = "60s"


def sql_root() -> Path:
    """The folder that holds `migrations/` and `local/`: shipped in the wheel, else that of the checkout."""
    server = Path(__file__).parents[2]
    shipped = server / "shipped" / "supabase"
    return shipped if shipped.is_dir() else server.parent / "supabase"


@dataclass(frozen=True, slots=True)
class Migration:
    version: str
    name: str
    text: str


def read_migrations(folder: Path) -> list[Migration]:
    """The migrations of a folder in their order. Raises DatabaseUnavailable for a file that is none."""
    migrations = []
    for path in sorted(folder.glob("*.sql")):
        parts = FILE_NAME.fullmatch(path.name)
        if parts is None:
            raise DatabaseUnavailable(f"{path.name} is no migration: it must be named YYYYMMDDHHMMSS_words.sql.")
        migrations.append(Migration(parts["version"], parts["name"], path.read_text(encoding="utf-8")))
    return migrations


async def migrate(
    owner_dsn: str, *, bootstrap: bool, root: Path | None = None, only: Collection[str] | None = None
) -> list[str]:
    """Bring a database up to date; returns the versions applied now. One transaction per file, one runner at a time.

    `bootstrap` first creates stand-ins for what a Supabase project already has: for the embedded database and tests.
    With `only`, no other versions are applied, as if the later ones had not been written.
    A database that a newer version has migrated is left as it is, where that version says that this one may use it.
    Raises DatabaseUnavailable when the database cannot be reached, a file fails (with its line), or it has
    migrations that are not these files' otherwise.
    """
    root = root or sql_root()
    migrations = [one for one in read_migrations(root / "migrations") if only is None or one.version in only]
    try:
        connection = await AsyncConnection.connect(owner_dsn, autocommit=True)
    except OperationalError as error:
        raise DatabaseUnavailable(f"The database cannot be reached to prepare it: {error}") from error
    async with connection:
        cursor = connection.cursor()
        await cursor.execute("select set_config('lock_timeout', %s, false)", [LOCK_WAIT])
        await cursor.execute("select pg_advisory_lock(%s)", [LOCK_KEY])
        await cursor.execute("set lock_timeout = 0")
        await cursor.execute("set client_min_messages = warning")
        if bootstrap:
            await _run(connection, "bootstrap.sql", (root / "local" / "bootstrap.sql").read_text(encoding="utf-8"))
        pending = _pending(migrations, await _applied(cursor), await least_known(connection))
        for migration in pending:
            async with connection.transaction():
                await _run(connection, f"{migration.version}_{migration.name}.sql", migration.text)
                await cursor.execute(
                    "insert into supabase_migrations.schema_migrations (version, name, statements) values (%s, %s, %s)",
                    [migration.version, migration.name, [migration.text]],
                )
    return [migration.version for migration in pending]


async def _applied(cursor: AsyncCursor[tuple[str, str | None]]) -> dict[str, str | None]:
    """What has been applied, by version: the text, where the table knows it."""
    await cursor.execute("create schema if not exists supabase_migrations")
    await cursor.execute(
        "create table if not exists supabase_migrations.schema_migrations "
        "(version text not null primary key, statements text[], name text)"
    )
    await cursor.execute(
        "select version, array_to_string(statements, '') from supabase_migrations.schema_migrations order by version"
    )
    return dict(await cursor.fetchall())


async def least_known(connection: AsyncConnection[Any]) -> str | None:
    """The migration that a version of the server has to know which may use the database; None: every one of it."""
    cursor: AsyncCursor[tuple[str | None]] = connection.cursor(row_factory=tuple_row)
    await cursor.execute("select to_regprocedure('flamechat_private.least_known_migration()')::text")
    if await cursor.fetchone() == (None,):
        return None
    await cursor.execute("select flamechat_private.least_known_migration()")
    found = await cursor.fetchone()
    return None if found is None else found[0]


def not_usable(known: Collection[str], applied: Collection[str], least: str | None) -> list[str]:
    """Of the migrations of a database those for which a version that knows these cannot use it: none where all that it
    does not know came later, and `least_known` says that it may."""
    unknown, newest = sorted(set(applied) - set(known)), max(known, default="")
    return [] if unknown and least is not None and least <= newest < unknown[0] else unknown


def _pending(migrations: list[Migration], applied: dict[str, str | None], least: str | None) -> list[Migration]:
    """The migrations still to be applied. Raises DatabaseUnavailable when others than these have been applied."""
    unknown = not_usable([migration.version for migration in migrations], applied, least)
    if unknown:
        raise DatabaseUnavailable(
            f"The database has migrations that this version of Flamechat does not know ({', '.join(unknown)}): a newer "
            "version has used it. Run that one, or choose another database."
        )
    changed = [
        migration.version
        for migration in migrations
        if (text := applied.get(migration.version)) and _essence(text) != _essence(migration.text)
    ]
    if changed:
        raise DatabaseUnavailable(
            f"The migration {', '.join(changed)} is not what was applied to this database. Migrations are never "
            "changed: restore the file and add a new one."
        )
    pending = [migration for migration in migrations if migration.version not in applied]
    late = [migration.version for migration in pending if applied and migration.version < max(applied)]
    if late:
        raise DatabaseUnavailable(
            f"The migration {', '.join(late)} comes before {max(applied)}, which this database already has. Give it a "
            "later time in its name."
        )
    return pending


def _essence(text: str) -> str:
    """What remains the same when the Supabase CLI splits a file into statements: all but space and semicolons."""
    return re.sub(r"[\s;]", "", text)


async def _run(connection: AsyncConnection[tuple[str, str | None]], name: str, text: str) -> None:
    try:
        await connection.execute(text)
    except Error as error:
        position = int(error.diag.statement_position or 0)
        line = f", line {text.count(chr(10), 0, position) + 1}" if position else ""
        raise DatabaseUnavailable(f"The database could not be prepared: {name}{line}: {error}") from error
