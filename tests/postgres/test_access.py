"""Who may do what to the tables and functions: members read, the server writes, nobody sees another account."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import LiteralString
from uuid import uuid4

import psycopg
import pytest
from psycopg import Connection, errors, sql
from psycopg.types.json import Jsonb

from tests.plugins.postgres import FreshDatabase

Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Person:
    """A user with a trace, a session, a turn and a message of their own."""

    user_id: str
    account_id: str
    trace_id: str
    session_id: str
    turn_id: str


def a_person(owner: Connection[Row]) -> Person:
    user_id, trace_id, session_id, turn_id = (str(uuid4()) for _ in range(4))
    owner.execute("insert into auth.users (id) values (%s)", [user_id])
    found = owner.execute("select id from accounts where personal_user_id = %s", [user_id]).fetchone()
    assert found is not None
    owner.execute(
        "insert into traces (id, account_id, user_id, name, sha256, size_bytes, format, unit, object_path) "
        "values (%s, %s, %s, 't', repeat('a', 64), 1, 'pprof', 'count', 'x')",
        [trace_id, found[0], user_id],
    )
    owner.execute(
        "select reserve_chat_turn(%s, %s, %s, %s, 'prompt', 'why?', '{}')", [user_id, trace_id, session_id, turn_id]
    )
    owner.execute(
        "select add_trace_note(%s, %s, gen_random_uuid(), 9, 'function', 'p0', 'f1', null, null, 'draw', null, 'slow')",
        [user_id, trace_id],
    )
    owner.execute(
        "insert into kept_views (trace_id, id, account_id, user_id, transforms, find) values (%s, %s, %s, %s, '', 'a')",
        [trace_id, "A" * 12, found[0], user_id],
    )
    owner.execute(
        'select save_question(%s, %s, gen_random_uuid(), 9, \'nightly\', \'{"form": "sql", "sql": "select 1"}\')',
        [user_id, found[0]],
    )
    for table, columns, values in (
        ("trace_functions", "place, name, self_value, total_value, self_share, total_share", "0, 'f', 1, 1, 1, 1"),
        ("trace_findings", "finding, severity", "'hot-function', 'high'"),
        ("trace_measures", "measure, value, unit", "'total', 1, 'count'"),
    ):
        insert = sql.SQL(f"insert into {table} (trace_id, account_id, {columns}) values (%s, %s, {values})")
        owner.execute(insert, [trace_id, found[0]])
    owner.execute(
        "select create_api_key(%s, %s, 'ci', left(md5(random()::text), 10), repeat('5ec2e7', 10) || '0000', "
        "array['ask'], null)",
        [user_id, found[0]],
    )
    gate = owner.execute(
        "insert into gates (account_id, name, rules, baseline, created_by, webhook_url, webhook_secret) "
        "values (%s, 'g', array['total +3%%'], '{\"branch\": \"main\"}', %s, 'https://a.example/', repeat('s', 43)) "
        "returning id",
        [found[0], user_id],
    ).fetchone()
    assert gate is not None
    owner.execute(
        "insert into gate_results (gate_id, account_id, trace_id, user_id) values (%s, %s, %s, %s)",
        [gate[0], found[0], trace_id, user_id],
    )
    owner.execute(
        "insert into memories (account_id, user_id, kind, text, source, source_key, trace_id, meaning) "
        "values (%s, %s, 'preference', 'in ms', 'person', %s, %s, 'in ms')",
        [found[0], user_id, f"p:{trace_id}", trace_id],
    )
    owner.execute(
        "with made as (insert into knowledge_documents (account_id, name, sha256, bytes) "
        "values (%s, 'a.md', repeat('a', 64), 1) returning id) "
        "insert into knowledge_chunks (document_id, ordinal, text) select id, 0, 'text' from made",
        [found[0]],
    )
    return Person(user_id, str(found[0]), trace_id, session_id, turn_id)


@contextmanager
def signed_in(owner: Connection[Row], role: LiteralString, user_id: str | None = None) -> Iterator[Connection[Row]]:
    """The database as the API shows it to that role."""
    with owner.transaction(force_rollback=True):
        if user_id is not None:
            claims = Jsonb({"sub": user_id, "role": role})
            owner.execute("select set_config('request.jwt.claims', %s::text, true)", [claims])
        owner.execute(sql.SQL("set local role {}").format(sql.Identifier(role)))
        yield owner


def names(connection: Connection[Row], query: LiteralString) -> set[str]:
    return {str(row[0]) for row in connection.execute(query).fetchall()}


def test_every_public_table_has_row_level_security(owner: Connection[Row]) -> None:
    without = names(
        owner,
        "select relname from pg_class "
        "where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relrowsecurity",
    )
    assert without == set()


@pytest.mark.parametrize("role", ["anon", "authenticated"])
def test_no_api_role_may_write_any_table(owner: Connection[Row], role: LiteralString) -> None:
    writable = owner.execute(
        "select c.relname, p from pg_class c, unnest(array['insert', 'update', 'delete', 'truncate']) p "
        "where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') "
        "and has_table_privilege(%s, c.oid, p)",
        [role],
    ).fetchall()
    assert writable == []
    sequences = owner.execute(
        "select sequencename from pg_sequences where schemaname = 'public' "
        "and has_sequence_privilege(%s, format('%%I.%%I', schemaname, sequencename), 'usage, select, update')",
        [role],
    ).fetchall()
    assert sequences == []


def test_the_api_roles_may_execute_one_function_which_lists_a_users_accounts(owner: Connection[Row]) -> None:
    executable = owner.execute(
        "select r, p.proname from pg_proc p, unnest(array['anon', 'authenticated']) r "
        "where p.pronamespace in ('public'::regnamespace, 'flamechat_private'::regnamespace) "
        "and has_function_privilege(r, p.oid, 'execute')"
    ).fetchall()
    assert executable == [("authenticated", "my_account_ids")]


SERVER_CALLS: dict[str, LiteralString] = {
    "reserve_chat_turn": "reserve_chat_turn(%(u)s, %(t)s, %(s)s, gen_random_uuid(), 'prompt', 'free', '{}')",
    "increment_lifetime_chat_analyses": "increment_lifetime_chat_analyses(%(u)s)",
    "increment_monthly_chat_sessions": "increment_monthly_chat_sessions(%(u)s)",
    "release_chat_session": "release_chat_session(%(turn)s)",
    "reset_expired_monthly_limits": "reset_expired_monthly_limits()",
    "reserve_trace_upload": "reserve_trace_upload(%(u)s)",
    "spend_report": "spend_report('day', now(), now())",
    "release_trace_upload": "release_trace_upload(%(u)s)",
    "chat_limits": "chat_limits(%(u)s)",
    "open_chat_session": "open_chat_session(%(u)s, %(t)s, %(s)s)",
    "start_chat_turn": "start_chat_turn(%(turn)s, 'me')",
    "end_chat_turn": "end_chat_turn(%(turn)s, 'failed')",
    "save_question": "save_question(%(u)s, (select account_id from traces limit 1), gen_random_uuid(), 9, 'a', '{}')",
    "share_trace": "share_trace(%(u)s, %(t)s, null)",
    "shared_trace": "shared_trace('')",
    "share_chat_session": "share_chat_session(%(u)s, %(s)s, null)",
    "shared_chat_session": "shared_chat_session('')",
    "add_trace_note": "add_trace_note(%(u)s, %(t)s, %(s)s, 9, 'function', 'p0', 'f1', null, null, 'a', null, 'slow')",
    "hold_turn_budget": "hold_turn_budget(%(turn)s, 0.5, 100)",
    "hold_call_budget": "hold_call_budget(gen_random_uuid(), %(turn)s, gen_random_uuid(), %(u)s, null, 0.5, 100)",
    "settle_call_budget": "settle_call_budget(gen_random_uuid(), 'settled', 0.5, 100, false)",
    "user_usage": "user_usage()",
    "reset_user_usage": "reset_user_usage(%(u)s)",
    "rate_chat_message": "rate_chat_message(%(u)s, gen_random_uuid(), 1)",
    "delete_chat_session": "delete_chat_session(%(u)s, %(s)s)",
    "prompt_outcomes": "prompt_outcomes(now(), now())",
    "add_knowledge": "add_knowledge(%(u)s, gen_random_uuid(), 'a.md', '', repeat('a', 64), 1, '[]', 9)",
    "read_core_memory": "read_core_memory(%(u)s, gen_random_uuid())",
    "write_core_memory": "write_core_memory(%(u)s, gen_random_uuid(), 'a fact', 0)",
    "propose_core_memory": "propose_core_memory(%(u)s, %(t)s, %(s)s, %(turn)s, 'append', 'a', null, int4range(0, 1))",
    "read_onboarding": "read_onboarding(%(u)s, gen_random_uuid())",
    "keep_onboarding": "keep_onboarding(%(u)s, gen_random_uuid(), '{}')",
    "decline_onboarding": "decline_onboarding(%(u)s, gen_random_uuid())",
    "confirm_onboarding": "confirm_onboarding(%(u)s, gen_random_uuid(), 'a fact', '', 0)",
    "create_api_key": (
        "create_api_key(%(u)s, gen_random_uuid(), 'ci', repeat('a', 10), repeat('0', 64), array['ask'], null)"
    ),
    "use_api_key": "use_api_key(repeat('a', 10), repeat('0', 64))",
    "reserve_render": "reserve_render(%(u)s)",
    "release_render": "release_render(%(u)s, now())",
    "decide_core_memory": "decide_core_memory(%(u)s, gen_random_uuid(), 'keep', null)",
}


def test_the_list_of_server_calls_is_complete(owner: Connection[Row]) -> None:
    functions = names(
        owner, "select proname from pg_proc where pronamespace = 'public'::regnamespace and prorettype <> 2279"
    )
    assert functions == set(SERVER_CALLS) | {"my_account_ids"}


@pytest.mark.parametrize("role", ["anon", "authenticated"])
@pytest.mark.parametrize("name", SERVER_CALLS)
def test_a_user_cannot_call_what_the_server_calls(owner: Connection[Row], name: str, role: LiteralString) -> None:
    person = a_person(owner)
    values = {"u": person.user_id, "t": person.trace_id, "s": person.session_id, "turn": person.turn_id}
    with signed_in(owner, role, person.user_id) as api, pytest.raises(errors.InsufficientPrivilege):
        api.execute(sql.SQL("select public.") + sql.SQL(SERVER_CALLS[name]), values)


FORBIDDEN: list[LiteralString] = [
    "update user_profiles set lifetime_chat_analyses_count = 0",
    "update user_subscriptions set monthly_chat_sessions_count = 0, monthly_uploads_used = 0",
    "update user_subscriptions set plan_id = (select id from subscription_plans where name = 'local')",
    "update subscription_plans set chat_sessions_limit = null, chat_sessions_period = null",
    "update chat_sessions set counted_as = null, counted_for_turn = null, counted_for_user = null",
    "update chat_turns set status = 'completed', ended_at = now()",
    "insert into chat_messages (session_id, position, sender) select id, 99, 'model' from chat_sessions",
    "insert into chat_sessions select * from chat_sessions",
    "insert into account_members select id, auth.uid(), 'owner' from accounts",
    "insert into accounts (name) values ('mine')",
    "insert into plan_changes (action) values ('nothing happened')",
    "update traces set account_id = account_id",
    "delete from chat_messages",
    "delete from plan_changes",
    "select * from plan_changes",
    "select * from account_invitations",
    "insert into account_invitations select * from account_invitations",
    "update chat_sessions set visibility = 'account'",
    "select * from flamechat_private.session_readers",
    "create table flamechat_private.mine ()",
]


@pytest.mark.parametrize("role", ["anon", "authenticated"])
@pytest.mark.parametrize("wish", FORBIDDEN)
def test_a_user_cannot_change_counters_plans_members_or_what_was_said(
    owner: Connection[Row], wish: LiteralString, role: LiteralString
) -> None:
    person = a_person(owner)
    with signed_in(owner, role, person.user_id) as api, pytest.raises(errors.InsufficientPrivilege):
        api.execute(wish)


PRIVATE_TABLES: list[LiteralString] = [
    "accounts",
    "account_members",
    "user_profiles",
    "user_subscriptions",
    "traces",
    "trace_notes",
    "kept_views",
    "saved_questions",
    "trace_functions",
    "trace_findings",
    "trace_measures",
    "gate_results",
    "chat_sessions",
    "chat_turns",
    "chat_messages",
]


@pytest.mark.parametrize("table", PRIVATE_TABLES)
def test_a_user_reads_his_own_rows_and_no_others(owner: Connection[Row], table: LiteralString) -> None:
    one, other = a_person(owner), a_person(owner)
    count = sql.SQL("select count(*) from {}").format(sql.Identifier(table))
    assert owner.execute(count).fetchone() == (2,)
    for person in (one, other):
        with signed_in(owner, "authenticated", person.user_id) as api:
            assert api.execute(count).fetchone() == (1,)
    with signed_in(owner, "authenticated", one.user_id) as api:
        row = str(api.execute(sql.SQL("select * from {}").format(sql.Identifier(table))).fetchone())
    assert other.user_id not in row
    assert other.account_id not in row
    assert other.session_id not in row


@pytest.mark.parametrize("table", PRIVATE_TABLES)
def test_who_is_not_signed_in_reads_nothing(owner: Connection[Row], table: LiteralString) -> None:
    a_person(owner)
    with signed_in(owner, "anon") as api, pytest.raises(errors.InsufficientPrivilege):
        api.execute(sql.SQL("select * from {}").format(sql.Identifier(table)))


def test_members_read_keys_and_gates_of_their_accounts_and_no_hash_and_no_secret(owner: Connection[Row]) -> None:
    one, other = a_person(owner), a_person(owner)
    assert owner.execute("select count(*) from api_keys").fetchone() == (2,)
    with signed_in(owner, "authenticated", one.user_id) as api:
        (row,) = api.execute("select id, account_id, name, prefix, scopes, created_by from api_keys").fetchall()
        (gate,) = api.execute("select account_id, name, rules, baseline, created_by from gates").fetchall()
    assert str(row[1]) == str(gate[0]) == one.account_id
    assert other.user_id not in str(row) + str(gate)
    wishes: list[LiteralString] = [
        "select * from api_keys",
        "select hash from api_keys",
        "select name from api_keys where hash <> ''",
        "select * from gates",
        "select webhook_secret from gates",
    ]
    for wish in wishes:
        with signed_in(owner, "authenticated", one.user_id) as api, pytest.raises(errors.InsufficientPrivilege):
            api.execute(wish)
    with signed_in(owner, "anon") as api, pytest.raises(errors.InsufficientPrivilege):
        api.execute("select name from api_keys")


def test_a_signed_in_stranger_without_an_account_reads_nothing(owner: Connection[Row]) -> None:
    a_person(owner)
    with signed_in(owner, "authenticated", str(uuid4())) as api:
        for table in PRIVATE_TABLES:
            assert api.execute(sql.SQL("select * from {}").format(sql.Identifier(table))).fetchall() == []


def test_everybody_reads_what_is_on_offer(owner: Connection[Row]) -> None:
    with signed_in(owner, "anon") as api:
        assert names(api, "select name from subscription_plans") == {"free", "pro", "local"}


def joins(owner: Connection[Row], guest: Person, host: Person, role: str) -> None:
    owner.execute(
        "insert into account_members (account_id, user_id, role) values (%s, %s, %s) "
        "on conflict (account_id, user_id) do update set role = excluded.role",
        [host.account_id, guest.user_id, role],
    )


def test_only_who_may_read_a_session_may_listen_to_it(owner: Connection[Row]) -> None:
    one, other = a_person(owner), a_person(owner)
    owner.execute("select realtime.send('{}', 'ai_response', %s)", [f"chat:{one.session_id}"])

    def received(person: Person, topic: str) -> int:
        with signed_in(owner, "authenticated", person.user_id) as api:
            api.execute("select set_config('realtime.topic', %s, true)", [topic])
            return len(api.execute("select from realtime.messages").fetchall())

    assert received(one, f"chat:{one.session_id}") == 1
    assert received(other, f"chat:{one.session_id}") == 0
    joins(owner, other, one, "owner")
    assert received(other, f"chat:{one.session_id}") == 0, "a private conversation, also of the same account"
    owner.execute("update chat_sessions set visibility = 'account' where id = %s", [one.session_id])
    assert received(other, f"chat:{one.session_id}") == 1
    for topic in (f"chat:{other.session_id}", "chat:", "chat:' or true --", one.session_id, ""):
        assert received(one, topic) == 0, topic
    assert received(one, f"account:{one.account_id}") == received(other, f"account:{one.account_id}") == 1
    for topic in (f"account:{other.account_id}", "account:", f"account:{one.user_id}", one.account_id):
        assert received(one, topic) == 0, topic


def test_no_user_may_broadcast(owner: Connection[Row]) -> None:
    person = a_person(owner)
    with signed_in(owner, "authenticated", person.user_id) as api, pytest.raises(errors.InsufficientPrivilege):
        api.execute(
            "select set_config('realtime.topic', topic, true), realtime.send('{}', 'ai_response', topic) "
            "from (values ('chat:' || %s)) as t (topic)",
            [person.session_id],
        )


def test_objects_are_read_under_ones_own_account_and_written_by_no_user(owner: Connection[Row]) -> None:
    one, other = a_person(owner), a_person(owner)
    picture = f"{one.account_id}/{one.turn_id}/call.png"
    for bucket, path in (
        ("traces", f"{one.account_id}/a"),
        ("traces", "loose"),
        ("ai-snapshots", picture),
        ("ai-snapshots", f"{one.account_id}/a"),
        ("ai-snapshots", f"{other.account_id}/{one.turn_id}/call.png"),
        ("ai-snapshots", f"{one.account_id}/{one.account_id}/call.png"),
    ):
        owner.execute("insert into storage.objects (bucket_id, name) values (%s, %s)", [bucket, path])
    query: LiteralString = "select bucket_id || ':' || name from storage.objects"
    with signed_in(owner, "authenticated", one.user_id) as api:
        assert names(api, query) == {f"traces:{one.account_id}/a", f"ai-snapshots:{picture}"}
    with signed_in(owner, "authenticated", other.user_id) as api:
        assert names(api, query) == set()
    joins(owner, other, one, "member")
    with signed_in(owner, "authenticated", other.user_id) as api:
        assert names(api, query) == {f"traces:{one.account_id}/a"}, "no picture of a private conversation"
    owner.execute("update chat_sessions set visibility = 'account' where id = %s", [one.session_id])
    with signed_in(owner, "authenticated", other.user_id) as api:
        assert names(api, query) == {f"traces:{one.account_id}/a", f"ai-snapshots:{picture}"}
    with signed_in(owner, "authenticated", one.user_id) as api, pytest.raises(errors.InsufficientPrivilege):
        api.execute("insert into storage.objects (bucket_id, name) values ('traces', %s)", [f"{one.account_id}/b"])


def test_the_servers_role_can_do_nothing_but_become_service_role(database: FreshDatabase) -> None:
    with psycopg.connect(database.server, autocommit=True) as server:
        assert server.execute(
            "select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls from pg_roles where rolname = current_user"
        ).fetchone() == (False, False, False, False)
        for wish in ("select * from traces", "create table mine ()", "select reset_expired_monthly_limits()"):
            with pytest.raises(errors.InsufficientPrivilege):
                server.execute(wish)
        with pytest.raises(errors.InsufficientPrivilege):
            server.execute("set role postgres")
        with server.transaction():
            server.execute("set local role service_role")
            assert server.execute("select count(*) from traces").fetchone() == (0,)


def test_every_function_fixes_its_search_path(owner: Connection[Row]) -> None:
    loose = names(
        owner,
        "select proname from pg_proc where pronamespace in ('public'::regnamespace, 'flamechat_private'::regnamespace) "
        "and not coalesce(array_to_string(proconfig, ',') like '%%search_path=%%', false)",
    )
    assert loose == set()
