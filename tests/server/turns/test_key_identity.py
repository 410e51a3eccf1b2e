"""Who stands behind a key: its maker, within its scopes; and why a key is refused."""

from uuid import uuid4

import pytest

from limits.plans import LOCAL_PLAN, Plan
from server.adapters.in_process.identity import LocalIdentity
from server.errors import NotAllowed, NotAuthenticated, TooManyAtOnce
from server.ports.identity import Caller, Scope
from server.testing.account_state import MemoryAccounts
from server.testing.manual_clock import ManualClock
from server.testing.program_keys import MemoryProgramKeys
from server.turns.key_identity import KeyedIdentity, require
from server.turns.key_issuing import KeyIssuing

FEW = Plan(name="few", display_name="Few", api_requests_per_minute=2)


class Keyed:
    """Anna, who is an administrator, with one key that asks."""

    def __init__(self, plan: Plan = LOCAL_PLAN) -> None:
        self.clock = ManualClock()
        self.anna = Caller(user_id=str(uuid4()), account_id=str(uuid4()), is_administrator=True)
        self.accounts = MemoryAccounts(self.clock)
        self.accounts.add(self.anna, plan)
        keys = MemoryProgramKeys(self.accounts)
        self.issuing, self.identity = KeyIssuing(keys, self.clock), KeyedIdentity(LocalIdentity(self.anna), keys)

    async def key(self, days: int | None = None) -> tuple[str, str]:
        """Its id, and what its maker sees."""
        row, shown = await self.issuing.create(self.anna, name="one", scopes=[Scope.ASK], days=days)
        return row.key_id, shown


async def test_a_key_acts_as_its_maker_and_never_as_an_administrator() -> None:
    keyed = Keyed()
    key_id, shown = await keyed.key(days=1)
    caller = await keyed.identity.identify(shown)
    assert (caller.user_id, caller.account_id) == (keyed.anna.user_id, keyed.anna.account_id)
    assert not caller.is_administrator
    assert caller.key is not None
    assert (caller.key.key_id, caller.key.scopes) == (key_id, frozenset({Scope.ASK}))
    assert caller.known_until is not None
    assert caller.known_until > keyed.clock.now()


async def test_another_token_is_a_person_s() -> None:
    keyed = Keyed()
    assert await keyed.identity.identify(None) == keyed.anna
    assert (await keyed.identity.identify(None)).is_administrator


@pytest.mark.parametrize("token", ["fc_", "fc_no_key", "fc_abcdefghij_" + "A" * 43])
async def test_a_key_that_was_never_made_is_refused(token: str) -> None:
    with pytest.raises(NotAuthenticated, match="no such key") as refused:
        await Keyed().identity.identify(token)
    assert refused.value.code == "unknown_key"


async def test_a_revoked_key_an_old_one_and_one_whose_maker_left_are_refused_by_their_reason() -> None:
    keyed = Keyed()
    key_id, revoked = await keyed.key()
    _, old = await keyed.key(days=1)
    _, left = await keyed.key()
    await keyed.issuing.revoke(keyed.anna, key_id)
    keyed.clock.advance(86_400)
    for shown, code in ((revoked, "key_revoked"), (old, "key_expired")):
        with pytest.raises(NotAuthenticated) as refused:
            await keyed.identity.identify(shown)
        assert refused.value.code == code
    assert (await keyed.identity.identify(left)).user_id == keyed.anna.user_id
    keyed.accounts.leave(keyed.anna)
    with pytest.raises(NotAuthenticated) as refused:
        await keyed.identity.identify(left)
    assert refused.value.code == "key_without_maker"


async def test_more_requests_than_the_plan_has_a_minute_wait() -> None:
    keyed = Keyed(FEW)
    _, shown = await keyed.key()
    for _ in range(2):
        await keyed.identity.identify(shown)
    with pytest.raises(TooManyAtOnce, match="2 requests a minute that the few plan includes") as refused:
        await keyed.identity.identify(shown)
    assert refused.value.retry_after_s == 60
    keyed.clock.advance(61)
    assert (await keyed.identity.identify(shown)).key is not None


async def test_a_scope_opens_what_it_names_and_a_person_everything() -> None:
    keyed = Keyed()
    _, shown = await keyed.key()
    caller = await keyed.identity.identify(shown)
    require(caller, Scope.ASK)
    with pytest.raises(NotAllowed, match="has not the scope render"):
        require(caller, Scope.RENDER)
    with pytest.raises(NotAllowed, match="no key for programs opens it"):
        require(caller, None)
    for scope in (None, *Scope):
        require(keyed.anna, scope)
