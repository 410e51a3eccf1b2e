"""Every route, tried by nobody, by another user, and with another user's ids."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.routing import Mount, WebSocketRoute

from limits.plans import LOCAL_PLAN
from server.edges.http.application import build_application
from server.edges.http.services import Services
from server.ports.objects import PICTURES_BUCKET
from server.turns.turn_pictures import picture_path
from tests.server.edges.gate_of_annas import a_gate_of_annas
from tests.server.edges.memories_of_annas import NAMING_A_MEMORY, OF_MEMORY, memories_of_annas
from tests.server.running_server import ANNA, RunningServer, running_server
from tests.server.talking import END, ask, new_id

AS_ANNA = {"Authorization": "Bearer anna"}
AS_BEN = {"Authorization": "Bearer ben"}
SHARING = replace(LOCAL_PLAN, allow_public_sharing=True)

RouteName = tuple[str, str]
"""Method and path as the application declares them; the method of a socket is WS."""


def routes(*lines: str) -> set[RouteName]:
    return {(method, path) for method, path in (line.split() for line in lines)}


FOR_EVERYBODY = routes("GET /health", "GET /ready", "GET /api/v1/config", "GET /api/v1/openapi.json")
THE_PAGE = {
    ("GET", f"/{path}")
    for path in (
        *("", "open", "admin", "account", "conversations", "gates", "questions"),
        *("t/{rest:path}", "s/{rest:path}", "{path:path}"),
    )
}
"""Files of the built client, the same for everybody; what it shows it asks of the other routes."""

BY_LINK = routes(
    "GET /api/v1/shared/{token}",
    "GET /api/v1/shared/{token}/functions",
    "GET /api/v1/shared/{token}/bands",
    "GET /api/v1/shared/{token}/call",
    "GET /api/v1/shared/{token}/flamegraph.{extension}",
    "GET /api/v1/shared/{token}/flows",
    "GET /api/v1/shared/{token}/function",
    "GET /api/v1/shared/{token}/function-table",
    "GET /api/v1/shared/{token}/call-tree",
    "GET /api/v1/shared/{token}/thread-search",
    "GET /api/v1/shared/{token}/lanes",
    "GET /api/v1/shared/{token}/notes",
    "GET /api/v1/shared/{token}/places",
    "GET /api/v1/shared/{token}/range",
    "GET /api/v1/shared/{token}/tracks",
    "GET /api/v1/shared/{token}/view",
    "GET /api/v1/shared/{token}/views/{view_id}",
)
BY_LINK_TO_A_CONVERSATION = routes(
    "GET /api/v1/shared/{token}/conversation",
    "GET /api/v1/shared/{token}/pictures/{turn_id}/{name}.png",
)
FOR_GATEWAYS = routes("POST /api/v1/ai/process-turn")
FOR_ADMINISTRATORS = routes(
    "GET /metrics",
    "GET /api/v1/admin/plans",
    "POST /api/v1/admin/plans",
    "GET /api/v1/admin/plans/{name}",
    "PATCH /api/v1/admin/plans/{name}",
    "POST /api/v1/admin/plans/{name}/forecast",
    "POST /api/v1/admin/plans/{name}/retire",
    "GET /api/v1/admin/users",
    "GET /api/v1/admin/users/{user_id}",
    "PUT /api/v1/admin/users/{user_id}/plan",
    "POST /api/v1/admin/users/{user_id}/plan/forecast",
    "POST /api/v1/admin/users/{user_id}/grant",
    "POST /api/v1/admin/users/{user_id}/reset",
    "GET /api/v1/admin/changes",
    "PUT /api/v1/admin/users/{user_id}/limits",
    "GET /api/v1/admin/accounts/{account_id}/spending",
    "PUT /api/v1/admin/accounts/{account_id}/limits",
    "GET /api/v1/admin/budget-notices",
    "GET /api/v1/admin/invocations",
    "GET /api/v1/admin/spend",
    "GET /api/v1/admin/keys",
    "POST /api/v1/admin/users/{user_id}/revoke-keys",
)
ABOUT_ONESELF = routes(
    *OF_MEMORY,
    "POST /api/v1/questions/run",
    "GET /api/v1/questions",
    "POST /api/v1/questions",
    "GET /api/v1/traces",
    "POST /api/v1/traces",
    "GET /api/v1/uploads",
    "GET /api/v1/sessions",
    "GET /api/v1/me/usage",
    "GET /api/v1/gates",
    "POST /api/v1/gates",
    "GET /api/v1/gates/results",
    "POST /api/v1/gates/run",
    "GET /api/v1/keys",
    "POST /api/v1/keys",
    "GET /api/v1/me/invocations",
    "GET /api/v1/accounts",
    "POST /api/v1/accounts",
    "POST /api/v1/invitations/accept",
    "POST /api/v1/render",
    "POST /api/v1/render-sandwich",
    "POST /api/v1/render-diff",
    "POST /api/chat",
    "GET /api/evals",
    "POST /api/v1/streams/ai-sdk",
    "GET /api/v1/streams/ai-sdk/{chat_id}/stream",
    "POST /api/v1/streams/data-stream",
    "POST /api/v1/streams/ag-ui",
)
"""Name no object in their path: they answer people about what is theirs, or draw what they send."""

NAMING_AN_OBJECT = routes(
    *NAMING_A_MEMORY,
    "GET /api/v1/traces/{trace_id}",
    "DELETE /api/v1/traces/{trace_id}",
    "GET /api/v1/traces/{trace_id}/summary",
    "GET /api/v1/traces/{trace_id}/functions",
    "GET /api/v1/traces/{trace_id}/insights",
    "GET /api/v1/traces/{trace_id}/bands",
    "GET /api/v1/traces/{trace_id}/call",
    "GET /api/v1/traces/{trace_id}/export",
    "GET /api/v1/traces/{trace_id}/flows",
    "GET /api/v1/traces/{trace_id}/function",
    "GET /api/v1/traces/{trace_id}/function-table",
    "GET /api/v1/traces/{trace_id}/call-tree",
    "GET /api/v1/traces/{trace_id}/thread-search",
    "GET /api/v1/traces/{trace_id}/lanes",
    "GET /api/v1/traces/{trace_id}/places",
    "GET /api/v1/traces/{trace_id}/range",
    "GET /api/v1/traces/{trace_id}/source",
    "GET /api/v1/traces/{trace_id}/tracks",
    "GET /api/v1/traces/{trace_id}/view",
    "GET /api/v1/traces/{trace_id}/flamegraph.{extension}",
    "GET /api/v1/traces/{trace_id}/notes",
    "POST /api/v1/traces/{trace_id}/notes",
    "PATCH /api/v1/traces/{trace_id}/notes/{note_id}",
    "DELETE /api/v1/traces/{trace_id}/notes/{note_id}",
    "PATCH /api/v1/questions/{question_id}",
    "DELETE /api/v1/questions/{question_id}",
    "PATCH /api/v1/traces/{trace_id}",
    "POST /api/v1/traces/{trace_id}/views",
    "GET /api/v1/traces/{trace_id}/views/{view_id}",
    "PUT /api/v1/traces/{trace_id}/link",
    "DELETE /api/v1/traces/{trace_id}/link",
    "PUT /api/v1/sessions/{session_id}/link",
    "DELETE /api/v1/sessions/{session_id}/link",
    "PATCH /api/v1/sessions/{session_id}",
    "DELETE /api/v1/sessions/{session_id}",
    "GET /api/v1/sessions/{session_id}/messages",
    "GET /api/v1/sessions/{session_id}/versions",
    "GET /api/v1/sessions/{session_id}/turns/{turn_id}/messages",
    "POST /api/v1/sessions/{session_id}/join",
    "POST /api/v1/sessions/{session_id}/prompts",
    "POST /api/v1/turns/{turn_id}/cancel",
    "POST /api/v1/turns/{turn_id}/resume",
    "GET /api/v1/pictures/{turn_id}/{name}.png",
    "DELETE /api/v1/keys/{key_id}",
    "PATCH /api/v1/accounts/{account_id}",
    "DELETE /api/v1/accounts/{account_id}",
    "GET /api/v1/accounts/{account_id}/members",
    "POST /api/v1/accounts/{account_id}/members",
    "PATCH /api/v1/accounts/{account_id}/members/{user_id}",
    "DELETE /api/v1/accounts/{account_id}/members/{user_id}",
    "DELETE /api/v1/accounts/{account_id}/invitations/{invitation_id}",
    "DELETE /api/v1/gates/{gate_id}",
    "POST /api/v1/gates/results/{result_id}/accept",
)
SOCKETS = routes("WS /api/v1/chat")
TOOLS = routes("GET /mcp", "POST /mcp", "DELETE /mcp", "ANY /mcp")
"""A protocol of its own, whose clients try it in tests/mcp; the three lead to it."""

FOR_THE_SIGNED_IN = FOR_ADMINISTRATORS | ABOUT_ONESELF | NAMING_AN_OBJECT
KNOWN = (
    FOR_EVERYBODY | THE_PAGE | BY_LINK | BY_LINK_TO_A_CONVERSATION | FOR_GATEWAYS | FOR_THE_SIGNED_IN | SOCKETS | TOOLS
)

QUERIES_WITH_IDS: dict[RouteName, str] = {
    ("GET", "/api/v1/me/usage"): "sessionId={session}",
    ("GET", "/api/v1/me/invocations"): "turn={turn}",
    ("GET", "/api/v1/sessions"): "traceId={trace}",
}
NOT_WITH_ANOTHERS_ID = routes(
    "POST /api/v1/gates/run", "GET /api/v1/me/usage", "GET /api/v1/me/invocations", "POST /api/chat"
)

BODIES: dict[RouteName, object] = {
    ("PATCH", "/api/v1/sessions/{session_id}"): {"title": "Taken"},
    ("PATCH", "/api/v1/memory/{memory_id}"): {"text": "taken"},
    ("POST", "/api/v1/sessions/{session_id}/prompts"): {"prompt": "Mine?"},
    ("POST", "/api/v1/sessions/{session_id}/join"): {"traceId": "00000000-0000-4000-8000-000000000000"},
    ("POST", "/api/v1/turns/{turn_id}/resume"): {"interruptId": "00000000-0000-4000-8000-000000000000", "result": {}},
    ("POST", "/api/v1/traces/{trace_id}/notes"): {"kind": "function", "profile": "p0", "handle": "f1", "text": "Mine"},
    ("PATCH", "/api/v1/traces/{trace_id}/notes/{note_id}"): {"text": "Mine"},
    ("POST", "/api/v1/traces/{trace_id}/views"): {"find": "Mine"},
    ("PATCH", "/api/v1/questions/{question_id}"): {"name": "Mine"},
    ("POST", "/api/v1/gates/results/{result_id}/accept"): {"reason": "mine"},
    ("POST", "/api/v1/gates/run"): {"after": ["{trace}"], "baseline": {"branch": "main"}, "rules": ["total +3%"]},
    ("PATCH", "/api/v1/traces/{trace_id}"): {"labels": {"branch": "mine"}},
    ("POST", "/api/v1/accounts"): {"name": "Ben's"},
    ("POST", "/api/v1/invitations/accept"): {"token": "of nobody"},
    ("PATCH", "/api/v1/accounts/{account_id}"): {"name": "Mine"},
    ("POST", "/api/v1/accounts/{account_id}/members"): {"email": "ben@example.com", "role": "owner"},
    ("PATCH", "/api/v1/accounts/{account_id}/members/{user_id}"): {"role": "viewer"},
    ("POST", "/api/chat"): {"message": "Mine?", "session_id": "{session}", "flamechat_trace_id": "{trace}"},
} | {
    ("POST", f"/api/v1/streams/{name}"): dict.fromkeys(("id", "threadId", "runId"), "{session}")
    | {"traceId": "{trace}", "messages": [{"id": "{turn}", "role": "user", "content": "Mine?"}]}
    for name in ("ai-sdk", "data-stream", "ag-ui")
}


@dataclass(frozen=True)
class Annas:
    """What Anna holds."""

    trace: str
    session: str
    turn: str
    link: str
    note: str
    view: str = "no_such_view"
    key: str = "00000000-0000-4000-8000-00000000000a"
    memory: str = "00000000-0000-4000-8000-00000000abcd"
    document: str = "00000000-0000-4000-8000-00000000abce"
    passage: str = "k999"
    account: str = "00000000-0000-4000-8000-00000000000a"
    invitation: str = "00000000-0000-4000-8000-00000000000b"
    user: str = ANNA.user_id
    question: str = "00000000-0000-4000-8000-000000000000"
    gate: str = "00000000-0000-4000-8000-00000000000c"
    result: str = "00000000-0000-4000-8000-00000000000d"

    def path(self, template: str) -> str:
        ids = {"trace_id": self.trace, "session_id": self.session, "turn_id": self.turn, "chat_id": self.session}
        ids |= {"note_id": self.note, "view_id": self.view, "token": self.link, "user_id": self.user}
        ids |= {"question_id": self.question}
        ids |= {"account_id": self.account, "invitation_id": self.invitation}
        ids |= {"key_id": self.key, "gate_id": self.gate, "result_id": self.result}
        ids |= {"memory_id": self.memory, "document_id": self.document, "handle": self.passage}
        return template.format(**ids, name="call", extension="png")

    @property
    def ids(self) -> tuple[str, ...]:
        theirs = (self.trace, self.session, self.turn, self.link, self.note, self.view, self.key)
        more = (self.account, self.invitation, self.question, self.gate, self.result)
        mine = (self.memory, self.document, self.passage)
        return (*theirs, *more, *mine, ANNA.user_id, ANNA.account_id)


@asynccontextmanager
async def annas_server(tmp_path: Path) -> AsyncIterator[tuple[RunningServer, Annas]]:
    """A server on which Anna has a trace, an answered question with a picture, and a link."""
    async with running_server(tmp_path, plan=SHARING) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as socket:
            turn_id, session_id = await ask(socket), socket.ack["sessionId"]
            await socket.until(*END)
        memory, document, passage = await memories_of_annas(server)
        path = picture_path(ANNA.account_id, turn_id, "call")
        await server.parts.objects.put(PICTURES_BUCKET, path, b"png")
        link = (await server.http.put(f"/api/v1/traces/{trace_id}/link", headers=AS_ANNA)).json()["token"]
        written = {"kind": "range", "profile": "p0", "start": 1, "end": 2, "text": "Anna's"}
        made = await server.http.post(f"/api/v1/traces/{trace_id}/notes", json=written, headers=AS_ANNA)
        views = f"/api/v1/traces/{trace_id}/views"
        kept = await server.http.post(views, json={"find": "Anna's"}, headers=AS_ANNA)
        new = {"name": "Anna's", "scopes": ["traces:read"]}
        key = (await server.http.post("/api/v1/keys", json=new, headers=AS_ANNA)).json()["key"]["keyId"]
        note = made.json()["note"]["noteId"]
        team = (await server.http.post("/api/v1/accounts", json={"name": "Anna's"}, headers=AS_ANNA)).json()
        members, invited = f"/api/v1/accounts/{team['accountId']}/members", {"email": "ben@example.com"}
        invitation = (await server.http.post(members, json=invited, headers=AS_ANNA)).json()["invitation"]
        asked = {"name": "Anna's", "question": {"form": "sql", "sql": "select 'Anna'"}}
        saved = await server.http.post("/api/v1/questions", json=asked, headers=AS_ANNA)
        holds = (trace_id, session_id, turn_id, link, note, kept.json()["viewId"], key)
        gate, result = await a_gate_of_annas(server)
        annas = Annas(*holds, account=team["accountId"], invitation=invitation["invitationId"])
        annas = replace(annas, memory=memory, document=document, passage=passage)
        yield server, replace(annas, question=saved.json()["question"]["questionId"], gate=gate, result=result)


def routes_of(services: Services) -> set[RouteName]:
    """Everything that the application answers, described or not."""
    app: Any = build_application(services, is_our_name=lambda _: True)
    while not isinstance(app, FastAPI):
        app = app._app
    found: set[RouteName] = set()
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        if isinstance(route, WebSocketRoute):
            found.add(("WS", str(context.path)))
        elif isinstance(route, Mount):
            found.add(("ANY", str(context.path)))
        else:
            found |= {(method, str(context.path)) for method in (context.methods or {"ANY"}) - {"HEAD"}}
    return found


async def test_every_route_has_its_place_here(tmp_path: Path) -> None:
    """Whoever adds a route says here who may pass it, and the tests below try it."""
    async with running_server(tmp_path) as server:
        assert routes_of(server.parts.services) == KNOWN
        described = (await server.http.get("/api/v1/openapi.json")).json()["paths"]
    there = {(method.upper(), path) for path, methods in described.items() for method in methods}
    assert there == KNOWN - THE_PAGE - SOCKETS - TOOLS - routes("GET /api/v1/openapi.json")


async def call(
    server: RunningServer, annas: Annas, method: str, path: str, headers: dict[str, str] | None = None
) -> httpx.Response:
    query = QUERIES_WITH_IDS.get((method, path), "").format(trace=annas.trace, session=annas.session, turn=annas.turn)
    body = json.dumps(BODIES.get((method, path)))
    for name, value in (("trace", annas.trace), ("session", annas.session), ("turn", annas.turn)):
        body = body.replace(f"{{{name}}}", value)
    return await server.http.request(method, f"{annas.path(path)}?{query}", json=json.loads(body), headers=headers)


async def what_anna_sees(server: RunningServer, annas: Annas) -> list[str]:
    paths = (
        "/api/v1/traces",
        "/api/v1/sessions",
        f"/api/v1/sessions/{annas.session}/messages",
        f"/api/v1/pictures/{annas.turn}/call.png",
        f"/api/v1/shared/{annas.link}",
        f"/api/v1/traces/{annas.trace}/notes",
        "/api/v1/me/usage",
        "/api/v1/memory/core",
        "/api/v1/keys",
        "/api/v1/accounts",
        f"/api/v1/accounts/{annas.account}/members",
        "/api/v1/questions",
        "/api/v1/gates",
        "/api/v1/gates/results",
        "/api/v1/memory",
        "/api/v1/memory/onboarding",
        "/api/v1/knowledge",
    )
    answers = [await server.http.get(path, headers=AS_ANNA) for path in paths]
    assert [answer.status_code for answer in answers] == [200] * len(paths)
    return [answer.text for answer in answers]


@pytest.mark.long
async def test_nobody_comes_in_without_an_identity_or_a_link(tmp_path: Path) -> None:
    async with annas_server(tmp_path) as (server, annas):
        before = await what_anna_sees(server, annas)
        for method, path in sorted(FOR_THE_SIGNED_IN | FOR_GATEWAYS):
            for headers in (None, {"Authorization": "Bearer mallory"}):
                answer = await call(server, annas, method, path, headers)
                assert answer.status_code == 401, (method, path, answer.text)
                assert answer.headers["www-authenticate"] == "Bearer"
        assert await what_anna_sees(server, annas) == before


async def test_another_users_ids_open_nothing_and_change_nothing(tmp_path: Path) -> None:
    async with annas_server(tmp_path) as (server, annas):
        before = await what_anna_sees(server, annas)
        for method, path in sorted(FOR_THE_SIGNED_IN):
            answer = await call(server, annas, method, path, AS_BEN)
            if (method, path) in FOR_ADMINISTRATORS:
                assert answer.status_code == 403, (method, path, answer.text)
            elif (method, path) in NAMING_AN_OBJECT | NOT_WITH_ANOTHERS_ID:
                assert answer.status_code == 404, (method, path, answer.text)
            else:
                assert answer.status_code < 500, (method, path, answer.text)
            sent = str(answer.request.url) + answer.request.content.decode(errors="replace")
            assert [one for one in annas.ids if one in answer.text and one not in sent] == [], (method, path)
        assert await what_anna_sees(server, annas) == before


async def test_what_is_not_ones_own_looks_like_what_does_not_exist(tmp_path: Path) -> None:
    async with annas_server(tmp_path) as (server, annas):
        nothing = Annas(new_id(), new_id(), new_id(), "nothing", new_id())
        for method, path in sorted(NAMING_AN_OBJECT):
            hers = await call(server, annas, method, path, AS_BEN)
            none = await call(server, nothing, method, path, AS_BEN)
            assert hers.status_code == none.status_code == 404
            answer_text = hers.text
            ids = [(hers.headers["x-request-id"], none.headers["x-request-id"])]
            for her_id, other_id in ids + list(zip(annas.ids, nothing.ids, strict=True)):
                answer_text = answer_text.replace(her_id, other_id)
            assert answer_text == none.text, (method, path)
