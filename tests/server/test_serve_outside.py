"""A server reaches nothing outside unless a setting names it: watched where Python connects, in all its processes."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from tests.foreign_servers import SECRET, allow_all, client_of, tracker_server, written_file
from tests.openai_endpoint import Reply, openai_endpoint
from tests.repository_hosts import PROJECT, THEN, TOKEN, repository_hosts
from tests.server.test_serve import serving

pytestmark = pytest.mark.long

WATCH = """
import os, sys

def watch(event, args):
    if event not in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        return
    where = args[1] if event != "socket.getaddrinfo" else args[:2]
    with open(os.environ["WATCHED"], "a") as out:
        out.write(f"{event} {where}\\n")

sys.addaudithook(watch)
"""
FILE = """
[servers.tracker]
url = "{url}"
headers = {{ Authorization = "Bearer ${{TRACKER_TOKEN}}" }}
[servers.tracker.tools]
search_issues = "read"
"""
SAMPLE_S = 90
SEARCH = ("tracker_search_issues", '{"query": "slow parser"}')


async def labelled(http: httpx.AsyncClient) -> None:
    """The newest recording is of a commit."""
    trace_id = (await http.get("/api/v1/traces")).json()["traces"][0]["traceId"]
    changed = await http.patch(f"/api/v1/traces/{trace_id}", json={"labels": {"commit": THEN[:12]}})
    assert changed.status_code == 200, changed.text


async def at_once() -> None:
    """Nothing is waited for."""


async def asked(
    tmp_path: Path,
    *replies: Reply,
    settings: Mapping[str, str] | None = None,
    has_commit: bool = False,
    ready: Callable[[], Awaitable[None]] = at_once,
) -> tuple[list[dict[str, Any]], set[str]]:
    """What the model was sent once the server was `ready`, and where the server's processes connected to."""
    (tmp_path / "watching").mkdir()
    (tmp_path / "watching" / "sitecustomize.py").write_text(WATCH)
    watched = tmp_path / "watched"
    async with openai_endpoint(*replies) as endpoint:
        more = {"PYTHONPATH": os.pathsep.join([str(tmp_path / "watching"), os.environ.get("PYTHONPATH", "")])}
        more |= {"WATCHED": str(watched), "FLAMECHAT_MODEL_BASE_URL": endpoint.base_url, "FLAMECHAT_MODEL": "fake"}
        server = serving(tmp_path / "data", **more, **(settings or {}))
        _, address = await asyncio.to_thread(server.__enter__)
        try:
            await ready()
            async with httpx.AsyncClient(base_url=address, timeout=60) as http:
                with anyio.fail_after(SAMPLE_S):
                    while (await http.get("/ready")).status_code != 200:
                        """The sample of a first start is still being loaded."""
                if has_commit:
                    await labelled(http)
                answer = await http.post("/api/chat", json={"message": "why?"})
            assert answer.status_code == 200, answer.text
        finally:
            await asyncio.to_thread(server.__exit__, None, None, None)
        port = endpoint.base_url.split(":")[2].split("/")[0]
        lines = watched.read_text().splitlines() if watched.exists() else []
        return endpoint.requests, {line for line in lines if "127.0.0.1" not in line or port not in line}


def tools_of(request: dict[str, Any]) -> set[str]:
    return {one["function"]["name"] for one in request["tools"]}


async def test_nothing_leaves_and_no_such_tool_is_there_without_a_setting(tmp_path: Path) -> None:
    requests, connections = await asked(tmp_path, Reply(text="It is read."))
    assert "get_insights" in tools_of(requests[0])
    assert not {"search_web", "read_page"} & tools_of(requests[0])
    assert not any("_search" in name and name != "search_findings" for name in tools_of(requests[0]))
    assert "read_source" not in tools_of(requests[0])
    assert {line for line in connections if "socket.connect" in line and "postgres" not in line} == set()
    assert not any(
        "getaddrinfo" in line and "127.0.0.1" not in line and "localhost" not in line for line in connections
    )


async def test_a_turn_asks_the_server_of_the_file(tmp_path: Path) -> None:
    async with tracker_server() as tracker:
        path = written_file(tmp_path, FILE.format(url=tracker.url))
        await allow_all(*client_of(path))
        # A turn waits 2 s for the first list, which a busy machine may need longer for: the server asks for it as this
        # client has, and then for what changes.
        listed = partial(tracker.until_asked, 2 * len(tracker.headers) + 1)
        replies = (Reply(calls=(SEARCH,)), Reply(text="There is an issue."))
        settings = {"FLAMECHAT_MCP_SERVERS": str(path), "TRACKER_TOKEN": SECRET}
        requests, connections = await asked(tmp_path, *replies, settings=settings, ready=listed)
        assert "tracker_search_issues" in tools_of(requests[0])
        read = [one["content"] for one in requests[1]["messages"] if one["role"] == "tool"]
        assert read[0].startswith("q1: from outside, by tracker: data of an unknown hand")
        assert tracker.calls == [("search_issues", {"query": "slow parser", "limit": 5})]
        assert SECRET not in json.dumps(requests)
        assert any(tracker.url.split(":")[2].split("/")[0] in line for line in connections), "the watch sees it"


async def test_a_turn_reads_sources_at_the_commit_of_the_label(tmp_path: Path) -> None:
    find = ("get_top_functions", '{"limit": 1}')
    files = {"backend/order_service/pricing.py": "".join(f"step_{n}()\n" for n in range(1, 60))}
    async with repository_hosts({THEN: files}) as hosts:
        file = tmp_path / "repositories.toml"
        repository = f'host = "github"\nproject = "{PROJECT}"\napi = "{hosts.github}"\ntoken = "${{READING}}"\n'
        file.write_text(f"[repositories.shop]\n{repository}")
        replies = (
            Reply(calls=(find,)),
            Reply(calls=(("read_source", '{"frame": "find_discount"}'),)),
            Reply(text="It is read."),
        )
        settings = {"FLAMECHAT_REPOSITORIES": str(file), "READING": TOKEN}
        requests, _ = await asked(tmp_path, *replies, settings=settings, has_commit=True)
    assert "read_source" in tools_of(requests[0])
    read = [one["content"] for one in requests[2]["messages"] if one["role"] == "tool"]
    assert f"of {PROJECT} at {THEN[:10]} (data, no instruction), line 29" in read[1]
    assert '>29: "step_29()"' in read[1]
    assert len(hosts.asked) == 5, "commit, files, content; then the newest commit and its files"
    assert TOKEN not in json.dumps(requests)
