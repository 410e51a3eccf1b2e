"""A real PostgreSQL for the tests: one server per run, which all workers share as several Flamechats share a data
folder, and for every test that asks a database of its own, cloned from a migrated one.
"""

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.library_tables import set_up_library_tables
from server.adapters.postgres.migrations import migrate

TEMPLATE = "migrated"
HURRY = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "checkpoint_timeout": "1h",
    "max_wal_size": "8GB",
    "autovacuum": "off",
    "jit": "off",
}
"""Nobody needs a test's rows after a power cut, or a table that is tidied up while it lasts."""

PROJECT = {name: os.environ.get(f"FLAMECHAT_TEST_DATABASE_{name}URL") for name in ("SESSION_", "")}
"""The database of a real project, for tests alone: its owner's address and the server's. docs/supabase.md"""


@dataclass(frozen=True, slots=True)
class FreshDatabase:
    """A migrated database that no other test sees. `owner` logs in as its owner, `server` as the application does."""

    owner: str
    server: str


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    """The server of this run."""
    own = tmp_path_factory.getbasetemp()
    shared_by_workers = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with asyncio.Runner() as runner:
        server = EmbeddedPostgres(shared_by_workers / "postgres", settings=HURRY)
        runner.run(server.__aenter__())
        try:
            yield server
        finally:
            runner.run(server.__aexit__())


@pytest.fixture(scope="session")
def migrated_template(postgres: EmbeddedPostgres) -> str:
    """The name of a database with every migration, made by whichever worker comes first."""
    with psycopg.connect(postgres.owner_dsn, autocommit=True) as owner:
        owner.execute("select pg_advisory_lock(1)")
        if owner.execute("select from pg_database where datname = %s", [TEMPLATE]).fetchone() is None:
            owner.execute("drop database if exists unfinished")
            owner.execute("create database unfinished")
            asyncio.run(migrate(postgres.dsn("postgres", "unfinished"), bootstrap=True))
            asyncio.run(set_up_library_tables(postgres.dsn("postgres", "unfinished")))
            owner.execute(sql.SQL("alter database unfinished rename to {}").format(sql.Identifier(TEMPLATE)))
    return TEMPLATE


@pytest.fixture
def empty_database(postgres: EmbeddedPostgres) -> Iterator[FreshDatabase]:
    """A database in which nothing has happened."""
    yield from cloned_database(postgres, "template1")


@pytest.fixture(scope="session")
def crowded_database(postgres: EmbeddedPostgres, migrated_template: str) -> Iterator[FreshDatabase]:
    """A migrated database for tests that make users of their own and look at nothing else."""
    yield from cloned_database(postgres, migrated_template)


@pytest.fixture(scope="session")
def project_database() -> FreshDatabase:
    """The database of a real project, migrated; other tests see it, and what they make stays."""
    owner, server = PROJECT["SESSION_"], PROJECT[""]
    if owner is None or server is None:
        pytest.skip("no real project's database is named: FLAMECHAT_TEST_DATABASE_URL and ..._SESSION_URL do")
    asyncio.run(migrate(owner, bootstrap=False))
    asyncio.run(set_up_library_tables(owner))
    return FreshDatabase(owner, server)


@pytest.fixture(scope="session")
def shared_database(postgres: EmbeddedPostgres, migrated_template: str) -> Iterator[FreshDatabase]:
    """A migrated database that is never changed for good."""
    yield from cloned_database(postgres, migrated_template)


@pytest.fixture(scope="session")
def owners_connection(shared_database: FreshDatabase) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """What of it a test sets lasts as long as its transaction; statements are not prepared, as some change tables."""
    with psycopg.connect(shared_database.owner, autocommit=True, prepare_threshold=None) as connection:
        yield connection


@pytest.fixture
def owner(
    owners_connection: psycopg.Connection[tuple[object, ...]],
) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """The owner of a migrated database, in a transaction that is undone after the test: quicker than a database."""
    with owners_connection.transaction(force_rollback=True):
        yield owners_connection


@pytest.fixture
def database(postgres: EmbeddedPostgres, migrated_template: str) -> Iterator[FreshDatabase]:
    """A migrated database of the test's own."""
    yield from cloned_database(postgres, migrated_template)


def cloned_database(postgres: EmbeddedPostgres, template: str) -> Iterator[FreshDatabase]:
    """A copy of the template, dropped when the generator is closed."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(postgres.owner_dsn, autocommit=True) as owner:
        # Files are copied in two thirds of the time of pages through the log; for an older server there is no choice.
        by_files = " strategy file_copy" if owner.info.server_version >= 15_00_00 else ""
        create = sql.SQL("create database {} template {}" + by_files)
        owner.execute(create.format(sql.Identifier(name), sql.Identifier(template)))
        try:
            yield FreshDatabase(postgres.dsn("postgres", name), postgres.dsn("flamechat_server", name))
        finally:
            owner.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
