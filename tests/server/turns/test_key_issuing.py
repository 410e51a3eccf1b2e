"""Keys for programs: what a person may ask for, what is kept of a secret, and that no key makes keys."""

import hashlib
from datetime import timedelta
from uuid import uuid4

import pytest

from server.errors import BadRequest, NotAllowed
from server.ports.identity import Caller, KeyUse, Scope
from server.testing.account_state import MemoryAccounts
from server.testing.manual_clock import ManualClock
from server.testing.program_keys import MemoryProgramKeys
from server.turns.key_issuing import LONGEST_DAYS, KeyIssuing, digest_of, new_secret, parts_of, shown_key

CLOCK = ManualClock()


def issuing_for(*callers: Caller) -> tuple[KeyIssuing, MemoryProgramKeys]:
    accounts = MemoryAccounts(CLOCK)
    for caller in callers:
        accounts.add(caller)
    rows = MemoryProgramKeys(accounts)
    return KeyIssuing(rows, CLOCK), rows


def person() -> Caller:
    return Caller(user_id=str(uuid4()), account_id=str(uuid4()))


async def test_a_key_that_was_made_works_and_its_secret_is_not_kept() -> None:
    anna = person()
    issuing, rows = issuing_for(anna)
    key, shown = await issuing.create(anna, name="  nightly \n builds ", scopes=[Scope.ASK, Scope.TRACES_READ])
    assert (key.name, key.scopes, key.expires_at) == ("nightly builds", (Scope.TRACES_READ, Scope.ASK), None)
    found = parts_of(shown)
    assert found is not None
    prefix, digest = found
    assert prefix == key.prefix
    assert (await rows.use(prefix, digest)) is not None
    secret = shown.removeprefix(f"fc_{prefix}_")
    assert digest == hashlib.sha256(secret.encode()).hexdigest() == digest_of(secret)
    assert secret not in repr(vars(rows))


async def test_a_key_for_some_days_ends_after_them() -> None:
    anna = person()
    issuing, _ = issuing_for(anna)
    for days in (1, LONGEST_DAYS):
        key, _ = await issuing.create(anna, name="one", scopes=[Scope.ASK], days=days)
        assert key.expires_at == CLOCK.now() + timedelta(days=days)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "n" * 81}, "name"),
        ({"name": "fc_abcdefghij_" + "A" * 43}, "name"),
        ({"scopes": []}, "scopes"),
        ({"days": 0}, "days"),
        ({"days": LONGEST_DAYS + 1}, "days"),
    ],
)
async def test_what_cannot_be_asked_for_is_refused_by_its_field(asked: dict[str, object], field: str) -> None:
    anna = person()
    issuing, _ = issuing_for(anna)
    with pytest.raises(BadRequest) as refused:
        await issuing.create(anna, **({"name": "n" * 80, "scopes": [Scope.ASK], "days": None} | asked))  # type: ignore[arg-type]
    assert refused.value.field == field
    assert await issuing.of_account(anna) == []


async def test_a_key_neither_makes_nor_sees_nor_revokes_keys() -> None:
    anna = person()
    issuing, _ = issuing_for(anna)
    key, _ = await issuing.create(anna, name="one", scopes=list(Scope))
    by_key = Caller(
        user_id=anna.user_id, account_id=anna.account_id, key=KeyUse(key.key_id, key.name, frozenset(Scope))
    )
    for attempt in (
        issuing.create(by_key, name="two", scopes=[Scope.ASK]),
        issuing.of_account(by_key),
        issuing.revoke(by_key, key.key_id),
    ):
        with pytest.raises(NotAllowed, match="signed in"):
            await attempt
    assert [one.revoked_at for one in await issuing.of_account(anna)] == [None]


async def test_keys_are_listed_newest_first_and_counted_until_they_are_revoked() -> None:
    anna, ben = person(), person()
    issuing, _ = issuing_for(anna, ben)
    names = []
    for name in ("first", "second", "third"):
        names.append((await issuing.create(anna, name=name, scopes=[Scope.ASK]))[0])
        CLOCK.advance(1)
    assert [key.name for key in await issuing.of_account(anna)] == ["third", "second", "first"]
    assert await issuing.of_account(ben) == []
    revoked = await issuing.revoke(anna, names[0].key_id)
    assert revoked.revoked_at == CLOCK.now()
    assert [(one.user_id, one.working) for one in await issuing.counts()] == [(anna.user_id, 2)]
    assert await issuing.revoke_all_of(anna.user_id) == 2
    assert [one.working for one in await issuing.counts()] == [0]


def test_no_two_secrets_are_alike_and_what_is_shown_is_read_back() -> None:
    made = [new_secret() for _ in range(20)]
    assert len({prefix for prefix, _ in made}) == len({secret for _, secret in made}) == 20
    for prefix, secret in made:
        assert parts_of(shown_key(prefix, secret)) == (prefix, digest_of(secret))


@pytest.mark.parametrize("text", ["", "fc_", "fc_abc_def", "fc_ABCDEFGHIJ_" + "a" * 43, "fc_abcdefghij_" + "a" * 44])
def test_what_has_not_the_form_of_a_key_has_no_parts(text: str) -> None:
    assert parts_of(text) is None
