"""How turns end when something is in their way, and what stays of them."""

from pathlib import Path

import anyio
import pytest

from limits.plans import Plan, SessionsPeriod
from limits.refusals import Decision, LimitType
from server.errors import DatabaseUnavailable, LimitExceeded, ModelFailed, PromptUnavailable
from server.protocol.events import ToolResult, ToolStart
from tests.server.running_server import ANNA, ScriptedAgent, running_server, saying
from tests.server.talking import AS_ANNA, END, ask, history, new_id


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (ModelFailed("The provider is down.", code="provider_down", retryable=True), "provider_down", True),
        (PromptUnavailable("No prompt."), "config_error", False),
        (RuntimeError("secret of the trace"), "internal_error", True),
    ],
)
async def test_a_failure_ends_the_turn_with_its_reason_and_the_session_goes_on(
    tmp_path: Path, error: Exception, code: str, *, retryable: bool
) -> None:
    agent = ScriptedAgent([*saying("It is "), error])
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        await ask(socket)
        end = (await socket.until(*END))[-1]
        assert (end["type"], end["code"], end["retryable"]) == ("turn_failed", code, retryable)
        assert "secret" not in end["message"]
        rows = await history(server, socket.ack["sessionId"])
        assert [row["sender"] for row in rows] == ["user", "model", "system_event"]
        agent.script = saying("Now.")
        await ask(socket)
        assert (await socket.until(*END))[-1]["type"] == "model_response_end"
        assert [turn.is_first_answer for turn in agent.asked] == [True, True], "the first answered turn gives the title"


async def test_a_turn_past_its_time_fails_and_says_so(tmp_path: Path) -> None:
    agent = ScriptedAgent([*saying("It is "), anyio.Event()])
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        server.parts.runner._turn_seconds = 0.05
        await ask(socket)
        end = (await socket.until(*END))[-1]
        assert (end["type"], end["code"]) == ("turn_failed", "deadline")


async def test_a_limit_met_in_the_graph_is_a_chat_error_and_ends_the_turn(tmp_path: Path) -> None:
    decision = Decision(
        allowed=False,
        plan_name="free",
        messages_used=27,
        messages_limit=25,
        limit_type=LimitType.SESSION_MESSAGES,
        used=27,
        limit=25,
    )
    agent = ScriptedAgent([*saying(), LimitExceeded(decision)])
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        await ask(socket)
        messages = await socket.until(*END)
        assert [message["type"] for message in messages[-2:]] == ["chat_error", "turn_failed"]
        assert messages[-2]["errorCode"] == messages[-1]["code"] == "limit_exceeded"


async def test_a_prompt_over_the_plan_is_refused_with_its_numbers(tmp_path: Path) -> None:
    plan = Plan(
        name="tiny",
        display_name="Tiny",
        chat_messages_per_session=2,
        chat_sessions_limit=1,
        chat_sessions_period=SessionsPeriod.LIFETIME,
    )
    async with running_server(tmp_path, plan=plan) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as socket:
            await ask(socket)
            await socket.until(*END)
            await ask(socket)
            refusal = await socket.next()
            assert (refusal["type"], refusal["errorCode"]) == ("chat_error", "limit_exceeded")
            assert (refusal["limitType"], refusal["used"], refusal["limit"]) == ("session_messages", 2, 2)
            await ask(socket)
            await socket.next()
            noted = [row for row in await history(server, socket.ack["sessionId"]) if row["turnId"] is None]
            assert [(row["sender"], row["metadata"]["event"]) for row in noted] == [("system_event", "prompt_refused")]
        async with server.session(trace_id) as another:
            await ask(another)
            assert (await another.next())["limitType"] == "lifetime_analyses"
        usage = (await server.http.get("/api/v1/me/usage", headers=AS_ANNA)).json()
        sessions = usage["usage"]["meters"][0]
        assert (usage["usage"]["plan"]["name"], sessions["used"], sessions["left"]) == ("tiny", 1, 0)


async def test_an_answer_that_cannot_be_stored_is_reported_as_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_server(tmp_path) as server, server.session(await server.trace_id()) as socket:

        async def unreachable(*_: object) -> None:
            raise DatabaseUnavailable("The database cannot be reached.")

        monkeypatch.setattr(server.parts.runner._conversations, "end_turn", unreachable)
        await ask(socket)
        messages = await socket.until(*END)
        assert (messages[-1]["type"], messages[-1]["code"]) == ("turn_failed", "not_stored")


async def test_a_stopping_server_lets_a_running_answer_finish_and_begins_no_other(tmp_path: Path) -> None:
    go_on = anyio.Event()
    agent = ScriptedAgent([*saying("It is "), go_on])
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        await ask(socket, "first?")
        await socket.until("model_chunk_start")
        await ask(socket, "second?", mode="queue")
        await socket.until("waiting_for_model")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.parts.runner.drain, 5)
            await socket.send(type="ping", nonce="still served")
            await socket.until("pong")
            go_on.set()
            assert (await socket.until(*END))[-1]["type"] == "model_response_end"
        assert [turn.prompt for turn in agent.asked] == ["first?"]


async def test_a_picture_of_a_turn_is_fetched_by_its_address_and_by_its_owner_alone(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        turn_id = new_id()
        address = f"/api/v1/pictures/{turn_id}/call_1.png"
        agent.script = [
            *saying("Look: "),
            ToolStart(tool_call_id="call_1", tool_name="draw", args={"mode": "x"}, message="Drawing"),
            ToolResult(
                tool_call_id="call_1",
                tool_name="draw",
                status="success",
                result_type="image",
                text_content="drawn",
                image_url=address,
            ),
        ]
        await server.parts.objects.put("ai-snapshots", f"{ANNA.account_id}/{turn_id}/call_1.png", b"png")
        await ask(socket, turnId=turn_id)
        await socket.until(*END)
        rows = await history(server, socket.ack["sessionId"])
        assert [row["sender"] for row in rows] == ["user", "model", "tool_request", "tool_result"]
        assert rows[3]["contentImageUrl"] == address
        assert rows[2]["toolArgs"] == {"mode": "x"}
        picture = await server.http.get(address, headers=AS_ANNA)
        assert (picture.content, picture.headers["content-type"]) == (b"png", "image/png")
        assert (await server.http.get(address, headers={"Authorization": "Bearer ben"})).status_code == 404


async def test_sessions_are_renamed_removed_and_anothers_are_not_there(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.session(await server.trace_id()) as socket:
        await ask(socket)
        await socket.until(*END)
        path = f"/api/v1/sessions/{socket.ack['sessionId']}"
        as_ben = {"Authorization": "Bearer ben"}
        for answer in (
            await server.http.patch(path, json={"title": "Mine"}, headers=as_ben),
            await server.http.delete(path, headers=as_ben),
            await server.http.get(f"{path}/messages", headers=as_ben),
        ):
            assert answer.status_code == 404
        renamed = await server.http.patch(path, json={"title": "Mine"}, headers=AS_ANNA)
        assert renamed.json()["session"]["title"] == "Mine"
        assert (await server.http.delete(path, headers=AS_ANNA)).status_code == 204
        assert (await server.http.get("/api/v1/sessions", headers=AS_ANNA)).json() == {"sessions": []}


async def test_a_session_with_a_running_turn_is_not_removed(tmp_path: Path) -> None:
    go_on = anyio.Event()
    agent = ScriptedAgent([*saying("It is "), go_on])
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        await ask(socket)
        await socket.until("model_chunk_start")
        answer = await server.http.delete(f"/api/v1/sessions/{socket.ack['sessionId']}", headers=AS_ANNA)
        assert (answer.status_code, answer.json()["title"]) == (409, "Turn in progress")
        go_on.set()
        await socket.until(*END)


async def test_a_spent_month_refuses_models_and_not_the_analyst_and_says_when_it_renews(tmp_path: Path) -> None:
    plan = Plan(name="spent", display_name="Spent", monthly_cost_limit_cents=0)
    async with running_server(tmp_path, plan=plan, openai_api_key="sk-test") as server:
        async with server.session(await server.trace_id()) as socket:
            await ask(socket)
            refusal = await socket.next()
            assert (refusal["type"], refusal["limitType"], refusal["limit"]) == ("chat_error", "monthly_cost", 0)
            assert refusal["resetsAt"] is not None
            await ask(socket, model="built-in")
            assert (await socket.until(*END))[-1]["type"] == "model_response_end"
        usage = (await server.http.get("/api/v1/me/usage", headers=AS_ANNA)).json()
        assert {"limitType": "monthly_cost", "left": 0}.items() <= usage["usage"]["meters"][-1].items()
