"""Backups of rows and objects of one moment, taken while servers run, and a new place filled from one."""

import asyncio
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import anyio

from server.adapters.folder.backup_folder import (
    TABLES,
    Backup,
    BackupTable,
    finish_backup,
    object_path,
    read_backup,
    writing_backup,
)
from server.adapters.folder.data_folder import KEPT, own_data_folder, restoring_into
from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.library_tables import set_up_library_tables
from server.adapters.postgres.migrations import migrate, read_migrations, sql_root
from server.adapters.postgres.place import database_place, has_users
from server.adapters.postgres.postmaster import stop_postmaster
from server.adapters.postgres.table_copies import (
    CopiedRows,
    TableCopy,
    applied_migrations,
    copy_in,
    copy_out,
    objects_named,
)
from server.composing.object_store import object_store
from server.edges.mcp.version import version
from server.errors import BackupUnusable, NotFound
from server.ports.objects import ObjectStore
from server.settings import Settings

ROUNDS = 5
"""Snapshots that are taken when objects are removed faster than they can be copied."""

Object = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """Rows and objects of a backup, and those that rows name and the store does not have."""

    rows: int
    objects: int
    lost: int
    taken_at: str
    made_by: str


async def back_up(settings: Settings, folder: Path) -> BackupReport:
    """Write a backup to a new folder. The rows are of one moment, and every object that they name is with them.

    Raises ConfigError, DatabaseUnavailable, ServiceUnavailable.
    """
    own_data_folder(settings.data)
    with writing_backup(folder):
        async with (
            database_place(settings.data / "postgres", *settings.database_urls) as place,
            object_store(settings) as store,
        ):
            # Most objects are copied before the snapshot, so that few can go between it and their copy.
            named = await asyncio.to_thread(objects_named, place.server_dsn)
            await copy_objects(store, named, folder)
            rows, lost = await _moment(store, place.server_dsn, folder)
        backup = Backup(
            made_by=version(),
            taken_at=datetime.now(UTC).isoformat(timespec="seconds"),
            migrations=rows.migrations,
            tables=tuple(BackupTable(name=one.name, columns=one.columns, rows=one.rows) for one in rows.tables),
            objects=tuple(sorted(rows.objects - lost)),
            lost=tuple(sorted(lost)),
        )
        await asyncio.to_thread(finish_backup, folder, backup)
    return _report(backup)


async def restore(settings: Settings, folder: Path) -> BackupReport:
    """Fill a new data folder, or the empty database and store of the settings, from a backup. An older version's is
    brought up to date. Nothing is touched before all of the backup was checked, and a restore that was cut off can
    be run again.

    Raises BackupUnusable, ConfigError, DatabaseUnavailable, ServiceUnavailable.
    """
    backup = await asyncio.to_thread(read_backup, folder)
    known = [migration.version for migration in read_migrations(sql_root() / "migrations")]
    if list(backup.migrations) != known[: len(backup.migrations)]:
        raise BackupUnusable(
            f"The backup was made by a newer version of Flamechat ({backup.made_by}): restore it with that one."
        )
    url, session_url = settings.database_urls
    if url is None:
        with restoring_into(settings.data):
            cluster = settings.data / "postgres" / "cluster"
            await asyncio.to_thread(stop_postmaster, cluster)  # of a restore that was cut off
            for part in KEPT:
                shutil.rmtree(settings.data / part, ignore_errors=True)
            async with EmbeddedPostgres(settings.data / "postgres") as postgres, object_store(settings) as store:
                await _fill(postgres.owner_dsn, store, folder, backup, bootstrap=True)
    else:
        owner_dsn = session_url or url
        if not applied_migrations(owner_dsn) <= set(backup.migrations):
            raise BackupUnusable("This database is of a newer version than the backup: restore into an empty one.")
        async with object_store(settings) as store:
            await _fill(owner_dsn, store, folder, backup, bootstrap=not await has_users(owner_dsn))
    return _report(backup)


async def _fill(owner_dsn: str, store: ObjectStore, folder: Path, backup: Backup, *, bootstrap: bool) -> None:
    """The rows come last, in one transaction: where they are, everything is."""
    await migrate(owner_dsn, bootstrap=bootstrap, only=backup.migrations)
    for bucket, path in backup.objects:
        await store.put(bucket, path, object_path(folder, bucket, path))
    tables = [TableCopy(name=one.name, columns=one.columns, rows=one.rows) for one in backup.tables]
    await asyncio.to_thread(copy_in, owner_dsn, folder / TABLES, tables)
    await migrate(owner_dsn, bootstrap=False)
    await set_up_library_tables(owner_dsn)


async def _moment(store: ObjectStore, server_dsn: str, folder: Path) -> tuple[CopiedRows, frozenset[Object]]:
    """The rows of a moment, of which every object could be copied, and the objects that were lost before."""
    for _ in range(ROUNDS):
        rows = await asyncio.to_thread(copy_out, server_dsn, folder / TABLES)
        missing = await copy_objects(store, rows.objects, folder)
        still_named = await asyncio.to_thread(objects_named, server_dsn) if missing else frozenset()
        if missing <= still_named:
            return rows, missing
    raise BackupUnusable("Traces are being removed faster than they can be copied: try again.")


async def copy_objects(store: ObjectStore, named: frozenset[Object], folder: Path) -> frozenset[Object]:
    """Copy those that are not in the folder yet; returns those that the store does not have."""
    missing: set[Object] = set()
    for bucket, path in sorted(named):
        target = anyio.Path(object_path(folder, bucket, path))
        if await target.exists():
            continue
        await target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        coming = target.with_name(f"{target.name}.coming")
        try:
            async with await coming.open("wb") as file:
                async for piece in store.stream(bucket, path):
                    await file.write(piece)
        except NotFound:
            await coming.unlink()
            missing.add((bucket, path))
        else:
            await coming.rename(target)
    return frozenset(missing)


def _report(backup: Backup) -> BackupReport:
    return BackupReport(
        rows=sum(table.rows for table in backup.tables),
        objects=len(backup.objects),
        lost=len(backup.lost),
        taken_at=backup.taken_at,
        made_by=backup.made_by,
    )
