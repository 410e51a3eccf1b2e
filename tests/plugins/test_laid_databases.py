"""A server over a new data folder finds its database made, and one that is there is left alone."""

from pathlib import Path

import psycopg

from server.adapters.postgres.embedded import EmbeddedPostgres
from tests.plugins.laid_databases import lay_database


async def test_a_new_folder_has_a_migrated_database_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "my data" / "postgres"
    lay_database(folder)
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    async with (
        EmbeddedPostgres(folder) as postgres,
        await psycopg.AsyncConnection.connect(postgres.server_dsn) as server,
    ):
        found = await (await server.execute("select to_regclass('public.chat_turns') is not null")).fetchone()
    assert found == (True,)


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "postgres"
    folder.mkdir()
    lay_database(folder)
    assert list(folder.iterdir()) == []
