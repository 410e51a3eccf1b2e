"""Other clients' streams over HTTP: one turn for one question, whatever a client repeats, drops or gets wrong."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import anyio
import pytest

from limits.plans import LOCAL_PLAN
from server.adapters.in_process.relay import MemoryRelay
from server.errors import ModelFailed
from tests.server.edges.streams.asking import (
    AG_UI,
    AI_SDK,
    ALL,
    CHAT,
    DATA_STREAM,
    TEXTS,
    answer,
    body,
    error_code,
    frames,
    prompts,
    streaming,
    texts,
    until,
    with_tools,
)
from tests.server.running_server import BOUND_S, ScriptedAgent, running_server, saying
from tests.server.talking import AS_ANNA, new_id


@pytest.mark.parametrize("path", ALL)
async def test_a_prompt_is_answered_and_the_same_request_again_starts_nothing(tmp_path: Path, path: str) -> None:
    agent = ScriptedAgent(with_tools())
    async with running_server(tmp_path, agent) as server:
        await server.trace_id()
        first = await answer(server, path, body(path))
        again = await answer(server, path, body(path))
        assert texts(path, frames(first)) == texts(path, frames(again)) == "".join(TEXTS)
        assert [one.prompt for one in agent.asked] == ["why?"]
        assert await prompts(server) == ["why?"]
        assert first.headers["cache-control"] == "no-cache, no-transform"


@pytest.mark.parametrize("path", ALL)
async def test_a_chat_of_the_client_is_one_session_of_this_user(tmp_path: Path, path: str) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server:
        await server.trace_id()
        await server.upload(token="ben")
        await answer(server, path, body(path))
        await answer(server, path, body(path, "and then?", message_id="m2"))
        await answer(server, path, body(path), token="ben")
        annas, annas_too, bens = (one.session_id for one in agent.asked)
        assert annas == annas_too != bens


@pytest.mark.parametrize("path", ALL)
async def test_who_asks_again_while_it_runs_follows_the_same_turn_from_its_start(tmp_path: Path, path: str) -> None:
    more = anyio.Event()
    agent = ScriptedAgent([*saying("It "), more, *saying("It ", "is.")[2:]])
    async with running_server(tmp_path, agent) as server:
        await server.trace_id()
        async with streaming(server, path, body(path)) as lines:
            await until(lines, "It ")
        async with streaming(server, path, body(path)) as lines:
            await until(lines, "It ")
            more.set()
            await until(lines, "is.")
        assert texts(path, frames(await answer(server, path, body(path)))) == "It is."
        assert len(agent.asked) == 1


async def test_a_client_whose_session_is_hung_up_on_goes_on_with_its_answer(tmp_path: Path) -> None:
    """As for another turn of the session, whose end was lost with its process."""
    more = anyio.Event()
    agent = ScriptedAgent([*saying("It "), more, *saying("It ", "is.")[2:]])
    async with running_server(tmp_path, agent) as server:
        await server.trace_id()
        relay = server.parts.services.chat.conversation._relay
        assert isinstance(relay, MemoryRelay)
        async with streaming(server, AI_SDK, body(AI_SDK)) as lines:
            await until(lines, '"delta":"It "')
            await relay.hang_up(new_id(), agent.asked[0].session_id)
            more.set()
            await until(lines, '"delta":"is."')
            await until(lines, "[DONE]")


async def test_a_page_that_comes_back_resumes_and_nothing_running_is_204(tmp_path: Path) -> None:
    more = anyio.Event()
    agent = ScriptedAgent([*saying("It "), more, *saying("It ", "is.")[2:]])
    async with running_server(tmp_path, agent) as server:
        await server.trace_id()
        again = f"{AI_SDK}/{CHAT}/stream"
        assert (await server.http.get(again, headers=AS_ANNA)).status_code == 204
        async with streaming(server, AI_SDK, body(AI_SDK)) as lines:
            await until(lines, "It ")
        async with server.http.stream("GET", again, headers=AS_ANNA) as got:
            assert got.headers["x-vercel-ai-ui-message-stream"] == "v1"
            lines = got.aiter_lines()
            await until(lines, '"delta":"It "')
            more.set()
            await until(lines, "[DONE]")
        assert (await server.http.get(again, headers=AS_ANNA)).status_code == 204
        assert (await server.http.get(f"{AI_SDK}/{new_id()}/stream", headers=AS_ANNA)).status_code == 204
        assert len(agent.asked) == 1


def again_by(path: str, **named: Any) -> dict[str, Any]:
    return body(path, trigger="regenerate-message") | named


@pytest.mark.parametrize("path", [AI_SDK, AG_UI])
async def test_an_answer_given_again_takes_the_place_of_the_first(tmp_path: Path, path: str) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server:
        await server.trace_id()
        await answer(server, path, body(path))
        got = await answer(server, path, again_by(path))
        assert texts(path, frames(got)) == "It is read."
        first, second = (one.turn_id for one in agent.asked)
        assert first != second
        assert await prompts(server) == ["why?"]
        edited = await answer(server, path, body(path, "why so slow?"))
        assert texts(path, frames(edited)) == "It is read."
        await answer(server, path, body(path, "why so slow?"))
        assert await prompts(server) == ["why so slow?"]
        assert len(agent.asked) == 3


async def test_two_that_give_the_same_answer_again_follow_one_turn(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server:
        await server.trace_id()
        first = frames(await answer(server, AI_SDK, body(AI_SDK)))[0]["messageId"]
        sent = again_by(AI_SDK, messageId=first)
        got: list[Any] = []

        async def ask() -> None:
            got.append(frames(await answer(server, AI_SDK, sent)))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            tasks.start_soon(ask)
        late = frames(await answer(server, AI_SDK, sent))
        assert {one[0]["messageId"] for one in [*got, late]} == {agent.asked[1].turn_id}
        assert len(agent.asked) == 2


async def test_assistant_ui_sends_no_trigger_and_asks_again_by_the_same_parent(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server:
        await server.trace_id()
        content = [{"type": "text", "text": "why?"}]
        sent = {"id": CHAT, "parentId": "p1", "messages": [{"role": "user", "content": content}]}
        await answer(server, DATA_STREAM, sent)
        await answer(server, DATA_STREAM, sent)
        assert len(agent.asked) == 2
        assert await prompts(server) == ["why?"]


@pytest.mark.parametrize("path", ALL)
async def test_a_failed_turn_and_a_stopped_one_end_in_the_clients_way(tmp_path: Path, path: str) -> None:
    never = anyio.Event()
    agent = ScriptedAgent([ModelFailed("The provider is away.", code="model_failed")])
    async with running_server(tmp_path, agent) as server:
        await server.trace_id()
        failed = frames(await answer(server, path, body(path)))
        assert error_code(path, failed) == "model_failed"
        assert "The provider is away." in json.dumps(failed)
        assert error_code(path, frames(await answer(server, path, body(path)))) in ("model_failed", "turn_failed")
        agent.script = [*saying("It "), never]
        async with streaming(server, path, body(path, "more?", message_id="m2")) as lines:
            await until(lines, "It ")
            turn_id = agent.asked[-1].turn_id
            stopped = await server.http.post(f"/api/v1/turns/{turn_id}/cancel", headers=AS_ANNA)
            assert stopped.status_code == 204
            ends = {AI_SDK: '"abort"', DATA_STREAM: '"finishReason":"other"', AG_UI: '"cancelled"'}
            await until(lines, ends[path])
        late = await server.http.post(f"/api/v1/turns/{turn_id}/cancel", headers=AS_ANNA)
        assert late.status_code == 204


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("not_found", {"traceId": new_id()}),
    ("bad_field", {"model": "none-such"}),
]


@pytest.mark.parametrize("path", ALL)
async def test_what_is_refused_is_an_error_frame_and_leaves_nothing(tmp_path: Path, path: str) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server:
        assert error_code(path, frames(await answer(server, path, body(path)))) == "bad_field"
        await server.trace_id()
        for code, named in REFUSED:
            assert error_code(path, frames(await answer(server, path, body(path, **named)))) == code
        assert error_code(path, frames(await answer(server, path, body(path, "x" * 16_001)))) == "bad_field"
        assert error_code(path, frames(await answer(server, path, body(path, "  ")))) == "bad_field"
        half = await server.http.post(path, content=json.dumps(body(path, "why \ud83d")).encode(), headers=AS_ANNA)
        assert error_code(path, frames(half)) == "bad_field"
        assert "half of a character" in half.text
        history = [{"id": f"h{number}", "role": "user", "content": "x" * 10_000} for number in range(1_000)]
        long = body(path)
        long["messages"] = history + long["messages"]
        assert error_code(path, frames(await answer(server, path, long))) == "bad_field"
        got = await server.http.post(path, content=b'{"messages": [' + b"[" * 100_000, headers=AS_ANNA)
        assert error_code(path, frames(got)) == "bad_field"
        assert agent.asked == []
        assert await prompts(server) == []
        assert (await server.http.post(path, json=body(path))).status_code == 401


@pytest.mark.parametrize("path", ALL)
async def test_a_limit_and_a_turn_that_runs_refuse_with_our_codes(tmp_path: Path, path: str) -> None:
    more = anyio.Event()
    agent = ScriptedAgent([*saying("It "), more])
    async with running_server(tmp_path, agent, plan=replace(LOCAL_PLAN, chat_messages_per_session=1)) as server:
        await server.trace_id()
        async with streaming(server, path, body(path)) as lines:
            await until(lines, "It ")
            busy = frames(await answer(server, path, body(path, "and?", message_id="m2")))
            assert error_code(path, busy) == "turn_in_progress"
            more.set()
            await until(lines, "[DONE]" if path == AI_SDK else "d:" if path == DATA_STREAM else "RUN_FINISHED")
        refused = frames(await answer(server, path, body(path, "and?", message_id="m2")))
        assert error_code(path, refused) == "limit_exceeded"
        assert '"limitType": "session_messages"' in json.dumps(refused)
        assert len(agent.asked) == 1


@pytest.mark.parametrize("path", ALL)
async def test_another_users_chat_and_turn_open_nothing(tmp_path: Path, path: str) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server:
        trace_id = await server.trace_id()
        await server.upload(token="ben")
        await answer(server, path, body(path))
        annas = agent.asked[0]
        for named in ({"chat": annas.session_id}, {"chat": annas.session_id, "traceId": trace_id}):
            got = frames(await answer(server, path, body(path, **named), token="ben"))
            assert error_code(path, got) == "not_found"
        if path == AI_SDK:
            theirs = again_by(path, messageId=annas.turn_id)
            bens = frames(await answer(server, path, theirs, token="ben"))
            assert bens[0]["messageId"] != annas.turn_id
            again = f"{AI_SDK}/{annas.session_id}/stream"
            assert (await server.http.get(again, headers={"Authorization": "Bearer ben"})).status_code == 204
        assert await prompts(server) == ["why?"]


async def test_a_stream_takes_a_place_of_its_user_and_gives_it_back(tmp_path: Path) -> None:
    more = anyio.Event()
    agent = ScriptedAgent([*saying("It "), more])
    async with running_server(tmp_path, agent, sockets_per_user=1) as server:
        await server.trace_id()
        places = server.parts.services.socket.sockets
        async with streaming(server, AI_SDK, body(AI_SDK)) as lines:
            await until(lines, "It ")
            other = body(AI_SDK, chat="another")
            with anyio.fail_after(BOUND_S):
                assert error_code(AI_SDK, frames(await answer(server, AI_SDK, other))) == "busy"
            assert len(places) == 1
        with anyio.fail_after(60):
            while len(places):
                await anyio.lowlevel.checkpoint()
        more.set()
        assert texts(AI_SDK, frames(await answer(server, AI_SDK, body(AI_SDK)))) == "It "
        assert len(places) == 0


async def none_is_made(*_: object, **__: object) -> NoReturn:
    raise AssertionError("a session was made")


@pytest.mark.parametrize("named", [{"model": "none-such"}, {}])
async def test_no_session_is_made_for_a_refused_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: dict[str, str]
) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent, plan=replace(LOCAL_PLAN, chat_messages_per_session=0)) as server:
        await server.trace_id()
        monkeypatch.setattr(server.parts.services.chat.conversation, "open", none_is_made)
        chat = new_id()
        got = frames(await answer(server, AI_SDK, body(AI_SDK, chat=chat, **named)))
        assert error_code(AI_SDK, got) == ("bad_field" if named else "limit_exceeded")
        gone = await server.http.get(f"/api/v1/sessions/{chat}/messages", headers=AS_ANNA)
        assert gone.status_code == 404
        assert agent.asked == []
