"""Who reads budgets and what became of them, past the server: whose they are, and administrators; nobody writes."""

from typing import LiteralString

import pytest
from psycopg import Connection, errors, sql
from psycopg.types.json import Jsonb

from tests.postgres.test_access import Person, Row, a_person, signed_in

TABLES: list[LiteralString] = ["spending_limits", "budget_notices"]


def with_budgets(owner: Connection[Row]) -> Person:
    """Somebody with a budget of their own and one of their account, each nearly spent."""
    person = a_person(owner)
    for limits in (
        "insert into spending_limits (user_id, monthly_token_limit) values (%s, 5)",
        "insert into spending_limits (account_id, monthly_token_limit) values (%s, 5)",
    ):
        owner.execute(limits, [person.user_id if "user_id" in limits else person.account_id])
    for account_id in (None, person.account_id):
        owner.execute(
            'insert into budget_notices (user_id, account_id, limit_type, percent, used, "limit", plan_name, '
            "period_start, resets_at) values (%s, %s, 'monthly_tokens', 80, 4, 5, 'free', now(), now())",
            [person.user_id, account_id],
        )
    return person


@pytest.mark.parametrize("table", TABLES)
def test_everybody_reads_their_own_and_an_accounts_members_its(owner: Connection[Row], table: LiteralString) -> None:
    one, other = with_budgets(owner), with_budgets(owner)
    count = sql.SQL("select count(*) from {}").format(sql.Identifier(table))
    with signed_in(owner, "authenticated", one.user_id) as api:
        assert api.execute(count).fetchone() == (2,)
    owner.execute(
        "insert into account_members (account_id, user_id, role) values (%s, %s, 'viewer')",
        [one.account_id, other.user_id],
    )
    with signed_in(owner, "authenticated", other.user_id) as api:
        assert api.execute(count).fetchone() == (3,), "the account's, and not what is the other person's own"
    with signed_in(owner, "authenticated", other.user_id) as api:
        claims = Jsonb({"sub": other.user_id, "app_metadata": {"flamechat_admin": True}})
        api.execute("select set_config('request.jwt.claims', %s::text, true)", [claims])
        assert api.execute(count).fetchone() == (4,)


@pytest.mark.parametrize("table", TABLES)
def test_nobody_but_the_server_writes_them(owner: Connection[Row], table: LiteralString) -> None:
    person = with_budgets(owner)
    delete = sql.SQL("delete from {}").format(sql.Identifier(table))
    for role, user_id in (("authenticated", person.user_id), ("anon", None)):
        with signed_in(owner, role, user_id) as api, pytest.raises(errors.InsufficientPrivilege):
            api.execute(delete)
