"""The one user of a server on one machine, as its database has it."""

import pytest

from server.adapters.postgres.local_user import ensure_local_user
from server.errors import ConfigError
from server.ports.identity import LOCAL_USER_ID
from tests.plugins.postgres import FreshDatabase


async def test_a_role_that_may_not_make_the_user_is_answered_with_what_to_set(database: FreshDatabase) -> None:
    with pytest.raises(ConfigError, match="FLAMECHAT_DATABASE_SESSION_URL"):
        await ensure_local_user(database.server, LOCAL_USER_ID)
