"""Every route, tried with keys for programs: one that has the route's scope, and one that has all others."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from limits.plans import LOCAL_PLAN
from server.edges.http.key_scopes import OPEN_TO_KEYS, OUTSIDE_OF_IT, scope_of
from server.edges.http.services import ACCESS_COOKIE
from server.ports.identity import Scope
from tests.server.edges.test_every_message import annas_messages, answers_to
from tests.server.edges.test_every_route import (
    AS_ANNA,
    FOR_ADMINISTRATORS,
    FOR_THE_SIGNED_IN,
    KNOWN,
    Annas,
    annas_server,
    call,
    what_anna_sees,
)
from tests.server.running_server import STACKS, RunningServer, ScriptedAgent, running_server
from tests.server.talking import new_id

METRICS = ("GET", "/metrics")
"""Has a token of its own, and administrators."""

NEVER = {
    (method, path)
    for method, path in FOR_THE_SIGNED_IN
    if path.startswith(("/api/v1/memory", "/api/v1/keys", "/api/v1/admin")) or path == METRICS[1]
}


async def a_key(server: RunningServer, *scopes: Scope, days: int | None = None, token: str = "anna") -> str:
    """A new key of Anna's."""
    new = {"name": "ci", "scopes": list(scopes), "days": days}
    answer = await server.http.post("/api/v1/keys", json=new, headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 201, answer.text
    secret: str = answer.json()["secret"]
    return secret


def with_key(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@asynccontextmanager
async def server_with_keys(tmp_path: Path) -> AsyncIterator[tuple[RunningServer, Annas, dict[Scope, tuple[str, str]]]]:
    """A server on which Anna has things, and for each scope a key that has it alone, and one that has all others."""
    async with annas_server(tmp_path) as (server, annas):
        keys = {
            scope: (await a_key(server, scope), await a_key(server, *(one for one in Scope if one is not scope)))
            for scope in Scope
        }
        yield server, annas, keys


def needed(method: str, path: str) -> Scope | None:
    return scope_of(method, path.replace("{extension}", "png").replace("{name}.png", "call.png"))


def test_the_table_names_routes_that_are_there() -> None:
    there = {f"{method} {path}" for method, path in KNOWN}
    table = {*(entry.replace(" ", " /api/v1", 1) for entry in OPEN_TO_KEYS), *OUTSIDE_OF_IT}
    assert {re.sub(r"{\w+}", "{}", route) for route in there} >= table


def test_administration_members_memory_and_keys_have_no_scope() -> None:
    assert NEVER >= FOR_ADMINISTRATORS
    for method, path in NEVER:
        assert needed(method, path) is None, path
    for path in ("/api/v1/traces/1/2", "/api/v1/accounts/1/members", "/api/v1/traces/1/link/", "/API/v1/traces"):
        assert scope_of("GET", path) is None


@pytest.mark.long
async def test_every_route_refuses_a_key_without_its_scope(tmp_path: Path) -> None:
    async with server_with_keys(tmp_path) as (server, annas, keys):
        before = await what_anna_sees(server, annas)
        for method, path in sorted(FOR_THE_SIGNED_IN):
            scope = needed(method, path)
            tried = [all_others for _, all_others in keys.values()] if scope is None else [keys[scope][1]]
            for key in tried:
                answer = await call(server, annas, method, path, with_key(key))
                assert answer.status_code == 403, (method, path, scope, answer.text)
                assert key not in answer.text
                assert key not in str(answer.headers)
        assert [one for one in before if "lastUsedAt" not in one] == [
            one for one in await what_anna_sees(server, annas) if "lastUsedAt" not in one
        ]


async def test_every_route_of_the_table_takes_a_key_with_its_scope_alone(tmp_path: Path) -> None:
    async with server_with_keys(tmp_path) as (server, annas, keys):
        for method, path in sorted(FOR_THE_SIGNED_IN, key=lambda one: (one[0] == "DELETE", one)):
            scope = needed(method, path)
            if scope is None:
                continue
            answer = await call(server, annas, method, path, with_key(keys[scope][0]))
            assert answer.status_code not in (401, 403), (method, path, answer.text)
            assert answer.status_code < 500, (method, path, answer.text)


async def test_a_key_of_another_finds_nothing_of_annas(tmp_path: Path) -> None:
    async with annas_server(tmp_path) as (server, annas):
        bens = await a_key(server, *Scope, token="ben")
        for path in (f"/api/v1/traces/{annas.trace}", f"/api/v1/sessions/{annas.session}/messages"):
            assert (await server.http.get(path, headers=with_key(bens))).status_code == 404
        assert (await server.http.get("/api/v1/traces", headers=with_key(bens))).json()["traces"] == []


async def test_a_key_is_taken_in_the_header_alone(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        key = await a_key(server, *Scope)
        for path, cookies in (("/api/v1/traces", {ACCESS_COOKIE: key}), (f"/?access_token={key}", {})):
            answer = await server.http.get(path, headers={"Cookie": "; ".join(f"{k}={v}" for k, v in cookies.items())})
            assert (answer.status_code, answer.json()["code"]) == (401, "key_misplaced")
            assert key not in answer.text + str(answer.headers)
        refused = await server.http.get(f"/api/v1/shared/{key}")
        assert refused.status_code == 404
        assert key[13:] not in refused.text
        assert (await server.http.get("/api/v1/traces", headers=with_key(key))).status_code == 200


@pytest.mark.parametrize("wrong", ["fc_", "fc_0123456789_short", "fc_0123456789_" + "A" * 43, "fc_ANNA"])
async def test_what_only_looks_like_a_key_opens_nothing(tmp_path: Path, wrong: str) -> None:
    async with running_server(tmp_path) as server:
        answer = await server.http.get("/api/v1/traces", headers=with_key(wrong))
        assert (answer.status_code, answer.json()["code"]) == (401, "unknown_key")


async def test_a_revoked_key_is_refused_at_once_and_says_so(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        key = await a_key(server, Scope.TRACES_READ)
        assert (await server.http.get("/api/v1/traces", headers=with_key(key))).status_code == 200
        (row,) = (await server.http.get("/api/v1/keys", headers=AS_ANNA)).json()["keys"]
        assert (row["name"], row["scopes"], row["prefix"]) == ("ci", ["traces:read"], key[3:13])
        assert row["lastUsedAt"] is not None
        assert key[14:] not in json.dumps(row)
        await server.http.delete(f"/api/v1/keys/{row['keyId']}", headers=AS_ANNA)
        answer = await server.http.get("/api/v1/traces", headers=with_key(key))
        assert (answer.status_code, answer.json()["code"]) == (401, "key_revoked")


async def test_the_socket_asks_for_ask_and_lets_a_key_decide_nothing_of_memory(tmp_path: Path) -> None:
    async with server_with_keys(tmp_path) as (server, annas, keys):
        may, may_not = keys[Scope.ASK]
        async with server.socket() as socket:
            begin = {"type": "start_analysis", "traceId": annas.trace, "sessionId": new_id()}
            await socket.send(**begin, accessToken=may_not)
            assert await socket.closed_with() == 4403
        async with server.session(annas.trace, token=may) as socket:
            refused = await answers_to(socket, {"type": "decide_memory"} | annas_messages(annas)["decide_memory"])
            assert refused[0]["type"] != "memory_changed", refused
            await socket.send(type="authenticate", accessToken="anna")
            assert await socket.closed_with() == 4401


async def test_a_turn_names_the_key_that_asked_for_it_and_remembers_nothing(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server:
        key = await a_key(server, Scope.ASK, Scope.TRACES_WRITE)
        uploaded = await server.http.post("/api/v1/traces?name=a.txt", content=STACKS, headers=with_key(key))
        trace_id = uploaded.json()["trace"]["traceId"]
        body = {"message": "Why?", "flamechat_trace_id": trace_id}
        assert (await server.http.post("/api/chat", json=body, headers=with_key(key))).status_code == 200
        assert (await server.http.post("/api/chat", json=body, headers=AS_ANNA)).status_code == 200
        (row,) = (await server.http.get("/api/v1/keys", headers=AS_ANNA)).json()["keys"]
    assert [turn.api_key_id for turn in agent.asked] == [row["keyId"], None]
    assert agent.asked[0].caller.is_administrator is False


async def test_more_requests_than_the_plan_has_a_minute_are_refused_until_later(tmp_path: Path) -> None:
    plan = replace(LOCAL_PLAN, name="few", api_requests_per_minute=3)
    async with running_server(tmp_path, plan=plan) as server:
        key = await a_key(server, Scope.TRACES_READ)
        answers = [await server.http.get("/api/v1/traces", headers=with_key(key)) for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 61
        assert (await server.http.get("/api/v1/traces", headers=AS_ANNA)).status_code == 200


async def test_pictures_count_on_the_makers_plan_and_failures_do_not(tmp_path: Path) -> None:
    plan = replace(LOCAL_PLAN, name="few", monthly_render_limit=2)
    async with running_server(tmp_path, plan=plan) as server:
        key = await a_key(server, Scope.RENDER)

        async def drawn(content: bytes, token: str) -> int:
            return (await server.http.post("/api/v1/render", content=content, headers=with_key(token))).status_code

        assert await drawn(b"no trace", key) == 415
        assert [await drawn(STACKS, key), await drawn(STACKS, "anna")] == [200, 200]
        assert [await drawn(STACKS, key), await drawn(STACKS, "anna"), await drawn(STACKS, "ben")] == [429, 429, 200]
        usage = (await server.http.get("/api/v1/me/usage", headers=AS_ANNA)).json()["usage"]
        meter = next(one for one in usage["meters"] if one["limitType"] == "monthly_renders")
        assert (meter["used"], meter["limit"], meter["left"]) == (2, 2, 0)
