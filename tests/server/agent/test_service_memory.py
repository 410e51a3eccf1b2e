"""What goes wrong elsewhere, and must not here: the agent and what it remembers. The numbers are those of the list that
this product was planned against; each test says what its item means for us.
"""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from server.agent.bounds import AgentBounds
from server.errors import ModelFailed
from server.ports.conversations import MessageRow, Sender
from server.settings import load_settings
from server.testing.scripted import Line, ScriptedChat, ScriptedModels
from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.agent.turns import endpoint_models, stage
from tests.server.running_server import ScriptedAgent, running_server, saying
from tests.server.talking import END, ask, history

ROOT = Path(__file__).parents[3]
LOOK = Line(calls=(("get_trace_summary", "{}"),), finish_reason="tool_calls")


def row(turn: int, sender: Sender, text: str, **more: Any) -> MessageRow:
    return MessageRow(
        message_id=f"{turn}-{sender}-{more.get('tool_call_id')}",
        sender=sender,
        text=text,
        session_id="s",
        turn_id=f"turn {turn}",
        position=turn,
        created_at=datetime(2026, 1, 2, tzinfo=UTC),
        **more,
    )


def earlier(turns: int) -> tuple[MessageRow, ...]:
    return tuple(
        one
        for turn in range(turns)
        for one in (row(turn, Sender.USER, f"question {turn}?"), row(turn, Sender.MODEL, f"answer {turn}."))
    )


async def sent_to_the_model(rows: tuple[MessageRow, ...]) -> list[Any]:
    """What a model is asked with after this history."""
    chat = ScriptedChat(lines=[Line(text="It is parse_json.")])
    scene = stage(ScriptedModels(chat), history=rows, prompt="And now?", is_first_answer=False)
    await scene.agent.answer(scene.turn, scene.sink)
    return list(chat.requests[0].messages)


async def test_g15_a_long_conversation_ends_with_the_new_prompt_for_the_model(tmp_path: Path) -> None:
    """However long the history, the model reads the prompt and the newest turns before it: the oldest go."""
    messages = await sent_to_the_model(earlier(400))
    texts = [message.text for message in messages]
    assert texts[-1].startswith("And now?")
    assert {"question 399?", "answer 399."} <= set(texts)


async def test_g15_a_client_that_joins_is_shown_the_newest_messages(tmp_path: Path) -> None:
    """A page of history ends with what was said last."""
    async with running_server(tmp_path) as server, server.session(await server.trace_id()) as socket:
        for number in range(6):
            await ask(socket, f"{number}?")
            await socket.until(*END)
        url = f"/api/v1/sessions/{socket.ack['sessionId']}/messages?limit=3"
        shown = (await server.http.get(url, headers={"Authorization": "Bearer anna"})).json()["messages"]
    assert [one["contentText"] for one in shown] == ["It is read.", "5?", "It is read."]


async def test_g16_a_picture_of_an_earlier_turn_is_remembered_in_its_own_words() -> None:
    """What a tool said then is what the model reads later, not that it failed."""
    call = {"tool_name": "generate_flamegraph_screenshot", "tool_call_id": "c"}
    rows = (
        row(0, Sender.USER, "Show me."),
        row(0, Sender.TOOL_REQUEST, "", tool_args={"mode": "left_heavy"}, **call),
        row(0, Sender.TOOL_RESULT, "A left heavy chart: main takes all.", image_path="a/t/c.png", **call),
        row(0, Sender.MODEL, "There."),
    )
    answered = [message for message in await sent_to_the_model(rows) if isinstance(message, ToolMessage)]
    assert [(message.text, message.status) for message in answered] == [
        ("A left heavy chart: main takes all.", "success")
    ]


async def test_g17_parallel_tool_calls_are_answered_side_by_side_and_the_picture_comes_after_them() -> None:
    """A provider refuses a message between the answers to one round of calls."""
    both = (("generate_flamegraph_screenshot", "{}"), ("get_top_functions", "{}"))
    async with openai_endpoint(Reply(calls=(*both, both[0])), Reply(text="It is main.")) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        await scene.agent.answer(scene.turn, scene.sink)
    assert endpoint.roles(1)[2:] == ["assistant", "tool", "tool", "tool", "user"]
    assert len(endpoint.pictures(1)) == 2


async def test_g18_a_call_that_never_got_its_result_does_not_spoil_what_follows() -> None:
    """A crash between a request and its result leaves a row that no later prompt stumbles over."""
    rows = (
        row(0, Sender.USER, "Why?"),
        row(0, Sender.TOOL_REQUEST, "", tool_name="find_frames", tool_call_id="lost", tool_args={}),
        row(1, Sender.USER, "Why now?"),
        row(1, Sender.TOOL_RESULT, "of a call that is not there", tool_name="find_frames", tool_call_id="stray"),
        row(1, Sender.MODEL, "Because."),
    )
    messages = await sent_to_the_model(rows)
    for place, message in enumerate(messages):
        if isinstance(message, AIMessage):
            following = messages[place + 1 : place + 1 + len(message.tool_calls)]
            answered = [one.tool_call_id for one in following if isinstance(one, ToolMessage)]
            assert answered == [call["id"] for call in message.tool_calls]
    assert not any(call["id"] == "lost" for one in messages if isinstance(one, AIMessage) for call in one.tool_calls)
    assert isinstance(messages[-1], HumanMessage)


async def test_g19_a_model_that_only_calls_tools_is_made_to_answer() -> None:
    """The rounds end, and the last call offers no tools: an answer comes of what is known."""
    chat = ScriptedChat(lines=[LOOK, LOOK, Line(text="As far as known, parse_json.")])
    scene = stage(ScriptedModels(chat), bounds=AgentBounds(tool_rounds=2))
    assert (await scene.agent.answer(scene.turn, scene.sink)).text == "As far as known, parse_json."
    assert [bool(request.tools) for request in chat.requests] == [True, True, False]


async def test_g19_a_model_that_will_not_stop_ends_the_turn_in_words_for_people() -> None:
    """No library's text about its recursion reaches anybody."""
    scene = stage(ScriptedModels(ScriptedChat(lines=[LOOK] * 9)), bounds=AgentBounds(tool_rounds=2))
    with pytest.raises(ModelFailed) as failed:
        await scene.agent.answer(scene.turn, scene.sink)
    assert not re.search("recursion|langgraph|GRAPH_", str(failed.value), flags=re.IGNORECASE)


@pytest.mark.parametrize("error", [ModelFailed("The provider is down."), RuntimeError("a fault")])
async def test_g20_one_failure_is_sent_once_and_nothing_follows_it(tmp_path: Path, error: Exception) -> None:
    """Exactly one event ends a turn: no second error, no end after it."""
    agent = ScriptedAgent([*saying("It "), error])
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        await ask(socket)
        messages = await socket.until(*END)
        await socket.send(type="ping", nonce="after")
        messages += await socket.until("pong")
        stored = await history(server, socket.ack["sessionId"])
    types = [message["type"] for message in messages]
    assert types[-2:] == ["turn_failed", "pong"]
    assert (
        len({"turn_failed", "model_response_end", "turn_cancelled", "chat_error", "protocol_error"} & set(types)) == 1
    )
    assert types.count("turn_failed") == 1
    assert [one["sender"] for one in stored].count("system_event") == 1


async def test_g21_a_turn_needs_no_service_besides_its_model_and_writes_no_input_anywhere(tmp_path: Path) -> None:
    """No prompt store, no tracing, no folder of some developer's: without settings there is none of it."""
    settings = load_settings(data=tmp_path)
    assert (settings.debug_messages_dir, settings.langfuse_public_key, settings.langfuse_secret_key) == (
        None,
        None,
        None,
    )
    async with openai_endpoint(Reply(text="It is main.")) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url))
        assert (await scene.agent.answer(scene.turn, scene.sink)).text == "It is main."
    assert list(tmp_path.iterdir()) == []
    of_a_home = re.compile(r"[\"'](/Users/|/home/|C:\\\\Users)")
    rooms = [path for room in ("server", "limits", "traces", "rendering") for path in (ROOT / room).rglob("*.py")]
    assert [path.name for path in rooms if of_a_home.search(path.read_text(encoding="utf-8"))] == []
