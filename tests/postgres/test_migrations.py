"""The runner, and what the files leave behind."""

import ast
import asyncio
import re
import shutil
from pathlib import Path

import psycopg
import pytest

from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.migrations import migrate, not_usable, read_migrations, sql_root
from server.adapters.postgres.place import outside_database
from server.adapters.postgres.statements import statements
from server.errors import DatabaseUnavailable
from tests.plugins.postgres import FreshDatabase

VERSIONS = [migration.version for migration in read_migrations(sql_root() / "migrations")]


def copy_of_the_files(folder: Path) -> Path:
    return Path(shutil.copytree(sql_root(), folder / "supabase"))


async def test_every_migration_applies_to_an_empty_database_and_then_there_is_nothing_to_do(
    empty_database: FreshDatabase,
) -> None:
    assert await migrate(empty_database.owner, bootstrap=True) == VERSIONS
    assert await migrate(empty_database.owner, bootstrap=True) == []


async def test_runners_that_start_at_once_apply_each_migration_once(empty_database: FreshDatabase) -> None:
    runs = await asyncio.gather(*(migrate(empty_database.owner, bootstrap=True) for _ in range(3)))
    assert sorted(runs) == [[], [], VERSIONS]


async def test_migrations_are_recorded_as_the_supabase_cli_records_them(empty_database: FreshDatabase) -> None:
    await migrate(empty_database.owner, bootstrap=True)
    with psycopg.connect(empty_database.owner) as owner:
        rows = owner.execute(
            "select version, name, statements from supabase_migrations.schema_migrations order by version"
        ).fetchall()
    assert rows[0][:2] == (VERSIONS[0], "accounts_and_plans")
    assert all(text for _, _, [text] in rows)


async def test_a_database_migrated_statement_by_statement_is_recognised(empty_database: FreshDatabase) -> None:
    await migrate(empty_database.owner, bootstrap=True)
    with psycopg.connect(empty_database.owner) as owner:
        owner.execute(
            "update supabase_migrations.schema_migrations "
            "set statements = regexp_split_to_array(statements[1], ';\\s*\\n')"
        )
    assert await migrate(empty_database.owner, bootstrap=True) == []


async def test_a_migration_that_fails_leaves_nothing_and_names_its_line(
    empty_database: FreshDatabase, tmp_path: Path
) -> None:
    root = copy_of_the_files(tmp_path)
    (root / "migrations" / "20991231000000_wrong.sql").write_text("create table public.half ();\n\nselect nonsense;\n")
    with pytest.raises(DatabaseUnavailable, match=r"20991231000000_wrong.sql, line 3: column \"nonsense\""):
        await migrate(empty_database.owner, bootstrap=True, root=root)
    with psycopg.connect(empty_database.owner) as owner:
        assert owner.execute("select to_regclass('public.half')").fetchone() == (None,)
        assert owner.execute("select count(*) from supabase_migrations.schema_migrations").fetchone() == (
            len(VERSIONS),
        )


async def test_a_changed_migration_is_refused(database: FreshDatabase, tmp_path: Path) -> None:
    root = copy_of_the_files(tmp_path)
    first = next((root / "migrations").glob(f"{VERSIONS[0]}_*"))
    first.write_text(first.read_text() + "\nselect 1;\n")
    with pytest.raises(DatabaseUnavailable, match=f"{VERSIONS[0]} is not what was applied"):
        await migrate(database.owner, bootstrap=True, root=root)


async def test_a_migration_that_comes_too_late_is_refused(database: FreshDatabase, tmp_path: Path) -> None:
    root = copy_of_the_files(tmp_path)
    (root / "migrations" / "20200101000000_forgotten.sql").write_text("select 1;\n")
    with pytest.raises(DatabaseUnavailable, match="20200101000000 comes before"):
        await migrate(database.owner, bootstrap=True, root=root)


LEAST = "create or replace function flamechat_private.least_known_migration() returns text language sql immutable "


async def newer(database: FreshDatabase, folder: Path, text: str) -> None:
    """Migrated by a version that has one migration more."""
    root = copy_of_the_files(folder)
    (root / "migrations" / "20991231000000_newer.sql").write_text(text)
    assert await migrate(database.owner, bootstrap=True, root=root) == ["20991231000000"]


async def test_a_version_starts_on_a_database_that_a_newer_one_has_widened(
    database: FreshDatabase, tmp_path: Path
) -> None:
    await newer(database, tmp_path, "create table flamechat_private.more ();")
    assert await migrate(database.owner, bootstrap=True) == []
    async with outside_database(database.server, database.owner) as place:
        assert place.session_dsn == database.owner


async def test_a_database_from_which_a_newer_version_took_something_is_refused(
    database: FreshDatabase, tmp_path: Path
) -> None:
    await newer(database, tmp_path, f"{LEAST} set search_path = '' as $$ select '20991231000000' $$;")
    with pytest.raises(DatabaseUnavailable, match=r"does not know \(20991231000000\)"):
        await migrate(database.owner, bootstrap=True)
    with pytest.raises(DatabaseUnavailable, match=r"does not know \(20991231000000\)"):
        async with outside_database(database.server, database.owner):
            pass


@pytest.mark.parametrize(
    ("known", "applied", "least", "unusable"),
    [
        (["1", "2"], ["1", "2"], None, []),
        (["1", "2"], ["1", "2", "3"], None, ["3"]),
        (["1", "2"], ["1", "2", "3"], "2", []),
        (["1", "2"], ["1", "2", "3"], "3", ["3"]),
        (["1", "3"], ["1", "2", "3"], "1", ["2"]),
        ([], ["1"], "1", ["1"]),
    ],
)
def test_migrations_that_a_version_does_not_know_have_to_be_newer_and_to_allow_it(
    known: list[str], applied: list[str], least: str | None, unusable: list[str]
) -> None:
    assert not_usable(known, applied, least) == unusable


def test_a_file_with_another_name_is_no_migration(tmp_path: Path) -> None:
    (tmp_path / "quick_fix.sql").write_text("select 1;")
    with pytest.raises(DatabaseUnavailable, match=r"quick_fix\.sql is no migration"):
        read_migrations(tmp_path)


async def test_a_database_that_is_not_there_is_named_as_the_reason() -> None:
    with pytest.raises(DatabaseUnavailable, match="cannot be reached"):
        await migrate("postgresql://postgres@127.0.0.1:1/postgres", bootstrap=True)


async def test_the_migrations_need_no_superuser(postgres: EmbeddedPostgres, empty_database: FreshDatabase) -> None:
    """A hosted project's `postgres` may create roles and pass on service_role, and owns none of Supabase's tables but
    may make policies on them; owning the stand-ins is the nearest that plain PostgreSQL has."""
    with psycopg.connect(empty_database.owner, autocommit=True) as owner:
        owner.execute((sql_root() / "local" / "bootstrap.sql").read_text())
        database = owner.info.dbname
        owner.execute("select pg_advisory_lock(2)")  # roles are shared by all databases of the run
        owner.execute(f"drop role if exists hosted_{database[-8:]}")
        owner.execute(f"create role hosted_{database[-8:]} login createrole bypassrls password 'of a test'")
        hosted = f"hosted_{database[-8:]}"
        owner.execute(f"grant anon, authenticated, service_role, flamechat_server to {hosted} with admin option")
        owner.execute(f"alter database {database} owner to {hosted}")
        owner.execute(f"grant all on schema public, auth to {hosted}")
        owner.execute(f"grant usage on schema storage, realtime to {hosted}")
        owner.execute(f"grant all on all tables in schema auth to {hosted}")
        for table in ("storage.objects", "storage.buckets", "realtime.messages"):
            owner.execute(f"alter table {table} owner to {hosted}")
        dsn = postgres.dsn("postgres", database).replace("//postgres:", f"//{hosted}:")
        password = owner.info.password
        try:
            assert await migrate(dsn.replace(password, "of%20a%20test"), bootstrap=False) == VERSIONS
            owner.execute("insert into auth.users (id) values (gen_random_uuid())")
            assert owner.execute("select count(*) from user_subscriptions").fetchone() == (1,)
        finally:
            owner.execute(f"reassign owned by {hosted} to postgres")
            owner.execute(f"drop owned by {hosted}")
            owner.execute(f"drop role {hosted}")


async def test_users_who_were_there_before_are_settled_too(empty_database: FreshDatabase) -> None:
    with psycopg.connect(empty_database.owner, autocommit=True) as owner:
        owner.execute((sql_root() / "local" / "bootstrap.sql").read_text())
        owner.execute("insert into auth.users (id) values (gen_random_uuid()), (gen_random_uuid())")
        await migrate(empty_database.owner, bootstrap=True)
        for table in ("accounts", "account_members", "user_profiles", "user_subscriptions"):
            assert owner.execute(f"select count(*) from {table}").fetchone() == (2,)


async def test_events_of_running_turns_are_carried_into_the_parts_of_their_table(empty_database: FreshDatabase) -> None:
    await migrate(empty_database.owner, bootstrap=True, only=[one for one in VERSIONS if one < "20261202021000"])
    with psycopg.connect(empty_database.owner, autocommit=True) as owner:
        owner.execute(
            "insert into flamechat_private.turn_events (turn_id, seq, session_id, event, ends_turn, written_at) "
            "select gen_random_uuid(), n, gen_random_uuid(), n::text, n = 3, '2026-01-01' from generate_series(1, 3) n"
        )
        await migrate(empty_database.owner, bootstrap=True)
        rows = owner.execute(
            "select seq, event, ends_turn, written_at = '2026-01-01' from flamechat_private.turn_events order by seq"
        ).fetchall()
    assert rows == [(1, "1", False, True), (2, "2", False, True), (3, "3", True, True)]


def test_the_plans_are_those_of_the_design(owner: psycopg.Connection[tuple[object, ...]]) -> None:
    plans = owner.execute(
        "select name, chat_messages_per_session, chat_sessions_limit, chat_sessions_period, monthly_upload_limit, "
        "total_trace_limit, retention_days from subscription_plans order by name"
    ).fetchall()
    assert plans == [
        ("free", 25, 5, "lifetime", 10, None, 30),
        ("local", None, None, None, None, None, None),
        ("pro", 50, 30, "monthly", None, 1000, None),
    ]


def test_every_named_statement_is_used() -> None:
    adapters = Path(__file__).parents[2] / "server" / "adapters" / "postgres"
    source = "".join(path.read_text() for path in adapters.glob("*.py"))
    unused = [name for name in statements() if f'"{name}"' not in source]
    assert unused == []


ASKS_OF_ROWS = re.compile(r"\s*(with|select|insert|update|delete)\b", re.IGNORECASE)
ABOUT_THE_SERVER = {"embedded.py", "library_tables.py", "migrations.py", "place.py"}
"""These ask PostgreSQL about itself, or prepare it, before there is a row of ours."""


def test_no_statement_stands_in_a_module() -> None:
    adapters = Path(__file__).parents[2] / "server" / "adapters" / "postgres"
    found = [
        f"{path.name}:{node.lineno} {node.value[:40]!r}"
        for path in adapters.glob("*.py")
        if path.name not in ABOUT_THE_SERVER
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call | ast.Assign | ast.AnnAssign)
        for node in ast.walk(call)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and ASKS_OF_ROWS.match(node.value)
        and " " in node.value.strip()
    ]
    assert not found, f"give it a name and a reason in sql/: {found}"


def test_every_foreign_key_has_an_index(owner: psycopg.Connection[tuple[object, ...]]) -> None:
    """Without one, deleting a row reads every row of the table that points to it."""
    bare = owner.execute(
        """
        select c.conrelid::regclass::text, a.attname
        from pg_constraint c
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
        where c.contype = 'f' and c.connamespace = 'public'::regnamespace
            and not exists (select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1])
        """
    ).fetchall()
    assert bare == []
