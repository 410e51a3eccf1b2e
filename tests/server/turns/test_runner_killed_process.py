"""Several `flamechat serve` on one data folder, and the worst that can happen to one of them."""

import json
import signal
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import httpx
import pytest
import websockets

from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.running_server import Socket
from tests.server.test_serve import serving

pytestmark = pytest.mark.long

LOOKING = Reply(text="Let me look.", calls=(("get_top_functions", "{}"),))
CUT_OFF = Reply(text="half an answer that nobody ends", fault="hang")
ANSWER = Reply(text="The function `read` is what takes the time.")
END = ("model_response_end", "turn_cancelled", "turn_failed")
WAIT_S = 90
"""Only a bound: how long it takes is no test's business."""


@asynccontextmanager
async def joined(address: str, trace_id: str, session_id: str) -> AsyncIterator[Socket]:
    url = address.replace("http://", "ws://") + "/api/v1/chat"
    async with websockets.connect(url, proxy=None, max_size=None) as connection:
        socket = Socket(connection)
        await socket.send(type="start_analysis", traceId=trace_id, sessionId=session_id)
        socket.ack = await socket.next()
        yield socket


def shown(messages: list[dict[str, Any]]) -> list[str]:
    """The texts that a client shows after these messages, by message."""
    texts: dict[str, str] = {}
    for message in messages:
        if message["type"] == "turn_snapshot":
            texts = {part["messageId"]: part["text"] for part in message["messages"]}
        elif "chunk" in message:
            texts[message["messageId"]] = texts.get(message["messageId"], "")[: message["offset"]] + message["chunk"]
    return list(texts.values())


@pytest.mark.timeout(600)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_turn_whose_process_is_killed_or_stands_still_is_finished_by_another_and_shown_once(
    tmp_path: Path, how: signal.Signals
) -> None:
    session_id, turn_id = str(uuid.uuid4()), str(uuid.uuid4())
    async with openai_endpoint(LOOKING, CUT_OFF, ANSWER) as endpoint:
        environment = {"FLAMECHAT_MODEL_BASE_URL": endpoint.base_url, "FLAMECHAT_MODEL": "fake"}

        async def start(stack: Any) -> tuple[Any, str]:
            manager = serving(tmp_path / "data", **environment)
            process, address = await anyio.to_thread.run_sync(manager.__enter__)
            stack.append(manager)
            return process, address

        servers: list[Any] = []
        try:
            owner, address = await start(servers)
            async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=60) as http:
                uploaded = await http.post(
                    "/api/v1/traces", params={"name": "stacks.txt"}, content=b"main;parse;read 700\nmain;parse 200\n"
                )
                trace_id = uploaded.json()["trace"]["traceId"]
            async with joined(address, trace_id, session_id) as asking:
                await asking.send(type="user_prompt", sessionId=session_id, turnId=turn_id, prompt="why?")
                received = await asking.until("tool_result")
                received += await asking.until("model_chunk_start")
                _, elsewhere = await start(servers)
                async with joined(elsewhere, trace_id, session_id) as listening:
                    assert listening.ack["running"]["turnId"] == turn_id
                    owner.send_signal(how)
                    messages: list[dict[str, Any]] = []
                    with anyio.fail_after(WAIT_S):
                        while not messages or messages[-1]["type"] not in END:
                            messages.append(json.loads(await listening.connection.recv()))
            assert messages[-1]["type"] == "model_response_end"
            assert shown(messages) == ["Let me look.", ANSWER.text]
            assert len(endpoint.requests) == 3
            async with httpx.AsyncClient(base_url=elsewhere, trust_env=False, timeout=60) as http:
                stored = (await http.get(f"/api/v1/sessions/{session_id}/messages")).json()["messages"]
            assert [row["sender"] for row in stored] == ["user", "model", "tool_request", "tool_result", "model"]
            assert [row["contentText"] for row in stored if row["sender"] == "model"] == ["Let me look.", ANSWER.text]
        finally:
            owner.send_signal(signal.SIGCONT)
            for manager in reversed(servers):
                await anyio.to_thread.run_sync(manager.__exit__, None, None, None)


@pytest.mark.timeout(600)
async def test_a_turn_that_waits_for_the_page_goes_on_elsewhere_after_its_process_was_killed(tmp_path: Path) -> None:
    session_id, turn_id = str(uuid.uuid4()), str(uuid.uuid4())
    asking = Reply(calls=(("get_top_functions", "{}"), ("ask_person", '{"question": "Which?", "choices": ["a", "b"]}')))
    async with openai_endpoint(asking, ANSWER) as endpoint:
        environment = {"FLAMECHAT_MODEL_BASE_URL": endpoint.base_url, "FLAMECHAT_MODEL": "fake"}
        servers = [serving(tmp_path / "data", **environment) for _ in range(2)]
        started: list[Any] = []
        try:
            started = [(manager, *await anyio.to_thread.run_sync(manager.__enter__)) for manager in servers]
            (_, owner, address), (_, _, elsewhere) = started
            async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=60) as http:
                uploaded = await http.post("/api/v1/traces", params={"name": "stacks.txt"}, content=b"main;read 700\n")
                trace_id = uploaded.json()["trace"]["traceId"]
            context = {"mountedTools": [{"name": "ask_person", "version": 1}]}
            async with joined(address, trace_id, session_id) as tab:
                prompt = {"sessionId": session_id, "turnId": turn_id, "prompt": "why?", "context": context}
                await tab.send(type="user_prompt", **prompt)
                asked = (await tab.until("interrupt", *END))[-1]
                owner.send_signal(signal.SIGKILL)
            async with joined(elsewhere, trace_id, session_id) as tab:
                waiting = (await tab.until("turn_snapshot"))[-1]["interrupt"]
                assert waiting["interruptId"] == asked["interruptId"]
                result = {"status": "answered", "answer": "b"}
                with anyio.fail_after(WAIT_S):
                    await tab.send(type="resume", interruptId=waiting["interruptId"], result=result)
                    messages = await tab.until(*END)
            assert messages[-1]["type"] == "model_response_end"
            assert [one["toolName"] for one in messages if one["type"] == "tool_result"] == ["ask_person"]
            read = [one["content"] for one in endpoint.requests[1]["messages"] if one["role"] == "tool"]
            assert read[1] == 'q2: the person answers: "b"'
            assert len(endpoint.requests) == 2
        finally:
            for manager, *_ in reversed(started):
                await anyio.to_thread.run_sync(manager.__exit__, None, None, None)
