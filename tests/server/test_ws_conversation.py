"""The conversation over a real WebSocket, with an agent that does what the test wrote."""

import json
import uuid
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
import websockets

from limits.decisions import Decision, LimitType
from limits.plans import Plan, SessionsPeriod
from server.edges.ws.bounds import MAX_MESSAGE_BYTES
from server.errors import DatabaseUnavailable, LimitExceeded, ModelFailed, PromptUnavailable
from server.protocol.events import ToolResult, ToolStart
from server.protocol.server import SERVER_MESSAGE
from tests.server.running_server import ANNA, MESSAGE_ID, RunningServer, ScriptedAgent, Socket, running_server, saying

AS_ANNA = {"Authorization": "Bearer anna"}
END = ("model_response_end", "turn_cancelled", "turn_failed")


def new_id() -> str:
    return str(uuid.uuid4())


async def ask(socket: Socket, prompt: str = "why?", **more: Any) -> str:
    """Send a prompt; returns its turn's id."""
    turn_id = new_id()
    message = {"type": "user_prompt", "sessionId": socket.ack["sessionId"], "prompt": prompt, "turnId": turn_id}
    await socket.send(**message | more)
    return turn_id


def told(messages: list[dict[str, Any]]) -> str:
    """The text of an answer, applied as a client does."""
    text = ""
    for message in messages:
        if message["type"] == "turn_snapshot":
            text = "".join(part["text"] for part in message["messages"])
        elif message["type"] in ("model_chunk_start", "model_chunk_append"):
            text = text[: message["offset"]] + message["chunk"]
    return text


def sequence(messages: list[dict[str, Any]]) -> list[int]:
    return [message["seq"] for message in messages if "seq" in message]


async def history(server: RunningServer, session_id: str) -> list[dict[str, Any]]:
    answer = await server.http.get(f"/api/v1/sessions/{session_id}/messages", headers=AS_ANNA)
    messages: list[dict[str, Any]] = answer.json()["messages"]
    return messages


async def test_opening_a_session_costs_nothing_and_starts_nothing(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        assert "read" in json.dumps(socket.ack["opening"])
        assert socket.ack["opening"]["suggestions"]
        assert (socket.ack["history"], socket.ack["running"]) == ([], None)
        assert socket.ack["limits"]["messagesUsed"] == 0
        await socket.send(type="ping", nonce="n1")
        assert await socket.next() == {"type": "pong", "nonce": "n1"}
        assert agent.asked == []


async def test_a_prompt_is_answered_told_and_stored(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        turn_id = await ask(socket, "why is this slow?")
        messages = await socket.until(*END)
        assert [message["type"] for message in messages[:2]] == ["waiting_for_model", "turn_started"]
        assert [message["type"] for message in messages[-2:]] == ["session_title", "model_response_end"]
        assert told(messages) == "It is read."
        assert sequence(messages) == list(range(1, len(messages)))
        assert {message["turnId"] for message in messages} == {turn_id}
        for message in messages:
            SERVER_MESSAGE.validate_python(message)
        session_id = socket.ack["sessionId"]
        rows = await history(server, session_id)
        assert [(row["sender"], row["contentText"]) for row in rows] == [
            ("user", "why is this slow?"),
            ("model", "It is read."),
        ]
        assert rows[1]["metadata"]["suggestions"] == ["And then?"]
        sessions = (await server.http.get("/api/v1/sessions", headers=AS_ANNA)).json()["sessions"]
        assert [(row["sessionId"], row["title"]) for row in sessions] == [(session_id, "Slow read")]


async def test_a_session_may_begin_with_its_prompt(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.socket() as socket:
        turn_id = new_id()
        await socket.send(
            type="start_analysis",
            traceId=await server.trace_id(),
            sessionId=new_id(),
            accessToken="anna",
            prompt="why?",
            turnId=turn_id,
        )
        messages = await socket.until(*END)
        assert messages[0]["type"] == "connection_ack"
        assert messages[-1]["turnId"] == turn_id


async def test_the_second_prompt_carries_the_first_turn_as_history(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        await ask(socket, "first?")
        await socket.until(*END)
        await ask(socket, "second?", context={"view": "left_heavy", "selection": "f1"})
        await socket.until(*END)
        first, second = agent.asked
        assert first.is_first_turn
        assert not second.is_first_turn
        assert [row.text for row in second.history] == ["first?", "It is read."]
        assert second.viewer.selection == "f1"


async def test_what_the_person_looks_at_reaches_the_agent(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        window = {"start": 1.0, "end": 2.0}
        await socket.send(type="viewer_context", view="sandwich", window=window, mountedTools=["show_in_viewer"])
        await ask(socket)
        await socket.until(*END)
        viewer = agent.asked[0].viewer
        assert (viewer.view, *viewer.mounted_tools) == ("sandwich", "show_in_viewer")
        assert viewer.window is not None
        assert viewer.window.end == 2.0


async def test_a_running_answer_can_be_stopped_and_what_it_said_is_kept(tmp_path: Path) -> None:
    agent = ScriptedAgent([*saying("It is "), anyio.Event()])
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        turn_id = await ask(socket)
        await socket.until("model_chunk_start")
        await socket.send(type="cancel_turn", turnId=turn_id)
        end = (await socket.until(*END))[-1]
        assert (end["type"], end["messageId"]) == ("turn_cancelled", MESSAGE_ID)
        rows = await history(server, socket.ack["sessionId"])
        assert [(row["sender"], row["contentText"]) for row in rows[:2]] == [("user", "why?"), ("model", "It is ")]
        assert rows[1]["metadata"]["partial"] is True
        assert rows[2]["sender"] == "system_event"
        agent.script = saying("Now.")
        await ask(socket)
        assert (await socket.until(*END))[-1]["type"] == "model_response_end"


async def test_cancelling_a_turn_that_has_ended_changes_nothing(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.session(await server.trace_id()) as socket:
        turn_id = await ask(socket)
        await socket.until(*END)
        await socket.send(type="cancel_turn", turnId=turn_id)
        await socket.send(type="ping", nonce="after")
        assert (await socket.next())["type"] == "pong"
        assert len(await history(server, socket.ack["sessionId"])) == 2


async def test_a_second_prompt_meanwhile_is_refused_or_waits(tmp_path: Path) -> None:
    go_on = anyio.Event()
    agent = ScriptedAgent([*saying("It is "), go_on])
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        await ask(socket, "first?")
        await socket.until("model_chunk_start")
        await ask(socket, "refused?")
        assert (await socket.next())["code"] == "turn_in_progress"
        waiting = await ask(socket, "waits?", mode="queue")
        assert await socket.next() == {"type": "waiting_for_model", "turnId": waiting, "position": 1}
        cancelled = await ask(socket, "never runs?", mode="queue")
        assert (await socket.next())["position"] == 2
        await socket.send(type="cancel_turn", turnId=cancelled)
        assert (await socket.next())["type"] == "turn_cancelled"
        go_on.set()
        await socket.until("model_response_end")
        assert (await socket.until("model_response_end"))[-1]["turnId"] == waiting
        assert [turn.prompt for turn in agent.asked] == ["first?", "waits?"]
        assert [row.text for row in agent.asked[1].history][:2] == ["first?", "It is "]


async def test_the_same_turn_id_twice_is_one_turn(tmp_path: Path) -> None:
    go_on = anyio.Event()
    agent = ScriptedAgent([*saying("It is "), go_on])
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        turn_id = await ask(socket)
        await socket.until("model_chunk_start")
        await ask(socket, turnId=turn_id)
        assert (await socket.next())["type"] == "waiting_for_model"
        go_on.set()
        await socket.until("model_response_end")
        await ask(socket, turnId=turn_id)
        await socket.send(type="ping", nonce="after")
        assert (await socket.next())["type"] == "pong"
        assert len(agent.asked) == 1
        assert len(await history(server, socket.ack["sessionId"])) == 2


async def test_a_turn_runs_on_without_listeners_and_a_returning_one_misses_nothing(tmp_path: Path) -> None:
    go_on = anyio.Event()
    agent = ScriptedAgent([*saying("It ", "is "), go_on, *saying("It is ", "read.")[1:]])
    agent.script = [*saying("It is "), go_on, saying("It is ", "read.")[2]]
    async with running_server(tmp_path, agent) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as socket:
            turn_id = await ask(socket)
            await socket.until("model_chunk_start")
            session_id = socket.ack["sessionId"]
        async with server.session(trace_id, session_id=session_id) as again:
            assert again.ack["running"]["turnId"] == turn_id
            assert [row["sender"] for row in again.ack["history"]] == ["user"]
            snapshot = await again.next()
            assert (snapshot["type"], snapshot["seq"]) == ("turn_snapshot", again.ack["running"]["seq"])
            go_on.set()
            messages = [snapshot, *await again.until(*END)]
            assert sequence(messages) == list(range(snapshot["seq"], snapshot["seq"] + len(messages)))
            assert told(messages) == "It is read."
        assert len(agent.asked) == 1


async def test_a_turn_that_ended_while_nobody_listened_is_in_the_history(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as socket:
            await ask(socket)
            await socket.until(*END)
            session_id = socket.ack["sessionId"]
        async with server.session(trace_id, session_id=session_id) as again:
            assert again.ack["running"] is None
            assert [row["contentText"] for row in again.ack["history"]] == ["why?", "It is read."]


async def test_two_sockets_of_a_session_hear_the_same(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        async with (
            server.session(trace_id) as first,
            server.session(trace_id, session_id=first.ack["sessionId"]) as second,
        ):
            await ask(first)
            by_first, by_second = await first.until(*END), await second.until(*END)
            assert by_first[1:] == by_second


async def test_a_listener_who_does_not_read_slows_nobody_and_still_learns_the_end(tmp_path: Path) -> None:
    more_than_any_socket_buffer = [
        step
        for number in range(60)
        for step in (
            ToolStart(tool_call_id=f"c{number}", tool_name="t", args={}, message="m"),
            ToolResult(
                tool_call_id=f"c{number}",
                tool_name="t",
                status="success",
                result_type="text",
                text_content=str(number % 10) * 300_000,
            ),
        )
    ]
    agent = ScriptedAgent([*saying("It "), *more_than_any_socket_buffer])
    async with running_server(tmp_path, agent) as server:
        trace_id = await server.trace_id()
        async with (
            server.session(trace_id) as quick,
            server.session(trace_id, session_id=quick.ack["sessionId"]) as slow,
        ):
            await ask(quick)
            results = [message for message in await quick.until(*END) if message["type"] == "tool_result"]
            assert len(results) == 60
            assert (await slow.until(*END))[-1]["type"] == "model_response_end"


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (ModelFailed("The provider is down.", code="provider_down", retryable=True), "provider_down", True),
        (PromptUnavailable("No prompt."), "prompt_unavailable", True),
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
        async with server.session(trace_id) as another:
            await ask(another)
            assert (await another.next())["limitType"] == "lifetime_analyses"
        usage = (await server.http.get("/api/v1/me/usage", headers=AS_ANNA)).json()
        assert (usage["planName"], usage["sessionsUsed"], usage["sessionsLimit"]) == ("tiny", 1, 1)


async def test_an_answer_that_cannot_be_stored_is_told_as_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        await server.parts.services.objects.put("ai-snapshots", f"{ANNA.account_id}/{turn_id}/call_1.png", b"png")
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


async def first_message(server: RunningServer, **message: Any) -> Socket:
    async with server.socket() as socket:
        await socket.send(**message)
        return socket


@pytest.mark.parametrize("token", [None, "mallory"])
async def test_a_socket_without_a_good_identity_is_closed_4401(tmp_path: Path, token: str | None) -> None:
    async with running_server(tmp_path) as server, server.socket() as socket:
        trace_id = await server.trace_id()
        await socket.send(type="start_analysis", traceId=trace_id, sessionId=new_id(), accessToken=token)
        assert await socket.closed_with() == 4401


async def test_a_socket_may_bring_its_token_in_its_handshake(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.socket(Authorization="Bearer anna") as socket:
        await socket.send(type="start_analysis", traceId=await server.trace_id(), sessionId=new_id())
        assert (await socket.next())["type"] == "connection_ack"


async def test_anothers_trace_or_session_closes_4403(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as annas, server.socket() as socket:
            await socket.send(
                type="start_analysis", traceId=trace_id, sessionId=annas.ack["sessionId"], accessToken="ben"
            )
            assert await socket.closed_with() == 4403
        bens = (await server.upload(token="ben")).json()["trace"]["traceId"]
        async with server.session(trace_id) as annas, server.socket() as socket:
            await ask(annas)
            await annas.until(*END)
            await socket.send(type="start_analysis", traceId=bens, sessionId=annas.ack["sessionId"], accessToken="ben")
            assert await socket.closed_with() == 4403


async def test_silence_is_closed_4408(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.edges.ws.socket.FIRST_MESSAGE_S", 0.05)
    async with running_server(tmp_path) as server, server.socket() as socket:
        await socket.connection.send("not json")
        assert (await socket.next())["code"] == "bad_json"
        assert await socket.closed_with() == 4408


async def test_too_large_a_message_is_closed_1009(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.socket() as socket:
        await socket.connection.send("x" * (MAX_MESSAGE_BYTES + 1))
        assert await socket.closed_with() == 1009


@pytest.mark.parametrize(
    ("sent", "code", "field"),
    [
        ("{", "bad_json", None),
        ("[]", "bad_json", None),
        ('{"type": "teleport"}', "unknown_type", "type"),
        ('{"type": "ping"}', "bad_field", "nonce"),
        ('{"type": "ping", "nonce": "x", "more": 1}', "bad_field", "more"),
        ('{"type": "user_prompt", "sessionId": "s", "prompt": ""}', "bad_field", "prompt"),
        ('{"type": "user_prompt", "sessionId": "another", "prompt": "x"}', "bad_field", "sessionId"),
        ('{"type": "cancel_turn", "turnId": "nothing"}', "not_found", None),
        ('{"type": "regenerate", "turnId": "t"}', "not_supported", None),
        ('{"type": "edit_prompt", "turnId": "t", "prompt": "x"}', "not_supported", None),
        ('{"type": "feedback", "messageId": "m", "score": 1}', "not_supported", None),
    ],
)
async def test_a_message_that_cannot_be_accepted_is_answered_and_the_socket_stays_open(
    tmp_path: Path, sent: str, code: str, field: str | None
) -> None:
    async with running_server(tmp_path) as server, server.session(await server.trace_id()) as socket:
        await socket.connection.send(sent)
        error = await socket.next()
        assert (error["type"], error["code"], error["field"]) == ("protocol_error", code, field)
        await socket.send(type="ping", nonce="still here")
        assert (await socket.next())["type"] == "pong"


@pytest.mark.parametrize("field", ["userId", "traceId"])
async def test_a_user_or_trace_that_is_not_the_sessions_is_refused(tmp_path: Path, field: str) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        await ask(socket, **{field: new_id()})
        error = await socket.next()
        assert (error["code"], error["field"]) == ("bad_field", field)
        assert agent.asked == []


async def test_a_fresh_token_of_the_same_user_is_taken_and_anothers_closes(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.session(await server.trace_id()) as socket:
        await socket.send(type="authenticate", accessToken="anna")
        await socket.send(type="ping", nonce="x")
        assert (await socket.next())["type"] == "pong"
        await socket.send(type="authenticate", accessToken="ben")
        assert await socket.closed_with() == 4401


async def test_one_socket_may_move_to_another_session(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as socket:
            left = socket.ack["sessionId"]
            await socket.send(type="start_analysis", traceId=trace_id, sessionId=new_id())
            socket.ack = await socket.next()
            async with server.session(trace_id, session_id=left) as other:
                await ask(other)
                await other.until(*END)
            turn_id = await ask(socket)
            messages = await socket.until(*END)
            assert {message["turnId"] for message in messages} == {turn_id}


async def test_the_server_may_stop_while_sockets_are_open(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        url = server.address.replace("http", "ws") + "/api/v1/chat"
        connection = await websockets.connect(url, proxy=None)
    with anyio.fail_after(5):
        await connection.wait_closed()
    assert connection.close_code == 1012
    with pytest.raises(httpx.ConnectError):
        await httpx.AsyncClient(trust_env=False).get(server.address)
