"""Plans and users over HTTP, and what users see of their own."""

from pathlib import Path
from typing import Any

import pytest

from limits.plans import Plan, SessionsPeriod
from tests.server.running_server import ANNA, ROOT, TOKENS, RunningServer, running_server
from tests.server.talking import END, ask, new_id

AS_ROOT = {"Authorization": "Bearer root"}
AS_ANNA = {"Authorization": "Bearer anna"}
ONE = Plan(name="one", display_name="One", chat_sessions_limit=1, chat_sessions_period=SessionsPeriod.LIFETIME)


async def call(server: RunningServer, method: str, path: str, body: object = None) -> Any:
    answer = await server.http.request(method, f"/api/v1/admin{path}", json=body, headers=AS_ROOT)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def test_a_plan_lives_its_life(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        new = {"name": "team", "displayName": "Team", "monthlyUploadLimit": 5, "reason": "a customer"}
        assert (await call(server, "POST", "/plans", new))["plan"]["monthlyUploadLimit"] == 5
        changed = await call(server, "PATCH", "/plans/team", {"monthlyUploadLimit": None, "totalTraceLimit": 9})
        assert (changed["plan"]["monthlyUploadLimit"], changed["plan"]["totalTraceLimit"]) == (None, 9)
        assert changed["plan"]["displayName"] == "Team"
        assert (await call(server, "POST", "/plans/team/retire", {}))["plan"]["isRetired"]
        assert (await call(server, "GET", "/plans/team"))["plan"]["isRetired"]
        assert {"free", "pro", "local", "team"} <= {
            plan["name"] for plan in (await call(server, "GET", "/plans"))["plans"]
        }
        audit = (await call(server, "GET", "/changes"))["changes"]
        assert [one["action"] for one in audit] == ["retire_plan", "change_plan", "create_plan"]
        assert (audit[2]["changedBy"], audit[2]["reason"]) == (ROOT.user_id, "a customer")


async def test_a_change_binds_the_next_prompt_of_an_open_socket(tmp_path: Path) -> None:
    async with running_server(tmp_path, plan=ONE) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as socket:
            await ask(socket)
            await socket.until(*END)
        async with server.session(trace_id) as socket:
            await ask(socket)
            assert (await socket.next())["type"] == "chat_error"
            granted = await call(server, "POST", f"/users/{ANNA.user_id}/grant", {"sessions": 1})
            assert granted["user"]["meters"][0]["left"] == 1
            await ask(socket)
            assert (await socket.until(*END))[-1]["type"] == "model_response_end"


async def test_users_come_in_pages_and_every_page_says_where_the_next_begins(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        found: list[str] = []
        offset: int | None = 0
        for _ in range(3):
            page = await call(server, "GET", f"/users?limit=1&offset={offset}")
            found += [user["userId"] for user in page["users"]]
            offset = page["nextOffset"]
        assert offset is None
        assert sorted(found) == sorted(caller.user_id for caller in TOKENS.values())
        assert (await call(server, "GET", "/users?limit=3"))["nextOffset"] is None
        assert len((await call(server, "GET", "/users"))["users"]) == 3


async def test_a_forecast_changes_nothing(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        await server.trace_id()
        foreseen = await call(server, "POST", "/plans/local/forecast", {"totalTraceLimit": 1})
        assert foreseen["forecast"] == {
            "users": 3,
            "reachedNow": 0,
            "reachedThen": 1,
            "byLimit": {"total_traces": 1},
            "fullNow": 0,
            "fullThen": 0,
        }
        assert (await call(server, "GET", "/plans/local"))["plan"]["totalTraceLimit"] is None
        one = await call(server, "POST", f"/users/{ANNA.user_id}/plan/forecast", {"plan": "free"})
        assert (one["forecast"]["users"], one["forecast"]["reachedThen"]) == (1, 0)


async def test_users_are_moved_and_reset(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        await server.trace_id()
        users = (await call(server, "GET", "/users"))["users"]
        assert ANNA.user_id in {user["userId"] for user in users}
        moved = await call(server, "PUT", f"/users/{ANNA.user_id}/plan", {"plan": "free"})
        assert (moved["user"]["plan"]["name"], moved["user"]["meters"][1]["used"]) == ("free", 1)
        reset = await call(server, "POST", f"/users/{ANNA.user_id}/reset", {})
        assert reset["user"]["meters"][1]["used"] == 0
        assert (await call(server, "GET", f"/users/{ANNA.user_id}"))["user"] == reset["user"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/plans/nothing", None, 404),
        ("GET", "/users/nobody", None, 404),
        ("POST", "/plans", {"name": "free", "displayName": "F"}, 400),
        ("POST", "/plans", {"name": "half", "displayName": "H", "chatSessionsLimit": 3}, 400),
        ("PATCH", "/plans/free", {"chatSessionsLimit": -3}, 400),
        ("PATCH", "/plans/free", {"colour": "red"}, 400),
        ("POST", "/plans/free/retire", {}, 400),
        ("POST", f"/users/{ANNA.user_id}/grant", {"sessions": 0}, 400),
    ],
)
async def test_what_cannot_be_is_a_problem_document(
    tmp_path: Path, method: str, path: str, body: object, status: int
) -> None:
    async with running_server(tmp_path) as server:
        answer = await server.http.request(method, f"/api/v1/admin{path}", json=body, headers=AS_ROOT)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


async def test_only_an_administrator_may(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for path in ("/plans", "/users", "/changes", f"/users/{ANNA.user_id}"):
            assert (await server.http.get(f"/api/v1/admin{path}", headers=AS_ANNA)).status_code == 403
            assert (await server.http.get(f"/api/v1/admin{path}")).status_code == 401
        moving = server.http.put(f"/api/v1/admin/users/{ANNA.user_id}/plan", json={"plan": "pro"}, headers=AS_ANNA)
        assert (await moving).status_code == 403


async def test_a_user_reads_where_he_stands(tmp_path: Path) -> None:
    async with running_server(tmp_path, plan=ONE) as server, server.session(await server.trace_id()) as socket:
        await ask(socket)
        await socket.until(*END)
        params = {"sessionId": socket.ack["sessionId"]}
        mine = (await server.http.get("/api/v1/me/usage", params=params, headers=AS_ANNA)).json()
        assert (mine["usage"]["plan"]["name"], mine["isAdministrator"]) == ("one", False)
        assert mine["usage"]["meters"][0] == {
            "limitType": "lifetime_analyses",
            "used": 1,
            "limit": 1,
            "left": 0,
            "resetsAt": None,
        }
        assert (mine["messages"]["used"], mine["messages"]["limit"]) == (2, None)
        assert {"free", "pro"} <= {plan["name"] for plan in mine["onOffer"]}
        others = await server.http.get("/api/v1/me/usage", params=params, headers={"Authorization": "Bearer ben"})
        assert others.status_code == 404
        assert (
            await server.http.get("/api/v1/me/usage", params={"sessionId": new_id()}, headers=AS_ANNA)
        ).status_code == 404


async def test_a_plan_leaves_tools_out_and_only_tools_that_there_are(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        changed = await call(server, "PATCH", "/plans/free", {"hiddenTools": ["query_trace", "compare_traces"]})
        assert changed["plan"]["hiddenTools"] == ["compare_traces", "query_trace"]
        kept = await call(server, "PATCH", "/plans/free", {"monthlyUploadLimit": 3})
        assert kept["plan"]["hiddenTools"] == ["compare_traces", "query_trace"]
        path = "/api/v1/admin/plans/free"
        refused = await server.http.patch(
            path, json={"hiddenTools": ["query_trac"]}, headers={"Authorization": "Bearer root"}
        )
        assert refused.status_code == 400
        assert "did you mean query_trace" in refused.json()["detail"]
