"""Two members of one account and a stranger, over every route, message and listening, on PostgreSQL: nobody reads or
touches a conversation that is not shown to them."""

import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import psycopg
import pytest

from server.adapters.in_process.relay import MemoryRelay
from server.adapters.postgres.conversations import PostgresConversations
from server.adapters.postgres.core_memory import PostgresCoreMemory
from server.adapters.postgres.evaluations import PostgresEvaluations
from server.adapters.postgres.history import PostgresHistory
from server.adapters.postgres.invocations import PostgresInvocations
from server.adapters.postgres.kept_views import PostgresKeptViews
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.notes import PostgresNotes
from server.adapters.postgres.plans import PostgresPlans
from server.adapters.postgres.pool import Database
from server.adapters.postgres.program_keys import PostgresProgramKeys, PostgresRenderQuota
from server.adapters.postgres.saved_questions import PostgresSavedQuestions
from server.adapters.postgres.teams import PostgresTeams
from server.adapters.postgres.trace_records import PostgresTraceRecords
from server.composing.use_cases import Adapters, Backing, Rows, compose
from server.edges.http.client_config import ClientConfig
from server.ports.identity import Caller
from server.ports.objects import PICTURES_BUCKET
from server.settings import load_settings
from server.testing.identity import TokenIdentity
from server.testing.objects import MemoryObjects
from server.turns.turn_pictures import picture_path
from tests.inline_workers import inline_workers
from tests.plugins.postgres import FreshDatabase
from tests.server.edges.test_every_message import HARMLESS, annas_messages, answers_to
from tests.server.edges.test_every_route import (
    FOR_ADMINISTRATORS,
    FOR_THE_SIGNED_IN,
    Annas,
    RouteName,
    call,
    routes,
    routes_of,
)
from tests.server.running_server import STACKS, RunningServer, ScriptedAgent, serving
from tests.server.talking import END, ask, new_id

SECRET = "what only Anna has asked"
OF_A_CONVERSATION = {
    (method, path) for method, path in FOR_THE_SIGNED_IN if "{session_id}" in path or "{turn_id}" in path
}
"""Every route that names a conversation or a turn."""

REMOVING = routes(
    "DELETE /api/v1/traces/{trace_id}",
    "DELETE /api/v1/accounts/{account_id}",
    "DELETE /api/v1/accounts/{account_id}/members/{user_id}",
)


class Team:
    """Anna and Otto own the account, Bea is a member, Vic a viewer; Carl is a stranger. Anna has asked in private."""

    def __init__(self, server: RunningServer, people: dict[str, Caller], account: str, annas: Annas) -> None:
        self.server = server
        self.people = people
        self.account = account
        self.annas = annas

    def headers(self, name: str, *, acting: bool = True) -> dict[str, str]:
        return {"Authorization": f"Bearer {name}"} | ({"Flamechat-Account": self.account} if acting else {})

    async def request(self, name: str, method: str, path: str, **options: Any) -> httpx.Response:
        return await self.server.http.request(method, f"/api/v1/{path}", headers=self.headers(name), **options)

    async def seen_by_anna(self) -> object:
        paths = (f"sessions/{self.annas.session}/messages", f"sessions?search={SECRET}", "accounts")
        answers = [await self.request("anna", "GET", path) for path in paths]
        assert [answer.status_code for answer in answers] == [200] * len(paths)
        assert SECRET in answers[0].text
        return [answer.text for answer in answers]


@asynccontextmanager
async def team_server(database: FreshDatabase, folder: Path) -> AsyncIterator[Team]:
    people: dict[str, Caller] = {}
    for name in ("anna", "otto", "bea", "vic", "carl"):
        user_id = str(uuid.uuid4())
        people[name] = Caller(user_id=user_id, account_id=await ensure_local_user(database.owner, user_id))
    with psycopg.connect(database.owner) as owner:
        for name, one in people.items():
            owner.execute(
                "update auth.users set email = %s, email_confirmed_at = now() where id = %s",
                [f"{name}@example.com", one.user_id],
            )
        owner.execute("update subscription_plans set allow_public_sharing = true")
    async with Database(database.server) as pool:
        parts = compose(
            load_settings(data=folder),
            Adapters(
                rows=Rows(
                    conversations=PostgresConversations(pool),
                    records=PostgresTraceRecords(pool),
                    plans=PostgresPlans(pool),
                    memory=PostgresCoreMemory(pool),
                    invocations=PostgresInvocations(pool),
                    evaluations=PostgresEvaluations(pool),
                    notes=PostgresNotes(pool),
                    kept_views=PostgresKeptViews(pool),
                    history=PostgresHistory(pool),
                    keys=PostgresProgramKeys(pool),
                    renders=PostgresRenderQuota(pool),
                    saved_questions=PostgresSavedQuestions(pool),
                    teams=PostgresTeams(pool),
                ),
                backing=Backing(
                    objects=MemoryObjects(),
                    identity=TokenIdentity(people),
                    relay=MemoryRelay(),
                    client=ClientConfig(teams=True),
                ),
                workers=inline_workers(),
                agent=ScriptedAgent(),
                scratch=folder,
            ),
        )
        async with serving(parts) as server:
            yield await made_team(server, people)


async def made_team(server: RunningServer, people: dict[str, Caller]) -> Team:
    as_anna = {"Authorization": "Bearer anna"}
    account = (await server.http.post("/api/v1/accounts", json={"name": "Team"}, headers=as_anna)).json()["accountId"]
    team = Team(server, people, account, Annas("", "", "", "", ""))
    for name, role in (("otto", "owner"), ("bea", "member"), ("vic", "viewer")):
        new = {"email": f"{name.upper()}@example.com", "role": role}
        made = (await team.request("anna", "POST", f"accounts/{account}/members", json=new)).json()
        accepted = await server.http.post(
            "/api/v1/invitations/accept", json={"token": made["token"]}, headers=team.headers(name, acting=False)
        )
        assert (accepted.status_code, accepted.json()["role"]) == (200, role)
    uploaded = await team.request("anna", "POST", "traces?name=a.txt", content=STACKS)
    trace_id = uploaded.json()["trace"]["traceId"]
    async with server.session(trace_id) as socket:
        turn_id, session_id = await ask(socket, SECRET), socket.ack["sessionId"]
        await socket.until(*END)
    await server.parts.objects.put(PICTURES_BUCKET, picture_path(account, turn_id, "call"), SECRET.encode())
    link = (await team.request("anna", "PUT", f"traces/{trace_id}/link")).json()["token"]
    note = {"kind": "range", "profile": "p0", "start": 1, "end": 2, "text": "Anna's"}
    note_id = (await team.request("anna", "POST", f"traces/{trace_id}/notes", json=note)).json()["note"]["noteId"]
    kept = (await team.request("anna", "POST", f"traces/{trace_id}/views", json={"find": "Anna's"})).json()["viewId"]
    team.annas = Annas(trace_id, session_id, turn_id, link, note_id, kept, account=account, user=people["anna"].user_id)
    return team


@pytest.fixture
async def team(database: FreshDatabase, tmp_path: Path) -> AsyncIterator[Team]:
    async with team_server(database, tmp_path) as made:
        yield made


async def test_no_route_shows_a_member_what_another_asked_in_private(team: Team) -> None:
    before, there = await team.seen_by_anna(), routes_of(team.server.parts.services)
    for name in ("bea", "otto", "vic", "carl"):
        for method, path in sorted((FOR_THE_SIGNED_IN - FOR_ADMINISTRATORS - REMOVING) & there):
            for acting in (True, False):
                if name == "otto" and "{account_id}" in path:
                    continue  # an owner administers
                answer = await call(team.server, team.annas, method, path, team.headers(name, acting=acting))
                asked: RouteName = (method, path)
                # What needs a part that this application has not is "not supported"; anything else of 500 is a fault.
                assert answer.status_code in (*range(500), 501), (name, asked, answer.text)
                assert SECRET not in answer.text, (name, asked)
                if asked in OF_A_CONVERSATION or (name == "carl" and acting):
                    assert answer.status_code == 404, (name, asked, answer.text)
                if team.annas.session in answer.text:
                    sent = str(answer.request.url) + answer.request.content.decode(errors="replace")
                    assert team.annas.session in sent, (name, asked)
    assert await team.seen_by_anna() == before


@pytest.mark.parametrize("name", ["bea", "otto", "vic"])
async def test_no_message_of_the_socket_opens_it(team: Team, name: str) -> None:
    before = await team.seen_by_anna()
    for type_, message in annas_messages(team.annas).items():
        if type_ in HARMLESS | {"authenticate"}:
            continue
        async with team.server.socket() as socket:
            joins = {"type": "start_analysis", "accessToken": name}
            if type_ == "start_analysis":
                await socket.send(**joins | message | {"accountId": team.account})
                if name == "vic":  # who begins none either
                    assert (await socket.next())["code"] == "not_allowed"
                else:
                    assert await socket.closed_with() == 4403
                continue
            if name == "vic":
                continue  # who has no session of their own sends no other message
            await socket.send(**joins | {"traceId": team.annas.trace, "sessionId": new_id()})
            assert (await socket.next())["type"] == "connection_ack"
            answers = await answers_to(socket, {"type": type_} | message)
            assert [one["code"] for one in answers if one["type"] == "protocol_error"] != [], type_
            assert SECRET not in json.dumps(answers)
    assert await team.seen_by_anna() == before


async def test_the_tools_for_programs_have_nothing_of_it(team: Team) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    accepted = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    for name, status in (("bea", 200), ("carl", 404)):
        headers = team.headers(name) | accepted
        params = {"name": "list_traces", "arguments": {}}
        answer = await team.server.http.post("/mcp/", json=asked | {"params": params}, headers=headers)
        assert answer.status_code == status, answer.text
        assert SECRET not in answer.text


async def test_a_conversation_is_shown_read_continued_and_stays_with_the_account(team: Team) -> None:
    session = f"sessions/{team.annas.session}"
    refused = await team.request("bea", "PATCH", session, json={"visibility": "account"})
    assert refused.status_code == 404
    shown = await team.request("anna", "PATCH", session, json={"visibility": "account"})
    assert shown.json()["session"]["visibility"] == "account"
    for name in ("bea", "otto", "vic"):
        assert SECRET in (await team.request(name, "GET", f"{session}/messages")).text
        assert SECRET in (await team.request(name, "GET", f"sessions?search={SECRET}")).text
        picture = await team.request(name, "GET", f"pictures/{team.annas.turn}/call.png")
        assert (picture.status_code, picture.content) == (200, SECRET.encode())
    assert (await team.request("carl", "GET", f"{session}/messages")).status_code == 404
    assert (await team.request("bea", "PATCH", session, json={"title": "Mine"})).status_code == 403
    assert (await team.request("vic", "POST", f"{session}/prompts", json={"prompt": "?"})).status_code == 403
    async with team.server.session(team.annas.trace, session_id=team.annas.session, token="vic") as listening:
        assert SECRET in json.dumps(listening.ack["history"])
        asked = await team.request("bea", "POST", f"{session}/prompts", json={"prompt": "And then?"})
        assert asked.status_code == 202, asked.text
        assert (await listening.until(*END))[-1]["turnId"] == asked.json()["turnId"]
    back = await team.request("anna", "PATCH", session, json={"visibility": "private"})
    assert (back.status_code, "Others have asked" in back.text) == (400, True)


async def test_who_is_taken_out_is_sent_no_further_turn(team: Team) -> None:
    await team.request("anna", "PATCH", f"sessions/{team.annas.session}", json={"visibility": "account"})
    async with team.server.session(team.annas.trace, session_id=team.annas.session, token="bea") as listening:
        gone = f"accounts/{team.account}/members/{team.people['bea'].user_id}"
        assert (await team.request("anna", "DELETE", gone)).status_code == 204
        asked = await team.request("anna", "POST", f"sessions/{team.annas.session}/prompts", json={"prompt": "Alone?"})
        assert asked.status_code == 202
        with anyio.fail_after(20):
            assert await listening.closed_with() == 4403
    for path in (f"traces/{team.annas.trace}", f"sessions/{team.annas.session}/messages", "traces"):
        assert (await team.request("bea", "GET", path)).status_code == 404


async def test_the_header_chooses_for_lists_and_for_what_is_made(team: Team) -> None:
    personal = {"Authorization": "Bearer bea"}
    own = await team.server.http.post("/api/v1/traces?name=own.txt", content=STACKS, headers=personal)
    for headers, names in ((team.headers("bea"), ["a.txt"]), (personal, ["own.txt"])):
        listed = (await team.server.http.get("/api/v1/traces", headers=headers)).json()["traces"]
        assert [one["name"] for one in listed] == names
    by_id = await team.server.http.get(f"/api/v1/traces/{team.annas.trace}", headers=personal)
    assert by_id.status_code == 200, "what is asked for by its id needs membership in its own account"
    await team.server.http.patch(
        f"/api/v1/sessions/{team.annas.session}", json={"visibility": "account"}, headers=team.headers("anna")
    )
    about = f"/api/v1/sessions?traceId={team.annas.trace}"
    found = (await team.server.http.get(about, headers=personal)).json()["sessions"]
    assert [one["sessionId"] for one in found] == [team.annas.session], "a trace's conversations are of its account"
    assert (await team.server.http.get("/api/v1/sessions", headers=personal)).json() == {"sessions": []}
    hers = f"/api/v1/traces/{own.json()['trace']['traceId']}"
    assert (await team.server.http.get(hers, headers=team.headers("bea"))).status_code == 200
    assert (await team.server.http.get(hers, headers=team.headers("anna"))).status_code == 404
    for account in (team.people["anna"].account_id, str(uuid.uuid4()), "none"):
        headers = personal | {"Flamechat-Account": account}
        assert (await team.server.http.get("/api/v1/traces", headers=headers)).status_code == 404
    accounts = (await team.request("bea", "GET", "accounts")).json()
    assert accounts["acting"] == team.account
    assert [one["role"] for one in accounts["accounts"]] == ["owner", "member"]


async def test_a_viewer_reads_that_they_only_read(team: Team) -> None:
    about = f"traces/{team.annas.trace}"
    for method, path, body in (
        ("POST", "traces?name=b.txt", None),
        ("PATCH", about, {"labels": {"branch": "x"}}),
        ("DELETE", about, None),
        ("PUT", f"{about}/link", None),
        ("POST", f"{about}/notes", {"kind": "function", "profile": "p0", "handle": "f1", "text": "Mine"}),
        ("POST", f"sessions/{new_id()}/join", {"traceId": team.annas.trace}),
        ("POST", f"sessions/{new_id()}/prompts", {"traceId": team.annas.trace, "prompt": "?"}),
        ("PUT", "memory/core", {"text": "a fact"}),
    ):
        options = {"content": STACKS} if body is None else {"json": body, "headers": {}}
        headers = team.headers("vic") | {"If-Match": '"0"'}
        options.pop("headers", None)
        answer = await team.server.http.request(method, f"/api/v1/{path}", headers=headers, **options)
        assert answer.status_code == 403, (method, path, answer.text)
    async with team.server.socket() as socket:
        await socket.send(type="start_analysis", traceId=team.annas.trace, sessionId=new_id(), accessToken="vic")
        refused = await socket.next()
        assert (refused["type"], refused["code"]) == ("protocol_error", "not_allowed")


async def test_a_key_of_one_account_opens_nothing_of_another(team: Team) -> None:
    new = {"name": "ci", "scopes": ["traces:read", "ask"]}
    key = (await team.request("anna", "POST", "keys", json=new)).json()["secret"]
    own = await team.server.http.post(
        "/api/v1/traces?name=own.txt", content=STACKS, headers={"Authorization": "Bearer anna"}
    )
    hers = own.json()["trace"]["traceId"]
    as_key = {"Authorization": f"Bearer {key}"}
    assert (await team.server.http.get(f"/api/v1/traces/{team.annas.trace}", headers=as_key)).status_code == 200
    assert (await team.server.http.get(f"/api/v1/traces/{hers}", headers=as_key)).status_code == 404
    elsewhere = as_key | {"Flamechat-Account": team.people["anna"].account_id}
    assert (await team.server.http.get("/api/v1/traces", headers=elsewhere)).status_code == 404
    asked = {"traceId": hers, "prompt": "?"}
    answer = await team.server.http.post(f"/api/v1/sessions/{new_id()}/prompts", json=asked, headers=as_key)
    assert answer.status_code == 404, answer.text
