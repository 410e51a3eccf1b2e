"""A server that would make a database finds one; every other finds what it had."""

from pathlib import Path

import pytest

from tests.plugins.database_folders import DatabaseFolders


@pytest.fixture
def folders(tmp_path: Path) -> DatabaseFolders:
    cluster = tmp_path / "made-database" / "postgres" / "cluster"
    cluster.mkdir(parents=True, mode=0o700)
    (cluster / "PG_VERSION").write_text("made")
    return DatabaseFolders(tmp_path)


def test_a_new_data_folder_has_a_copy_with_its_rights(folders: DatabaseFolders, tmp_path: Path) -> None:
    data = tmp_path / "my data"
    folders.give_to_a_server(["serve", "--data", str(data)], {})
    assert (data / "postgres" / "cluster" / "PG_VERSION").read_text() == "made"
    assert (data / "postgres" / "cluster").stat().st_mode & 0o777 == 0o700
    assert data.stat().st_mode & 0o777 == 0o700
    assert [one.name for one in data.iterdir()] == ["postgres"]


def test_a_folder_with_a_database_and_a_server_with_one_elsewhere_get_none(
    folders: DatabaseFolders, tmp_path: Path
) -> None:
    (tmp_path / "old" / "postgres").mkdir(parents=True)
    folders.give_to_a_server(["serve", "--data", str(tmp_path / "old")], {})
    assert list((tmp_path / "old" / "postgres").iterdir()) == []
    folders.give_to_a_server(["serve", "--data", str(tmp_path / "new")], {"FLAMECHAT_DATABASE_URL": "postgresql://"})
    folders.give_to_a_server(["serve", "--data", str(tmp_path / "no" / "parent")], {})
    folders.give_to_a_server(["serve"], {})
    assert not (tmp_path / "new").exists()
    assert not (tmp_path / "no").exists()
