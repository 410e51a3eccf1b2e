"""For which account a request acts, on a server that knows accounts of several people and on one that does not."""

import pytest

from server.edges.http.services import TeamServices
from server.errors import NotFound
from server.ports.identity import Caller

ANNA = Caller(user_id="anna", account_id="hers")


async def test_without_accounts_of_several_a_request_acts_for_one_s_own() -> None:
    services = TeamServices()
    assert await services.acting(ANNA, None) == ANNA
    assert await services.acting(ANNA, "hers") == ANNA
    with pytest.raises(NotFound, match="no such account"):
        await services.acting(ANNA, "another")
