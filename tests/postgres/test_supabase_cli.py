"""The migrations with Supabase's own CLI against the embedded PostgreSQL: what it applied our runner takes for applied,
and the other way round.
"""

from pathlib import Path

import psycopg
import pytest

from server.adapters.postgres.migrations import migrate, read_migrations, sql_root
from tests.plugins.postgres import FreshDatabase
from tests.postgres.supabase_cli import Project, supabase_cli

pytestmark = [pytest.mark.long, pytest.mark.timeout(900), pytest.mark.xdist_group("supabase_cli")]

VERSIONS = [migration.version for migration in read_migrations(sql_root() / "migrations")]


@pytest.fixture
def project(tmp_path: Path, empty_database: FreshDatabase) -> Project:
    """Over an empty database with what a Supabase project already has."""
    with psycopg.connect(empty_database.owner, autocommit=True) as owner:
        owner.execute((sql_root() / "local" / "bootstrap.sql").read_text(encoding="utf-8").encode())
    return Project(supabase_cli(), tmp_path, empty_database.owner)


async def test_what_the_cli_pushed_is_applied_for_our_runner(project: Project, empty_database: FreshDatabase) -> None:
    said = project.run("db", "push", "--yes")
    assert [version for version in VERSIONS if f"Applying migration {version}_" not in said] == []
    assert await migrate(empty_database.owner, bootstrap=True) == []
    with psycopg.connect(empty_database.owner) as owner:
        assert owner.execute("select count(*) from subscription_plans").fetchone() == (3,)


async def test_what_our_runner_applied_is_applied_for_the_cli(project: Project, empty_database: FreshDatabase) -> None:
    assert await migrate(empty_database.owner, bootstrap=True) == VERSIONS
    assert "up to date" in project.run("db", "push", "--yes")
    listed = project.run("migration", "list")
    assert [version for version in VERSIONS if listed.count(version) != 2] == []


async def test_the_cli_goes_on_where_our_runner_stopped(project: Project, empty_database: FreshDatabase) -> None:
    last = next((project.folder / "supabase" / "migrations").glob(f"{VERSIONS[-1]}_*"))
    aside = last.rename(project.folder / last.name)
    assert await migrate(empty_database.owner, bootstrap=True, root=project.folder / "supabase") == VERSIONS[:-1]
    aside.rename(last)
    said = project.run("migration", "up", "--yes")
    assert VERSIONS[-1] in said
    assert await migrate(empty_database.owner, bootstrap=True) == []
