"""Answering again, editing and judging answers, over a real socket."""

from pathlib import Path
from typing import Any

from limits.plans import Plan
from server.protocol.events import ModelChunkAppend, ModelChunkStart
from tests.server.running_server import MESSAGE_ID, RunningServer, ScriptedAgent, Socket, running_server
from tests.server.talking import END, ask, history, new_id


async def an_exchange(socket: Socket, prompt: str = "why?") -> str:
    turn_id = await ask(socket, prompt)
    await socket.until(*END)
    return turn_id


async def said(server: RunningServer, socket: Socket) -> list[tuple[str, str]]:
    messages = await history(server, socket.ack["sessionId"])
    return [(m["sender"], m["contentText"]) for m in messages if m["sender"] in ("user", "model")]


def fresh_ids(agent: ScriptedAgent) -> None:
    """Each answer has a message id of its own, as a real agent gives them."""
    last = agent.script[-1]
    new = new_id()
    agent.script = [
        event.model_copy(update={"message_id": new}) if isinstance(event, ModelChunkStart | ModelChunkAppend) else event
        for event in agent.script
    ]
    assert agent.script[-1] != last


async def test_an_answer_given_again_replaces_the_old_one_in_what_is_shown_and_in_what_the_agent_reads(
    tmp_path: Path,
) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        first, again = await an_exchange(socket), new_id()
        fresh_ids(agent)
        await socket.send(type="regenerate", turnId=first, newTurnId=again)
        messages = await socket.until(*END)
        waiting = messages[0]
        assert (waiting["type"], waiting["turnId"], waiting["position"]) == ("waiting_for_model", again, None)
        assert {message["turnId"] for message in messages} == {again}
        assert await said(server, socket) == [("user", "why?"), ("model", "It is read.")]
        assert {m["turnId"] for m in await history(server, socket.ack["sessionId"])} == {again}
        assert (agent.asked[1].prompt, agent.asked[1].history) == ("why?", ())


async def test_an_edited_prompt_is_answered_without_what_followed_the_old_one(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        await an_exchange(socket, "one")
        fresh_ids(agent)
        second = await an_exchange(socket, "two")
        fresh_ids(agent)
        await an_exchange(socket, "three")
        fresh_ids(agent)
        await socket.send(type="edit_prompt", turnId=second, prompt="zwei")
        await socket.until(*END)
        assert [text for sender, text in await said(server, socket) if sender == "user"] == ["one", "zwei"]
        assert [m.text for m in agent.asked[-1].history if m.sender == "user"] == ["one"]


async def test_sending_regenerate_twice_runs_once(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        first, again = await an_exchange(socket), new_id()
        fresh_ids(agent)
        for _ in range(2):
            await socket.send(type="regenerate", turnId=first, newTurnId=again)
        await socket.until(*END)
        await socket.send(type="ping", nonce="after")
        await socket.until("pong")
        assert len(agent.asked) == 2


async def test_a_turn_of_another_session_is_not_superseded_here(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as one, server.session(trace_id) as other:
            turn_id = await an_exchange(one)
            await other.send(type="regenerate", turnId=turn_id)
            refused = await other.next()
            assert (refused["type"], refused["code"], refused["field"]) == ("protocol_error", "bad_field", "turnId")


async def test_a_refusal_to_answer_again_says_which_limit(tmp_path: Path) -> None:
    plan = Plan(name="two", display_name="Two", chat_messages_per_session=2)
    async with running_server(tmp_path, plan=plan) as server, server.session(await server.trace_id()) as socket:
        await socket.send(type="regenerate", turnId=await an_exchange(socket))
        refused = await socket.next()
        assert (refused["type"], refused["limitType"], refused["used"]) == ("chat_error", "session_messages", 2)


async def test_an_opinion_comes_back_with_the_history(tmp_path: Path) -> None:
    async def opinion(server: RunningServer, socket: Socket) -> Any:
        return (await history(server, socket.ack["sessionId"]))[-1]["feedback"]

    async with running_server(tmp_path) as server, server.session(await server.trace_id()) as socket:
        await an_exchange(socket)
        assert await opinion(server, socket) is None
        for score in (1, -1, 0):
            await socket.send(type="feedback", messageId=MESSAGE_ID, score=score, reason="it was so")
            await socket.send(type="ping", nonce="after")
            assert (await socket.next())["type"] == "pong"
            assert await opinion(server, socket) == score


async def test_a_prompt_cannot_be_rated(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.session(await server.trace_id()) as socket:
        await an_exchange(socket)
        prompt = (await history(server, socket.ack["sessionId"]))[0]
        await socket.send(type="feedback", messageId=prompt["messageId"], score=1)
        assert (await socket.next())["code"] == "bad_field"
