"""Ids that are not in a path but in a query or a body: each is tried with another user's, next to one's own."""

from pathlib import Path
from typing import Any

import pytest

from tests.server.edges.test_every_message import a_trace_of_bens
from tests.server.edges.test_every_route import (
    AS_BEN,
    FOR_ADMINISTRATORS,
    FOR_GATEWAYS,
    Annas,
    annas_server,
    what_anna_sees,
)
from tests.server.running_server import RunningServer
from tests.server.talking import END, ask, new_id

NAMING: set[tuple[str, str, str]] = {
    ("GET", "/api/v1/me/usage", "sessionId"),
    ("GET", "/api/v1/me/invocations", "turn"),
    ("GET", "/api/v1/sessions", "traceId"),
    ("GET", "/api/v1/traces/{trace_id}/view", "before"),
    ("POST", "/api/v1/questions/run", "traceId"),
    ("POST", "/api/v1/sessions/{session_id}/join", "traceId"),
    ("POST", "/api/v1/sessions/{session_id}/prompts", "traceId"),
    ("POST", "/api/v1/sessions/{session_id}/prompts", "turnId"),
    ("GET", "/api/v1/gates/results", "gateId"),
    ("GET", "/api/v1/gates/results", "traceId"),
    ("POST", "/api/v1/gates/run", "after"),
    ("POST", "/api/v1/memory/decisions", "proposalId"),
    ("POST", "/api/chat", "session_id"),
    ("POST", "/api/chat", "flamechat_trace_id"),
}
"""Name an object of somebody's."""

PLAIN = {
    "decision",
    "struck",
    "answers",
    "facts",
    "version",
    "rules",
    "baseline",
    "labels",
    "lastRuns",
    "singleRun",
    "commits",
    "webhookUrl",
    "reason",
    "scopes",
    "scope",
    "days",
    "archived",
    "search",
    "title",
    "result",
    "interruptId",
    "palette",
    "find",
    "transforms",
    "prompt",
    "model",
    "mode",
    "context",
    "cursor",
    "message",
    "mountedTools",
    "name",
    "before",
    "beforeProfile",
    "call",
    "callers",
    "compare",
    "end",
    "file",
    "format",
    "frame",
    "handle",
    "handles",
    "kind",
    "limit",
    "maxBoxes",
    "node",
    "offset",
    "order",
    "profile",
    "sortBy",
    "start",
    "text",
    "syntax",
    "threads",
    "upload",
    "words",
    "label",
    "program",
    "since",
    "q",
    "question",
    "email",
    "role",
    "token",
    "visibility",
    "memoryDecidedBy",
    "with",
    "query",
    "kinds",
    "all",
}
"""Name none, where they are not listed above: `before` of messages and `cursor` of traces are positions, `upload` is
the sender's own, `interruptId` what the path's turn asks, `token` that of an
invitation, which is a secret and no name."""


async def given_outside(server: RunningServer) -> set[tuple[str, str, str]]:
    """What may be sent in a query or a JSON body, of every route that is described, by its name."""
    described = (await server.http.get("/api/v1/openapi.json")).json()
    found: set[tuple[str, str, str]] = set()
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            names = [one["name"] for one in operation.get("parameters", []) if one["in"] == "query"]
            for content in operation.get("requestBody", {}).get("content", {}).values():
                schema = content["schema"].get("$ref", "").rsplit("/", 1)[-1]
                names += described["components"]["schemas"].get(schema, {}).get("properties", {})
            found |= {(method.upper(), path, name) for name in names}
    return found


async def test_every_name_that_can_be_given_is_known_here(tmp_path: Path) -> None:
    """Whoever adds one says whether it names something of somebody's, and the test below tries it."""
    async with annas_server(tmp_path) as (server, _):
        given = await given_outside(server)
    ours = {one for one in given if (one[0], one[1]) not in FOR_ADMINISTRATORS | FOR_GATEWAYS}
    assert given >= NAMING
    assert {one for one in ours - NAMING if one[2] not in PLAIN} == set()


async def answered(server: RunningServer, session_id: str, trace_id: str) -> None:
    """Ben has asked something in a session of their own."""
    async with server.session(trace_id, session_id=session_id, token="ben") as socket:
        await ask(socket)
        await socket.until(*END)


def request_of(naming: tuple[str, str, str], annas: Annas, own_trace: str, own_session: str) -> dict[str, Any]:
    """A request of Ben's about their own objects, but for the one name."""
    method, path, name = naming
    hers: object = {
        "sessionId": annas.session,
        "session_id": annas.session,
        "turnId": annas.turn,
        "turn": annas.turn,
    }.get(name, annas.trace)
    if name in ("after", "gateId"):
        hers = [annas.trace] if name == "after" else annas.gate
    url = path.format(trace_id=own_trace, session_id=own_session)
    if method == "GET":
        return {"method": method, "url": url, "params": {name: hers} | ({"mode": "diff"} if name == "before" else {})}
    if path.startswith("/api/v1/gates"):
        wish = {"baseline": {"branch": "main"}, "rules": ["total +3%"], name: hers}
        return {"method": method, "url": url, "json": wish}
    if path.endswith("/decisions"):
        return {"method": method, "url": url, "json": {"decision": "keep", name: annas.turn}}
    body = {"message": "Mine?"} if path == "/api/chat" else {} if path.endswith("/join") else {"prompt": "Mine?"}
    return {"method": method, "url": url, "json": body | {name: hers}}


@pytest.mark.parametrize("naming", sorted(NAMING), ids=" ".join)
async def test_anothers_id_next_to_ones_own_opens_nothing(tmp_path: Path, naming: tuple[str, str, str]) -> None:
    async with annas_server(tmp_path) as (server, annas):
        own_trace, own_session = await a_trace_of_bens(server), new_id()
        await answered(server, own_session, own_trace)
        before = await what_anna_sees(server, annas)
        answer = await server.http.request(**request_of(naming, annas, own_trace, own_session), headers=AS_BEN)
        if naming[1] in ("/api/v1/sessions", "/api/v1/gates/results"):
            assert answer.json() == {naming[1].rsplit("/", 1)[1]: []}
        else:
            assert answer.status_code in (400, 404), answer.text
        sent = str(answer.request.url) + answer.request.content.decode()
        assert [one for one in annas.ids if one in answer.text and one not in sent] == []
        assert await what_anna_sees(server, annas) == before
