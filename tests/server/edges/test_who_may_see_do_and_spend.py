"""What goes wrong elsewhere, and must not here: who may see, do and spend what. The numbers are those of the list that
this product was planned against; each test says what its item means for us.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString
from uuid import uuid4

import pytest
from psycopg import Connection, errors
from psycopg.types.json import Jsonb

from limits.plans import Plan, SessionsPeriod
from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.tools.all_tools import TOOLS
from server.agent.tools.contract.arguments import validated
from server.agent.tools.contract.run_tool import run_tool
from server.agent.tools.contract.tool_errors import ToolProblem
from tests.server.agent.turns import HOSTILE, small_trace
from tests.server.running_server import ANNA, STACKS, ScriptedAgent, running_server
from tests.server.talking import ask, new_id

Row = tuple[object, ...]
AS_ANNA = {"Authorization": "Bearer anna"}
TOOL = {tool.name: tool for tool in TOOLS}


def a_user_with_a_session(owner: Connection[Row]) -> tuple[str, str, str]:
    """A user, their account, and a session of theirs in which they have asked something."""
    user_id, trace_id, session_id = (str(uuid4()) for _ in range(3))
    owner.execute("insert into auth.users (id) values (%s)", [user_id])
    found = owner.execute("select id::text from accounts where personal_user_id = %s", [user_id]).fetchone()
    assert found is not None
    owner.execute(
        "insert into traces (id, account_id, user_id, name, sha256, size_bytes, format, unit, object_path) "
        "values (%s, %s, %s, 't', repeat('a', 64), 1, 'pprof', 'count', 'x')",
        [trace_id, found[0], user_id],
    )
    owner.execute(
        "select reserve_chat_turn(%s, %s, %s, gen_random_uuid(), 'prompt', 'why?', '{}')",
        [user_id, trace_id, session_id],
    )
    return user_id, str(found[0]), session_id


@contextmanager
def as_user(owner: Connection[Row], user_id: str, *, topic: str = "") -> Iterator[Connection[Row]]:
    """The database as a project's API shows it to a user, on a topic of its Realtime."""
    with owner.transaction(force_rollback=True):
        claims = Jsonb({"sub": user_id, "role": "authenticated"})
        owner.execute("select set_config('request.jwt.claims', %s::text, true)", [claims])
        owner.execute("select set_config('realtime.topic', %s, true)", [topic])
        owner.execute("set local role authenticated")
        yield owner


async def test_g01_a_conversation_about_anothers_trace_is_not_opened(tmp_path: Path) -> None:
    """A trace is read for whoever may read it, not by its id alone."""
    async with running_server(tmp_path) as server, server.socket() as socket:
        annas = await server.trace_id()
        await socket.send(type="start_analysis", traceId=annas, sessionId=new_id(), accessToken="ben")
        assert await socket.closed_with() == 4403


async def test_g02_the_identity_is_the_tokens_and_never_the_messages(tmp_path: Path) -> None:
    """A user id in a message opens nothing, spends nobody else's quota, and writes nothing in their name."""
    plan = Plan(name="one", display_name="One", chat_sessions_limit=1, chat_sessions_period=SessionsPeriod.LIFETIME)
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent, plan=plan) as server:
        bens = (await server.upload(token="ben")).json()["trace"]["traceId"]
        async with server.session(bens, token="ben") as socket:
            await ask(socket, userId=ANNA.user_id)
            refused = await socket.next()
            assert (refused["code"], refused["field"]) == ("bad_field", "userId")
        usage = (await server.http.get("/api/v1/me/usage", headers=AS_ANNA)).json()
    assert usage["usage"]["meters"][0]["used"] == 0
    assert agent.asked == []


def test_g03_a_sessions_channel_is_read_by_its_members_and_written_by_the_server_alone(
    owner: Connection[Row],
) -> None:
    """The topic is private and of one session: a stranger who knows its name reads and writes nothing."""
    member, _, session_id = a_user_with_a_session(owner)
    stranger, _, _ = a_user_with_a_session(owner)
    topic = f"chat:{session_id}"
    owner.execute("select realtime.send('{}', 'ai_response', %s)", [topic])
    read: dict[str, int] = {}
    for user_id in (member, stranger):
        with as_user(owner, user_id, topic=topic) as api:
            read[user_id] = len(api.execute("select from realtime.messages").fetchall())
        with as_user(owner, user_id, topic=topic) as api, pytest.raises(errors.InsufficientPrivilege):
            api.execute("select realtime.send('{}', 'ai_response', %s)", [topic])
    assert read == {member: 1, stranger: 0}


@pytest.mark.parametrize("given", [None, "", "undefined", "None", "null"])
async def test_g04_without_a_secret_no_gateway_comes_in(tmp_path: Path, given: str | None) -> None:
    """A secret that was not set is not equal to one that was not sent."""
    headers = {} if given is None else {"X-Internal-Auth-Token": given}
    body = {"type": "user_prompt", "userId": ANNA.user_id, "traceId": new_id(), "sessionId": new_id(), "prompt": "?"}
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server:
        answer = await server.http.post("/api/v1/ai/process-turn", json=body, headers=headers)
    assert answer.status_code in (401, 403), answer.text
    assert agent.asked == []


@pytest.mark.parametrize("path", ["render", "render-sandwich", "render-diff"])
async def test_g05_pictures_are_drawn_for_known_people_and_within_bounds(tmp_path: Path, path: str) -> None:
    """20,000 by 20,000 pixels took 13 s and 1.6 GB there, from anybody; the model's tool has the bounds too."""
    async with running_server(tmp_path) as server:
        url, huge = f"/api/v1/{path}?name=a.txt&frameName=main", "&width=20000&height=20000"
        assert (await server.http.post(url, content=STACKS)).status_code == 401
        answer = await server.http.post(url + huge, content=STACKS, headers=AS_ANNA)
        assert answer.status_code in (400, 422), answer.text
    with pytest.raises(ToolProblem):
        validated(TOOL["generate_flamegraph_screenshot"], {"width": 20_000, "height": 20_000})


@pytest.mark.parametrize(
    "statement",
    [
        "update user_profiles set lifetime_chat_analyses_count = 0",
        "update user_subscriptions set monthly_chat_sessions_count = 0, plan_id = plan_id",
        "insert into chat_messages (session_id, position, sender) select id, 99, 'model' from chat_sessions",
        "insert into chat_turns select * from chat_turns",
    ],
)
def test_g06_a_user_changes_no_counter_and_forges_no_message(owner: Connection[Row], statement: LiteralString) -> None:
    """Whoever may write their own rows may reset their quota and put words into the model's mouth."""
    user_id, _, _ = a_user_with_a_session(owner)
    with as_user(owner, user_id) as api, pytest.raises(errors.InsufficientPrivilege):
        api.execute(statement)


def test_g07_files_and_rows_of_another_account_cannot_be_read(owner: Connection[Row]) -> None:
    """Being signed in is no reason to read: every table and bucket asks whose it is."""
    member, account_id, _ = a_user_with_a_session(owner)
    stranger, _, _ = a_user_with_a_session(owner)
    owner.execute("insert into storage.objects (bucket_id, name) values ('traces', %s)", [f"{account_id}/a"])
    seen: dict[str, list[Row]] = {}
    for user_id in (member, stranger):
        with as_user(owner, user_id) as api:
            seen[user_id] = [
                *api.execute("select name from storage.objects").fetchall(),
                *api.execute("select account_id::text from traces where account_id = %s", [account_id]).fetchall(),
                *api.execute("select sender from chat_messages where content_text = 'why?'").fetchall(),
            ]
    assert seen[member] == [(f"{account_id}/a",), (account_id,), ("user",)]
    assert seen[stranger] == [("user",)], "his own"


async def test_g08_other_sites_and_endless_prompts_are_refused(tmp_path: Path) -> None:
    """No CORS for everybody, no prompt of a megabyte."""
    async with running_server(tmp_path) as server:
        foreign = AS_ANNA | {"Origin": "https://evil.example"}
        read = await server.http.get("/api/v1/traces", headers=foreign)
        assert "access-control-allow-origin" not in read.headers
        assert (await server.http.post("/api/v1/traces", content=STACKS, headers=foreign)).status_code == 403
        async with server.session(await server.trace_id()) as socket:
            await ask(socket, "x" * 16_001)
            refused = await socket.next()
            assert (refused["code"], refused["field"]) == ("bad_field", "prompt")


@pytest.mark.parametrize("name", ["get_top_functions", "get_call_tree", "find_frames"])
async def test_g09_names_from_a_trace_reach_the_model_as_quoted_data(name: str) -> None:
    """A function may be called anything: it breaks no line, leaves no quotes, hides nothing."""
    workers = InlineTraceWorkers()
    arguments = {"pattern": "ignore"} if name == "find_frames" else {}
    outcome, _ = await run_tool(
        TOOL[name],
        arguments,
        trace=workers.hold(small_trace(hostile=True)),
        workers=workers,
        seconds=30,
        characters=6000,
    )
    assert HOSTILE not in outcome.text
    assert "\u202e" not in outcome.text
    assert not any(line.startswith("and say") for line in outcome.text.splitlines())
