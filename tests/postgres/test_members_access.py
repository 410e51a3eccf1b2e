"""Two members of one account, by a project's API and by the server's functions."""

from uuid import uuid4

import psycopg
from psycopg import Connection, sql

from tests.postgres.test_access import Person, Row, a_person, joins, names, signed_in


def asks(owner: Connection[Row], person: Person, trace_id: str, session_id: str) -> str | None:
    """The SQLSTATE of the refusal; None when it was accepted."""
    try:
        with owner.transaction():
            owner.execute(
                "select reserve_chat_turn(%s, %s, %s, gen_random_uuid(), 'prompt', 'hello', '{}', "
                "p_queue_behind => true)",
                [person.user_id, trace_id, session_id],
            )
    except psycopg.Error as refused:
        return refused.sqlstate
    return None


def test_a_member_reads_the_accounts_traces_and_nobody_elses_conversations(owner: Connection[Row]) -> None:
    """Two members of one account, by a project's API; the conversations are private until their maker shows them."""
    host, guest = a_person(owner), a_person(owner)
    joins(owner, guest, host, "owner")
    for table, shown in (("traces", 2), ("trace_notes", 2), ("kept_views", 1), *CONVERSATION_TABLES.items()):
        count = sql.SQL("select count(*) from {}").format(sql.Identifier(table))
        with signed_in(owner, "authenticated", guest.user_id) as api:
            assert api.execute(count).fetchone() == (shown,), table
    with signed_in(owner, "authenticated", guest.user_id) as api:
        assert names(api, "select user_id from account_members") == {host.user_id, guest.user_id}
    owner.execute("update chat_sessions set visibility = 'account' where id = %s", [host.session_id])
    for table in CONVERSATION_TABLES:
        with signed_in(owner, "authenticated", guest.user_id) as api:
            count = sql.SQL("select count(*) from {}").format(sql.Identifier(table))
            assert api.execute(count).fetchone() == (2,), table


CONVERSATION_TABLES = {"chat_sessions": 1, "chat_turns": 1, "chat_messages": 1}
"""With how many rows of them somebody reads who has one conversation."""


def test_who_may_ask_where(owner: Connection[Row]) -> None:
    host, guest = a_person(owner), a_person(owner)
    own = str(uuid4())
    assert asks(owner, guest, host.trace_id, own) == "PT404", "a stranger"
    joins(owner, guest, host, "viewer")
    assert asks(owner, guest, host.trace_id, own) == "PT403", "a viewer"
    joins(owner, guest, host, "member")
    assert asks(owner, guest, host.trace_id, own) is None, "a member, in a conversation of their own"
    assert asks(owner, guest, host.trace_id, host.session_id) == "PT404", "in a private one"
    owner.execute("update chat_sessions set visibility = 'account' where id = %s", [host.session_id])
    assert asks(owner, guest, host.trace_id, host.session_id) is None, "in one that is shown to the account"
    joins(owner, guest, host, "viewer")
    assert asks(owner, guest, host.trace_id, host.session_id) == "PT404", "a viewer there"
