"""`flamechat users export` and `delete`: everything a person has left, and nothing of anybody else."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import psycopg
import pytest
from psycopg import sql

from limits.administration import Author
from limits.errors import UnknownUser
from limits.spending import SpendingLimits
from server.adapters.folder.objects import FolderObjects
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.plans import PostgresPlans
from server.adapters.postgres.pool import Database
from server.adapters.supabase.auth_users import remove_user
from server.composing.personal_data import delete_person, export_person
from server.errors import ServiceUnavailable
from server.ports.conversations import Visibility
from server.ports.core_memory import Action, NewProposal
from server.ports.gates import NewGate
from server.ports.identity import LOCAL_USER_ID, Caller, Scope
from server.ports.invocations import CallCost
from server.ports.kept_views import LongParts
from server.ports.notes import NewNote, NoteKind
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET
from server.ports.program_keys import NewKey
from server.settings import Settings
from server.turns.key_issuing import digest_of, new_secret
from tests.contracts.test_invocations_contract import a_call
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import Talk, World, new_uuid
from tests.plugins.worlds_on_postgres import postgres_world
from tests.server.composing.test_backups import a_picture_in, files_in, killed, settings_of
from traces.gate.outcome import Outcome

ANNAS_ADDRESS = "anna@example.com"
TEAM = "11111111-1111-4111-8111-111111111111"
PERSONAL = "what only Anna knows"
BENS = "what only Ben knows"


@dataclass(frozen=True, slots=True)
class People:
    """Anna has a trace, a conversation with a picture and feedback of her own, and has asked in a team's conversation
    that Ben opened; Ben likewise."""

    settings: Settings
    anna: Caller
    ben: Caller
    traces: dict[str, str]


async def remembers(world: World, talk: Talk, text: str) -> None:
    """The text is asked, and remembered by the account; something else is proposed."""
    turn_id = await talk.exchange(text, f"{text}, answered")
    version = (await world.memory.read(talk.caller)).version
    await world.memory.write(talk.caller, text, version=version)
    await world.memory.propose(
        talk.caller,
        NewProposal(session_id=talk.session_id, turn_id=turn_id, action=Action.APPEND, text=f"{text}, proposed"),
    )
    await world.memory.keep_onboarding(talk.caller, {"answers": {"limits": text}})


async def asked(world: World, owner_dsn: str, caller: Caller, text: str) -> str:
    talk = await Talk.begin(world, caller)
    await remembers(world, talk, text)
    with psycopg.connect(owner_dsn) as owner:
        owner.execute(
            "insert into public.message_feedback (message_id, user_id, score, reason) "
            "select id, %s, 1, %s from public.chat_messages where session_id = %s and sender = 'model'",
            [caller.user_id, text, talk.session_id],
        )
        owner.execute(
            "insert into public.plan_changes (action, user_id, changed_by, reason) values ('try', %s, %s, %s)",
            [caller.user_id, caller.user_id, text],
        )
    return talk.trace_id


@pytest.fixture
async def people(database: FreshDatabase, tmp_path: Path) -> People:
    settings = settings_of(database, tmp_path / "data")
    store = FolderObjects(settings.data / "objects")
    async with Database(database.server) as connected:
        world = postgres_world(database.owner, connected)
        anna, ben = await world.user(), await world.user()
        traces = {"anna": await asked(world, database.owner, anna, PERSONAL)}
        await store.put(PICTURES_BUCKET, await a_picture_in(database.owner, anna.account_id), b"a picture")
        traces["ben"] = await asked(world, database.owner, ben, BENS)
        with psycopg.connect(database.owner) as owner:
            owner.execute("insert into public.accounts (id, name) values (%s, 'Team')", [TEAM])
            gone = (
                "insert into public.removed_runs (trace_id, account_id, program, labels, created_at) "
                "values (gen_random_uuid(), %s, %s, '{}', now())"
            )
            for one, text in ((anna, PERSONAL), (ben, BENS)):
                owner.execute(gone, [one.account_id, text])
            for one in (anna, ben):
                owner.execute("insert into public.account_members values (%s, %s, 'member')", [TEAM, one.user_id])
            invite = (
                "insert into public.account_invitations (account_id, email, role, token_hash, invited_by, expires_at) "
                "values (%s, %s, 'member', %s, %s, now() + interval '1 day')"
            )
            owner.execute(invite, [TEAM, "some@example.com", "a" * 64, anna.user_id])
            owner.execute(invite, [TEAM, f"{BENS}@example.com", "b" * 64, ben.user_id])
            owner.execute(invite, [TEAM, ANNAS_ADDRESS.upper(), "c" * 64, ben.user_id])
        await world.confirm(anna.user_id, ANNAS_ADDRESS)
        teams = await Talk.begin(world, replace(anna, account_id=TEAM))
        traces["team"] = teams.trace_id
        teams.caller = ben
        await teams.exchange(f"{BENS} too", "yes")
        await world.conversations.show_session(ben, teams.session_id, Visibility.ACCOUNT)
        teams.caller = anna
        await teams.exchange(f"{PERSONAL} too", "yes")
        with psycopg.connect(database.owner) as owner:
            owner.execute(
                "insert into public.message_feedback (message_id, user_id, score) "
                "select m.id, %s, -1 from public.chat_messages m join public.chat_turns t on t.id = m.turn_id "
                "where m.sender = 'model' and t.user_id = %s and t.account_id = %s",
                [anna.user_id, ben.user_id, TEAM],
            )
        teams.session_id = new_uuid()
        await teams.exchange(f"{PERSONAL}, alone", "yes")
        for who, on, text in ((anna, "anna", PERSONAL), (anna, "team", PERSONAL), (ben, "team", BENS)):
            note = NewNote(
                note_id=new_uuid(), kind=NoteKind.FUNCTION, profile="p0", handle="f1", name="draw", text=text
            )
            await world.notes.add(who, traces[on], note)
            account = {"anna": anna.account_id, "team": TEAM}[on]
            await world.saved_questions.save(
                replace(who, account_id=account), new_uuid(), text, {"form": "sql", "sql": f"select '{text}'"}
            )
            await world.kept_views.keep(
                who, traces[on], {PERSONAL: "a" * 12, BENS: "b" * 12}[text], LongParts("", text)
            )
        in_team = [(replace(anna, account_id=TEAM), PERSONAL), (replace(ben, account_id=TEAM), BENS)]
        for caller, text in [(anna, PERSONAL), *in_team]:
            prefix, secret = new_secret()
            await world.keys.create(
                caller, NewKey(name=text, prefix=prefix, digest=digest_of(secret), scopes=(Scope.ASK,))
            )
            await world.renders.reserve(caller)
            name = text if caller == anna else f"gate {prefix}"  # of a team's gate the name is the team's
            gate = NewGate(gate_id=new_uuid(), name=name, rules=("total +3%",), baseline={"branch": name})
            await world.gates.make(caller, gate)
        await world.gates.note_checks(anna, traces["anna"])
        await world.gates.note_checks(replace(anna, account_id=TEAM), traces["team"])
        for found in await world.gates.results(replace(anna, account_id=TEAM)):
            await world.gates.end_check(found.result_id, outcome=Outcome.BROKEN, problem=None, report=None, sends=False)
        for caller in (anna, ben, replace(anna, account_id=TEAM), replace(ben, account_id=TEAM)):
            await world.invocations.begin(a_call(caller), CallCost(None, 1))
            limits, author = SpendingLimits(turn_token_limit=8), Author(user_id=ben.user_id)
            await world.plans.limit_user(caller.user_id, limits, author)
            await world.plans.limit_account(caller.account_id, limits, author)
    for caller, name in ((anna, "anna"), (ben, "ben")):
        await store.put(TRACES_BUCKET, f"{caller.account_id}/{traces[name]}", name.encode())
    await store.put(TRACES_BUCKET, f"{TEAM}/{traces['team']}", b"team")
    return People(settings, anna, ben, traces)


def where_is(owner_dsn: str, text: str) -> set[str]:
    """The tables of which a row has the text in any column."""
    with psycopg.connect(owner_dsn) as owner:
        tables = owner.execute(
            "select schemaname, tablename from pg_tables "
            "where schemaname in ('public', 'flamechat_private', 'auth', 'storage')"
        ).fetchall()
        count = sql.SQL("select count(*) from {} t where strpos(to_jsonb(t)::text, %s) > 0")
        found = set()
        for names in tables:
            row = owner.execute(count.format(sql.Identifier(*names)), [text]).fetchone()
            if row is not None and row[0]:
                found.add(str(names[1]))
        return found


async def test_an_export_has_all_of_one_person_and_nothing_of_another(people: People, tmp_path: Path) -> None:
    done = await export_person(people.settings, people.anna.user_id, tmp_path / "anna")
    written = files_in(tmp_path / "anna")
    parts = {name.removesuffix(".json"): json.loads(text) for name, text in written.items() if name.endswith(".json")}
    assert {name: len(rows) for name, rows in parts.items()} == {
        "profile": 1,
        "subscription": 1,
        "accounts": 2,
        "invitations": 2,
        "traces": 2,
        "notes": 2,
        "kept_views": 2,
        "saved_questions": 2,
        "removed_runs": 1,
        "sessions": 3,
        "turns": 3,
        "messages": 6,
        "feedback": 2,
        "plan_changes": 3,
        "memory": 1,
        "memory_changes": 1,
        "memory_proposals": 1,
        "onboardings": 1,
        "memories": 0,
        "documents": 0,
        "invocations": 2,
        "charges": 2,
        "budgets": 1,
        "api_keys": 2,
        "gates": 2,
        "gate_results": 3,
    }
    assert (done.rows, done.objects, done.lost) == (48, 3, 0)
    assert sorted(text for name, text in written.items() if name.startswith("objects")) == [
        b"a picture",
        b"anna",
        b"team",
    ]
    assert PERSONAL in written["messages.json"].decode()
    assert PERSONAL in written["memory.json"].decode()
    assert not [name for name, text in written.items() if BENS.encode() in text]


async def test_after_a_deletion_nothing_is_left_of_a_person_and_all_of_the_others(
    people: People, database: FreshDatabase
) -> None:
    with psycopg.connect(database.owner) as owner:
        owner.execute(
            "insert into flamechat_private.checkpoints (thread_id, checkpoint_id, checkpoint) values (%s, 'x', '{}')",
            [f"{people.anna.user_id}/1"],
        )
    bens = where_is(database.owner, BENS)
    done = await delete_person(people.settings, people.anna.user_id, "asked for it")
    for text in (people.anna.user_id, people.anna.account_id, people.traces["anna"], PERSONAL, ANNAS_ADDRESS.upper()):
        assert where_is(database.owner, text) == set()
    assert where_is(database.owner, BENS) == bens
    assert where_is(database.owner, people.traces["team"]) == {
        "traces",
        "trace_notes",
        "kept_views",
        "chat_sessions",
        "chat_turns",
        "gate_results",
    }
    with psycopg.connect(database.owner) as owner:
        left = owner.execute("select count(*) from public.chat_sessions where account_id = %s", [TEAM]).fetchone()
        spent = owner.execute("select count(*) from public.ai_invocation_summaries where account_id = %s", [TEAM])
        assert spent.fetchone() == (2,), "what a team has spent stays spent"
    assert left == (1,)
    assert where_is(database.owner, "asked for it") == {"plan_changes"}
    assert sorted(files_in(people.settings.data / "objects").values()) == [b"ben", b"team"]
    assert (done.objects, done.stays) == (2, False)
    with pytest.raises(UnknownUser):
        await delete_person(people.settings, people.anna.user_id, None)
    with pytest.raises(UnknownUser):
        await export_person(people.settings, "nobody", people.settings.data / "export")


async def test_the_user_of_a_machine_stays_with_nothing(database: FreshDatabase, tmp_path: Path) -> None:
    settings = settings_of(database, tmp_path / "data")
    account = await ensure_local_user(database.owner, LOCAL_USER_ID)
    async with Database(database.server) as connected:
        world = postgres_world(database.owner, connected)
        trace = await asked(world, database.owner, Caller(user_id=LOCAL_USER_ID, account_id=account), PERSONAL)
    assert (await delete_person(settings, LOCAL_USER_ID, None)).stays
    assert where_is(database.owner, PERSONAL) == where_is(database.owner, trace) == set()
    assert await ensure_local_user(database.owner, LOCAL_USER_ID) == account


async def test_a_list_names_people_as_their_sign_in_does(database: FreshDatabase) -> None:
    with psycopg.connect(database.owner) as owner:
        owner.execute(
            "insert into auth.users (id, email, raw_user_meta_data) values "
            "(gen_random_uuid(), 'a@example.com', '{\"full_name\": \"Anna\"}'), "
            "(gen_random_uuid(), 'b@example.com', '{\"name\": \"\"}'), (gen_random_uuid(), null, null), "
            "(gen_random_uuid(), 'B@Example.com', null)"
        )
    async with Database(database.server) as connected:
        names = [usage.display_name for usage in await PostgresPlans(connected).usages()]
    assert sorted(names, key=str) == ["Anna", "B@Example.com", None, "b@example.com"]


@pytest.mark.parametrize(("status", "removed"), [(200, True), (404, False)])
async def test_a_projects_auth_is_asked_to_remove_the_user(*, status: int, removed: bool) -> None:
    asked_for: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked_for.append(f"{request.method} {request.url.path}")
        return httpx.Response(status)

    async with httpx.AsyncClient(base_url="http://project", transport=httpx.MockTransport(answer)) as client:
        assert await remove_user(client, "x") is removed
    assert asked_for == ["DELETE /auth/v1/admin/users/x"]


async def test_an_auth_that_refuses_or_is_away_is_no_removal() -> None:
    def away(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("away", request=request)

    for handler in (away, lambda _: httpx.Response(500)):
        async with httpx.AsyncClient(base_url="http://project", transport=httpx.MockTransport(handler)) as client:
            with pytest.raises(ServiceUnavailable):
                await remove_user(client, "x")


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_a_deletion_or_an_export_that_was_killed_is_run_again(
    people: People, database: FreshDatabase, tmp_path: Path
) -> None:
    anna = people.anna.user_id
    killed(people.settings, "export_person", "server.composing.backups object_path 2", tmp_path / "export", anna)
    assert (await export_person(people.settings, anna, tmp_path / "export")).objects == 3
    for at in (
        "server.adapters.folder.objects object_key 2",
        "server.adapters.postgres.person_rows statement 24",
    ):
        killed(people.settings, "delete_person", at, tmp_path / "unused", anna)
        assert "user_profiles" in where_is(database.owner, anna)
    await delete_person(people.settings, anna, None)
    assert where_is(database.owner, anna) == set()
    assert sorted(files_in(people.settings.data / "objects").values()) == [b"ben", b"team"]
