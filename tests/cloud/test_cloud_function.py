"""The edge function `trace-analysis-socket` in a real Deno, between a browser's WebSocket and a server."""

import asyncio
import contextlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
import websockets

from limits.plans import LOCAL_PLAN
from tests.cloud.node import WEB, needs_supabase_js
from tests.cloud.people import ProjectKeys, person_id
from tests.cloud.published_turns import broadcasts_until_end, events_of
from tests.cloud.team_server import SECRET, TeamServer, team_server
from tests.server.running_server import STACKS
from tests.server.talking import answer_text, new_id

FUNCTION = Path(__file__).parents[2] / "supabase" / "functions" / "trace-analysis-socket"
DENO = os.environ.get("DENO") or shutil.which("deno")
START_S = 60

pytestmark = [
    needs_supabase_js,
    pytest.mark.skipif(DENO is None, reason="no deno on PATH, nor in DENO (npm has it as `deno`)"),
]


class Browser:
    """A browser's end of the socket."""

    def __init__(self, connection: websockets.ClientConnection) -> None:
        self.connection = connection

    async def send(self, **message: Any) -> None:
        await self.connection.send(json.dumps(message))

    async def next(self) -> dict[str, Any]:
        with anyio.fail_after(60):
            message: dict[str, Any] = json.loads(await self.connection.recv())
            return message

    async def closed_with(self) -> int | None:
        with anyio.fail_after(60), contextlib.suppress(websockets.ConnectionClosedError):
            async for _ in self.connection:
                pass
        return self.connection.close_code


@asynccontextmanager
async def function(team: TeamServer, tmp_path: Path, *, secret: str = SECRET) -> AsyncIterator[str]:
    """Run it as Supabase does, its package taken from the page's; gives its address."""
    place = tmp_path / "function"
    shutil.copytree(FUNCTION, place)
    (place / "package.json").write_text('{"dependencies": {"@supabase/supabase-js": "2.119.1"}}')
    (place / "node_modules").symlink_to(WEB / "node_modules")
    process = await asyncio.create_subprocess_exec(
        *(str(DENO), "run", "--no-remote", "--node-modules-dir=manual", "--no-lock"),
        *("--allow-net", "--allow-env", "--allow-read", "index.ts"),
        cwd=place,
        env={
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(tmp_path),
            "DENO_SERVE_ADDRESS": "tcp:127.0.0.1:0",
            "NO_COLOR": "1",
            "SUPABASE_URL": team.supabase.url,
            "SUPABASE_PUBLISHABLE_KEYS": json.dumps({"default": team.supabase.keys.api_key("anon")}),
            "FLAMECHAT_URL": team.server.address,
            "PROCESS_AI_TURN_SECRET": secret,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        assert process.stdout is not None
        said = ""
        with anyio.fail_after(START_S):
            while not (found := re.search(r"http://[^/:]+:(\d+)", said)):
                line = await process.stdout.readline()
                assert line, f"deno ended: {said}"
                said += line.decode()
        yield f"ws://127.0.0.1:{found[1]}/functions/v1/trace-analysis-socket"
    finally:
        process.kill()
        await process.communicate()


@asynccontextmanager
async def browser(address: str) -> AsyncIterator[Browser]:
    async with websockets.connect(address, proxy=None) as connection:
        yield Browser(connection)


async def a_trace(team: TeamServer) -> str:
    answer = await team.server.upload(STACKS, token=team.token())
    trace_id: str = answer.json()["trace"]["traceId"]
    return trace_id


async def test_a_prompt_goes_through_and_its_answer_comes_over_realtime(tmp_path: Path) -> None:
    async with team_server(tmp_path) as team, function(team, tmp_path) as address, browser(address) as page:
        start = {"traceId": await a_trace(team), "sessionId": new_id(), "accessToken": team.token()}
        await page.send(type="start_analysis", **start)
        assert await page.next() == {"type": "connection_ack", "sessionId": start["sessionId"], "protocol": 1}
        await page.send(type="ping", nonce="n")
        assert await page.next() == {"type": "pong", "nonce": "n"}
        turn_id = new_id()
        await page.send(type="user_prompt", sessionId=start["sessionId"], prompt="why?", turnId=turn_id)
        assert await page.next() == {"type": "waiting_for_model", "turnId": turn_id, "position": None}
        assert answer_text(events_of(await broadcasts_until_end(team.supabase))) == "It is read."
        await page.send(type="cancel_turn", turnId=turn_id)
        assert (await page.next())["code"] == "not_supported"
        await page.send(type="user_prompt", sessionId=new_id(), prompt="elsewhere?")
        assert (await page.next())["code"] == "bad_field"
        await page.connection.send("{")
        assert (await page.next())["code"] == "bad_json"


async def test_false_tokens_and_strangers_do_not_get_in(tmp_path: Path) -> None:
    async with team_server(tmp_path) as team, function(team, tmp_path) as address:
        keys, anna = team.supabase.keys, person_id("anna")
        trace_id = await a_trace(team)
        for token in (
            None,
            "nonsense",
            keys.legacy_key("anon"),
            keys.api_key("anon"),
            keys.api_key("service_role"),
            keys.token(anna, exp=int(time.time()) - 600),
            keys.token(anna, aud="others"),
            keys.token(anna, iss="https://other.supabase.co/auth/v1"),
            keys.token(anna, role="service_role"),
            ProjectKeys(keys.url).token(anna),
        ):
            async with browser(address) as page:
                await page.send(type="start_analysis", traceId=trace_id, sessionId=new_id(), accessToken=token)
                assert await page.closed_with() == 4401, token
        async with browser(address) as page:
            await page.send(type="user_prompt", sessionId=new_id(), prompt="first?")
            assert await page.closed_with() == 4401
        async with browser(address) as page:
            await page.send(type="start_analysis", traceId=trace_id, sessionId=new_id(), accessToken=team.token("ben"))
            assert await page.closed_with() == 4403


async def test_a_limit_is_a_chat_error(tmp_path: Path) -> None:
    plan = replace(LOCAL_PLAN, name="small", chat_messages_per_session=2)
    async with team_server(tmp_path, plan=plan) as team, function(team, tmp_path) as address, browser(address) as page:
        start = {"traceId": await a_trace(team), "sessionId": new_id(), "accessToken": team.token()}
        await page.send(type="start_analysis", prompt="why?", turnId=new_id(), **start)
        assert [(await page.next())["type"] for _ in range(2)] == ["connection_ack", "waiting_for_model"]
        await broadcasts_until_end(team.supabase)
        await page.send(type="user_prompt", sessionId=start["sessionId"], prompt="and?")
        error = await page.next()
        assert (error["type"], error["errorCode"], error["used"], error["limit"]) == (
            "chat_error",
            "limit_exceeded",
            2,
            2,
        )


async def test_a_wrong_secret_gets_the_same_answer_as_no_setup(tmp_path: Path) -> None:
    async with (
        team_server(tmp_path) as team,
        function(team, tmp_path, secret="wrong") as address,
        browser(address) as page,
    ):
        start = {"traceId": await a_trace(team), "sessionId": new_id(), "accessToken": team.token()}
        await page.send(type="start_analysis", **start)
        error = await page.next()
        assert error["errorCode"] == "internal_error"
        assert error["message"] == "This function is not set up to reach the server."
