"""The conversation over a real WebSocket, with an agent that does what the test wrote."""

import json
from pathlib import Path

import anyio

from server.protocol.events import ToolResult, ToolStart
from server.protocol.server import SERVER_MESSAGE
from tests.server.running_server import MESSAGE_ID, ScriptedAgent, running_server, saying
from tests.server.talking import AS_ANNA, END, answer_text, ask, history, new_id, sequence


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


async def test_a_prompt_is_answered_sent_and_stored(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        turn_id = await ask(socket, "why is this slow?")
        messages = await socket.until(*END)
        assert [message["type"] for message in messages[:2]] == ["waiting_for_model", "turn_started"]
        assert [message["type"] for message in messages[-2:]] == ["session_title", "model_response_end"]
        assert answer_text(messages) == "It is read."
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
        assert first.is_first_answer
        assert not second.is_first_answer
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
        waits = await socket.next()
        assert (waits["type"], waits["turnId"], waits["position"]) == ("waiting_for_model", waiting, 1)
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
            assert answer_text(messages) == "It is read."
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


async def test_two_sockets_of_a_session_receive_the_same(tmp_path: Path) -> None:
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
