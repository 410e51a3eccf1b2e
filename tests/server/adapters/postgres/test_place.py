"""Where the database is."""

from pathlib import Path

import pytest

from server.adapters.postgres.place import DatabasePlace, database_place
from server.errors import ConfigError


def test_no_password_of_a_database_is_printed_with_its_place() -> None:
    place = DatabasePlace(
        server_dsn="postgres://a:secret1@h/d",
        session_dsn="postgres://a:secret2@h/d",
        owner_dsn="postgres://a:secret3@h/d",
        is_outside=True,
    )
    assert "secret" not in repr(place)
    assert "is_outside=True" in repr(place)


def test_a_session_url_alone_is_refused() -> None:
    with pytest.raises(ConfigError, match="FLAMECHAT_DATABASE_SESSION_URL is set, but not FLAMECHAT_DATABASE_URL"):
        database_place(Path(), None, "postgres://h/d")
