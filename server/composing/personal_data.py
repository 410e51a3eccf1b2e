"""Everything that a person has left: written to a folder, or removed. Either may be run again after it was cut off."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from limits.administration import Author
from limits.errors import UnknownUser
from server.adapters.folder.backup_folder import finish_export, writing_backup
from server.adapters.folder.data_folder import own_data_folder
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.person_rows import Removed, remove_person, rows_of_person
from server.adapters.postgres.place import database_place
from server.adapters.supabase.auth_users import remove_user
from server.adapters.workers.trace_cache import TraceCache
from server.composing.backups import copy_objects
from server.composing.cache_place import CACHE_FOLDER
from server.composing.object_store import object_store
from server.composing.supabase_project import supabase_project
from server.errors import ServerError
from server.ports.identity import LOCAL_USER_ID
from server.settings import Settings

ROUNDS = 10
"""How often a person's objects are looked for anew, when more come meanwhile."""

Object = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport:
    """Rows and files written, and files that rows name and the store does not have."""

    rows: int
    objects: int
    lost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionReport:
    """Rows and files removed; with `stays` the user is left, with an empty account."""

    rows: int
    objects: int
    stays: bool


async def export_person(settings: Settings, user_id: str, folder: Path) -> ExportReport:
    """Write a person's rows, as JSON, and files to a new folder.

    Raises UnknownUser, ConfigError, DatabaseUnavailable, ServiceUnavailable.
    """
    own_data_folder(settings.data)
    with writing_backup(folder):
        async with (
            database_place(settings.data / "postgres", *settings.database_urls) as place,
            object_store(settings) as store,
        ):
            person = await asyncio.to_thread(rows_of_person, place.server_dsn, user_id)
            lost = await copy_objects(store, person.objects, folder)
        await asyncio.to_thread(finish_export, folder, person.parts)
    rows = sum(len(part) for part in person.parts.values())
    return ExportReport(rows=rows, objects=len(person.objects - lost), lost=len(lost))


async def delete_person(settings: Settings, user_id: str, reason: str | None) -> DeletionReport:
    """Remove a person with everything they have left. Their objects go first, with what the cache of this data
    folder has of them, then all rows in one transaction, then who they are in the project's Auth: wherever it is cut
    off, it is found again. The user of a machine is its server's own, and stays with an empty account.

    Raises UnknownUser, ConfigError, DatabaseUnavailable, ServiceUnavailable.
    """
    own_data_folder(settings.data)
    project, stays = supabase_project(settings), user_id == LOCAL_USER_ID and settings.supabase_url is None
    author, removed, gone = Author(user_id=LOCAL_USER_ID, reason=reason), Removed(), frozenset[Object]()
    cache = TraceCache(settings.data / CACHE_FOLDER, settings.cache_bytes)
    async with (
        database_place(settings.data / "postgres", *settings.database_urls) as place,
        object_store(settings) as store,
    ):
        if stays:
            await ensure_local_user(place.owner_dsn, LOCAL_USER_ID)
        unknown: UnknownUser | None = None
        try:
            for _ in range(ROUNDS):
                removed = await asyncio.to_thread(
                    remove_person, place.owner_dsn, user_id, author, gone=gone, stays=stays, own_users=project is None
                )
                if not removed.missed:
                    break
                for bucket, path in sorted(removed.missed):
                    await store.delete(bucket, path)
                for sha256 in removed.contents:
                    await asyncio.to_thread(cache.forget, sha256)
                gone |= removed.missed
            else:
                raise ServerError("More is being uploaded than can be removed: run this again.")
        except UnknownUser as error:
            unknown = error
    if project is not None:
        async with project.client() as client:
            if await remove_user(client, user_id):
                unknown = None
    if unknown is not None:
        raise unknown
    return DeletionReport(rows=removed.rows, objects=len(gone), stays=stays)
