"""`flamechat backup` and `restore`: what comes back is what was there at one moment, or nothing."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psycopg
import pytest
from psycopg import sql

from server.adapters.folder.backup_folder import (
    MANIFEST,
    Backup,
    BackupTable,
    finish_backup,
    object_path,
    table_path,
    writing_backup,
)
from server.adapters.folder.data_folder import own_data_folder
from server.adapters.folder.objects import FolderObjects
from server.adapters.postgres import table_copies
from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.migrations import migrate, read_migrations, sql_root
from server.adapters.postgres.pool import Database
from server.adapters.postgres.table_copies import TABLES, TableCopy, copy_out, objects_named
from server.composing import backups
from server.composing.backups import BackupReport, back_up, restore
from server.errors import BackupUnusable, ConfigError
from server.ports.core_memory import Action, NewProposal
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET
from server.settings import Settings, load_settings
from tests.e2e.running_server import NOT_INHERITED, ROOT
from tests.plugins.postgres import FreshDatabase, cloned_database
from tests.plugins.worlds import Talk
from tests.plugins.worlds_on_postgres import postgres_world

VERSIONS = [migration.version for migration in read_migrations(sql_root() / "migrations")]
LATE_TRACE = """
insert into public.traces (id, account_id, user_id, name, sha256, size_bytes, format, unit, object_path)
select gen_random_uuid(), account_id, user_id, 'late', sha256, 1, format, unit, account_id || '/late'
from public.traces limit 1 returning object_path
"""
TRACE, PICTURE = b"a trace" * 1000, b"\x89PNG"


def settings_of(database: FreshDatabase, data: Path) -> Settings:
    return load_settings(data=data, database_url=database.server, database_session_url=database.owner)


def rows_of(owner_dsn: str) -> dict[str, list[str]]:
    """Every row of every table, as text."""
    with psycopg.connect(owner_dsn) as owner:
        return {
            name: sorted(
                str(row[0])
                for row in owner.execute(
                    sql.SQL("select to_jsonb(t) - 'updated_at' from {} t").format(sql.Identifier(*name.split(".")))
                )
            )
            for name in TABLES
        }


async def a_picture_in(owner_dsn: str, account_id: str) -> str:
    """The path of a picture that an answer has."""
    with psycopg.connect(owner_dsn) as owner:
        row = owner.execute(
            "update public.chat_messages set content_image_path = %s || '/' || turn_id || '/picture.png' "
            "where sender = 'model' returning content_image_path",
            [account_id],
        ).fetchone()
    assert row is not None
    return str(row[0])


@dataclass(frozen=True, slots=True)
class Taken:
    """A database with two people, one of whom has asked, a store with what they have, and a backup of both."""

    database: FreshDatabase
    settings: Settings
    backup: Path
    done: BackupReport


@pytest.fixture(scope="module")
def taken(
    postgres: EmbeddedPostgres, migrated_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Taken]:
    folder = tmp_path_factory.mktemp("backed-up")
    for database in cloned_database(postgres, migrated_template):
        settings = settings_of(database, folder / "data")
        asyncio.run(fill(database, settings))
        yield Taken(database, settings, folder / "backup", asyncio.run(back_up(settings, folder / "backup")))


async def fill(database: FreshDatabase, settings: Settings) -> None:
    store = FolderObjects(settings.data / "objects")
    async with Database(database.server) as connected:
        world = postgres_world(database.owner, connected)
        anna, ben = await world.user(), await world.user()
        talk = await Talk.begin(world, anna)
        turn_id = await talk.exchange('why\t"so"\n\\N?', "because 🔥")
        await world.memory.write(anna, "we ship on Fridays 🔥", version=0)
        await world.memory.propose(
            anna, NewProposal(session_id=talk.session_id, turn_id=turn_id, action=Action.APPEND, text="so", span=(5, 7))
        )
        bens = await world.trace(ben)
        await store.put(TRACES_BUCKET, f"{anna.account_id}/{talk.trace_id}", TRACE)
        await store.put(TRACES_BUCKET, f"{ben.account_id}/{bens}", TRACE)
        await store.put(PICTURES_BUCKET, await a_picture_in(database.owner, anna.account_id), PICTURE)


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


async def test_what_is_restored_is_what_was_there(taken: Taken, empty_database: FreshDatabase, tmp_path: Path) -> None:
    restored = settings_of(empty_database, tmp_path / "new")
    assert await restore(restored, taken.backup) == taken.done
    assert rows_of(empty_database.owner) == rows_of(taken.database.owner)
    assert files_in(restored.data / "objects") == files_in(taken.settings.data / "objects")
    assert (taken.done.objects, taken.done.lost) == (3, 0)
    with psycopg.connect(empty_database.owner) as owner:  # the next row of the audit finds its number free
        owner.execute("insert into public.plan_changes (action) values ('try')")
        assert owner.execute("select count(*) from pg_trigger where tgenabled = 'D'").fetchone() == (0,)


def test_every_table_is_backed_up(taken: Taken) -> None:
    with psycopg.connect(taken.database.owner) as owner:
        tables = owner.execute(
            "select format('%s.%s', schemaname, tablename) from pg_tables where schemaname = 'public'"
        )
        made_again = {"public.knowledge_embeddings", "public.memory_embeddings"}
        assert {row[0] for row in tables} - made_again == set(TABLES)


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def changed(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)


async def test_a_cut_or_changed_backup_is_refused_before_anything_is_written(taken: Taken, tmp_path: Path) -> None:
    backup = Path(shutil.copytree(taken.backup, tmp_path / "backup"))
    written = files_in(backup)
    an_object = next(one for one in written if one.startswith("objects"))
    for name in (MANIFEST, "tables/public.chat_turns.copy.gz", an_object):
        for damage in (Path.unlink, truncated, changed):
            damage(backup / name)
            with pytest.raises(BackupUnusable):
                await restore(load_settings(data=tmp_path / "new"), backup)
            (backup / name).write_bytes(written[name])
    assert not (tmp_path / "new").exists()


async def test_rows_of_a_backup_are_those_of_one_moment(
    taken: Taken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trace with a conversation comes after the traces were copied and before the conversations are."""
    real = table_copies._copy_out

    def slow(connection: Any, name: str, *rest: Any) -> TableCopy:
        if name == "public.chat_sessions":
            with psycopg.connect(taken.database.owner) as other:
                other.execute(LATE_TRACE)
                other.execute(
                    "insert into public.chat_sessions (id, account_id, user_id, trace_id) "
                    "select gen_random_uuid(), account_id, user_id, id from public.traces where name = 'late'"
                )
        return real(connection, name, *rest)

    monkeypatch.setattr(table_copies, "_copy_out", slow)
    copied = {one.name: one.rows for one in copy_out(taken.database.server, tmp_path).tables}
    with psycopg.connect(taken.database.owner) as owner:
        removed = owner.execute("delete from public.traces where name = 'late' returning id").fetchall()
        owner.execute("delete from public.removed_runs")
    assert (copied["public.traces"], copied["public.chat_sessions"], len(removed)) == (2, 1, 1)


async def test_an_object_whose_trace_goes_meanwhile_is_in_no_backup(
    taken: Taken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the snapshot and the copy a person removes a trace: the next snapshot is taken."""
    objects, named = taken.settings.data / "objects" / TRACES_BUCKET, objects_named

    def before_it_came(server_dsn: str) -> frozenset[tuple[str, str]]:
        """The first copies are made before the trace is there."""
        found = named(server_dsn)
        with psycopg.connect(taken.database.owner) as owner:
            row = owner.execute(LATE_TRACE).fetchone()
        assert row is not None
        (objects / str(row[0])).write_bytes(TRACE)
        monkeypatch.setattr(backups, "objects_named", named)
        return found

    def copy_out_and_remove(server_dsn: str, folder: Path) -> object:
        copied = copy_out(server_dsn, folder)
        with psycopg.connect(taken.database.owner) as owner:
            for row in owner.execute("delete from public.traces where name = 'late' returning object_path"):
                (objects / str(row[0])).unlink()
            owner.execute("delete from public.removed_runs")
        return copied

    monkeypatch.setattr(backups, "objects_named", before_it_came)
    monkeypatch.setattr(backups, "copy_out", copy_out_and_remove)
    done = await back_up(taken.settings, tmp_path / "backup")
    assert (done.objects, done.lost) == (3, 0)
    rows = json.loads((tmp_path / "backup" / MANIFEST).read_text())["tables"]
    assert next(table["rows"] for table in rows if table["name"] == "public.traces") == 2


async def test_an_object_that_was_lost_before_is_named_and_stops_nothing(taken: Taken, tmp_path: Path) -> None:
    picture = next((taken.settings.data / "objects" / PICTURES_BUCKET).rglob("*.png"))
    picture.unlink()
    assert (await back_up(taken.settings, tmp_path / "backup")).lost == 1
    picture.write_bytes(PICTURE)


async def test_what_is_there_is_left_alone(taken: Taken, tmp_path: Path) -> None:
    before = rows_of(taken.database.owner)
    with pytest.raises(BackupUnusable, match="empty one"):
        await restore(taken.settings, taken.backup)
    assert rows_of(taken.database.owner) == before
    (tmp_path / "letters.txt").write_text("dear")
    with pytest.raises(ConfigError, match="is not empty"):
        await back_up(taken.settings, tmp_path)
    assert files_in(tmp_path) == {"letters.txt": b"dear"}
    (tmp_path / "postgres").mkdir()
    with pytest.raises(ConfigError, match=r"data in .* already"):
        await restore(load_settings(data=tmp_path), taken.backup)


def older_backup(database: FreshDatabase, folder: Path, migrations: list[str]) -> None:
    """As the version with these migrations would have made it."""
    asyncio.run(migrate(database.owner, bootstrap=True, only=migrations))
    with psycopg.connect(database.owner) as owner:
        owner.execute("insert into auth.users (id) values (gen_random_uuid())")
        owner.execute("update public.user_profiles set lifetime_chat_analyses_count = 3")
        known = [name for name in TABLES if owner.execute("select to_regclass(%s)", [name]).fetchone() != (None,)]
    with writing_backup(folder), patch("server.adapters.postgres.table_copies.TABLES", known):
        rows = copy_out(database.server, folder / "tables")
        tables = tuple(BackupTable(name=one.name, columns=one.columns, rows=one.rows) for one in rows.tables)
        made = Backup(made_by="0.1", taken_at="then", migrations=rows.migrations, tables=tables, objects=(), lost=())
        finish_backup(folder, made)


def test_an_older_versions_backup_is_brought_up_to_date(
    postgres: EmbeddedPostgres, empty_database: FreshDatabase, taken: Taken, tmp_path: Path
) -> None:
    older_backup(empty_database, tmp_path / "backup", VERSIONS[:-2])
    for younger in cloned_database(postgres, "template1"):
        asyncio.run(restore(settings_of(younger, tmp_path / "new"), tmp_path / "backup"))
        with psycopg.connect(younger.owner) as owner:
            applied = owner.execute("select flamechat_private.applied_migrations()").fetchall()
            counted = owner.execute("select lifetime_chat_analyses_count from public.user_profiles").fetchall()
            anchors = owner.execute("select period_anchor from public.user_subscriptions").fetchall()
        assert ([row[0] for row in applied], counted, anchors) == (VERSIONS, [(3,)], [(None,)])
    with pytest.raises(BackupUnusable, match="newer version than the backup"):
        asyncio.run(restore(taken.settings, tmp_path / "backup"))


async def test_a_newer_versions_backup_is_refused(taken: Taken, tmp_path: Path) -> None:
    backup = Path(shutil.copytree(taken.backup, tmp_path / "backup"))
    manifest = json.loads((backup / MANIFEST).read_text())
    manifest["migrations"].append("20991231000000")
    (backup / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(BackupUnusable, match="newer version of Flamechat"):
        await restore(load_settings(data=tmp_path / "new"), backup)


def test_names_in_a_manifest_lead_out_of_no_folder(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="inside its bucket"):
        object_path(tmp_path, TRACES_BUCKET, "../../etc/passwd")
    with pytest.raises(ValueError, match="passwd"):
        table_path(tmp_path, "../passwd")


KILLED = """
import asyncio, importlib, os, signal, sys
from pathlib import Path
from server.composing.backups import back_up, restore
from server.composing.personal_data import delete_person, export_person
from server.settings import load_settings
command, module, name, nth, folder, user = sys.argv[1:]
module, calls = importlib.import_module(module), 0
real = getattr(module, name)
def counted(*args, **kwargs):
    global calls
    calls += 1
    if calls == int(nth):
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args, **kwargs)
setattr(module, name, counted)
settings, folder = load_settings(), Path(folder)
asyncio.run(
    {
        "back_up": lambda: back_up(settings, folder),
        "restore": lambda: restore(settings, folder),
        "export_person": lambda: export_person(settings, user, folder),
        "delete_person": lambda: delete_person(settings, user, None),
    }[command]()
)
"""
"""Runs a command and kills its process at the nth call of a function."""


def killed(settings: Settings, command: str, at: str, folder: Path, user: str = "") -> None:
    module, name, nth = at.split()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(NOT_INHERITED)}
    url, session_url = settings.database_urls
    environment |= {"FLAMECHAT_DATA": str(settings.data)}
    environment |= {"FLAMECHAT_DATABASE_URL": url or "", "FLAMECHAT_DATABASE_SESSION_URL": session_url or ""}
    command_line = [sys.executable, "-c", KILLED, command, module, name, nth, str(folder), user]
    done = subprocess.run(command_line, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == -9, done.stderr


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_after_a_kill_in_the_middle_a_backup_is_none_and_can_be_made_again(taken: Taken, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    for at in (
        "server.composing.backups object_path 2",
        "server.adapters.postgres.table_copies _copy_out 7",
        "server.adapters.folder.backup_folder _seal 3",
    ):
        killed(taken.settings, "back_up", at, backup)
        with pytest.raises(BackupUnusable, match="cut off"):
            await restore(load_settings(data=tmp_path / "new"), backup)
    assert (await back_up(taken.settings, backup)).objects == 3


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_after_a_kill_in_the_middle_a_restore_has_brought_nothing_and_is_run_again(
    taken: Taken, empty_database: FreshDatabase, tmp_path: Path
) -> None:
    restored = settings_of(empty_database, tmp_path / "new")
    for at in (
        "server.composing.backups object_path 2",
        "server.adapters.postgres.table_copies _copy_in 9",
    ):
        killed(restored, "restore", at, taken.backup)
        with psycopg.connect(empty_database.owner) as owner:
            assert owner.execute("select count(*) from public.user_profiles").fetchone() == (0,)
    assert await restore(restored, taken.backup) == taken.done
    assert rows_of(empty_database.owner) == rows_of(taken.database.owner)


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_no_server_starts_on_a_folder_in_which_a_restore_was_cut_off(taken: Taken, tmp_path: Path) -> None:
    folder = load_settings(data=tmp_path / "folder")
    killed(folder, "restore", "server.adapters.postgres.table_copies _copy_in 9", taken.backup)
    with pytest.raises(ConfigError, match="has not finished"):
        own_data_folder(folder.data)
    assert await restore(folder, taken.backup) == taken.done
    own_data_folder(folder.data)
    async with EmbeddedPostgres(folder.data / "postgres") as again:
        assert rows_of(again.owner_dsn) == rows_of(taken.database.owner)
