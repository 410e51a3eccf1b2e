"""What an account is asked at first, over HTTP: kept, made facts of, confirmed, and counting nothing."""

from pathlib import Path
from typing import Any

import pytest

from server.turns.onboarding import answer_facts
from tests.server.running_server import STACKS, RunningServer, running_server

ROOT = "/api/v1/memory/onboarding"
ANNA, BEN = {"Authorization": "Bearer anna"}, {"Authorization": "Bearer ben"}
ANSWERS = {"purpose": "importing invoices", "limits": "300 ms for a request\nWe have 2 GB", "leaveOut": "vendor"}


async def looked(server: RunningServer, headers: dict[str, str] = ANNA) -> dict[str, Any]:
    found: dict[str, Any] = (await server.http.get(ROOT, headers=headers)).json()
    return found


async def test_it_is_offered_once_from_three_recordings_on(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        offered = [(await looked(server))["offered"]]
        for at in range(3):
            await server.http.post(f"/api/v1/traces?name=orders-{at}.txt", content=STACKS, headers=ANNA)
            offered.append((await looked(server))["offered"])
        assert offered == [False, False, False, True]
        assert (await looked(server))["observed"][0] == "Recordings are of orders"
        assert (await server.http.delete(ROOT, headers=ANNA)).status_code == 204
        assert (await looked(server))["offered"] is False


async def test_answers_are_kept_become_facts_and_are_remembered_when_they_are_confirmed(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        body = {"struck": ["x"], "answers": ANSWERS}
        assert (await server.http.put(ROOT, json=body, headers=ANNA)).status_code == 200
        again = await looked(server)
        assert {one["name"]: one["answer"] for one in again["questions"]} == ANSWERS
        assert (again["started"], again["struck"], again["facts"]) == (True, ["x"], None)
        assert (await looked(server, BEN))["started"] is False
        made = (await server.http.post(f"{ROOT}/facts", headers=ANNA)).json()
        lines = [
            "The program is for importing invoices",
            "Limit: 300 ms for a request",
            "Limit: We have 2 GB",
            "Leave out vendor",
        ]
        assert made["facts"].split("\n") == lines
        said = {"text": "we import invoices", "version": made["version"] + 1}
        late = await server.http.post(f"{ROOT}/confirmation", json=said, headers=ANNA)
        assert (late.status_code, late.json()["yours"]) == (409, {"text": "we import invoices"})
        assert (await looked(server))["started"] is True
        done = await server.http.post(f"{ROOT}/confirmation", json=said | {"version": made["version"]}, headers=ANNA)
        assert done.json()["text"] == "we import invoices"
        assert (await server.http.get("/api/v1/memory/core", headers=ANNA)).json()["text"] == "we import invoices"
        ended = await looked(server)
        assert (ended["started"], ended["offered"], ended["facts"]) == (False, False, None)


@pytest.mark.parametrize(
    ("body", "field"),
    [({"answers": {"name": "Anna"}}, "answers"), ({"answers": {"limits": "x" * 4_001}}, "limits")],
)
async def test_what_is_not_asked_or_too_long_is_refused(tmp_path: Path, body: dict[str, Any], field: str) -> None:
    async with running_server(tmp_path) as server:
        answer = await server.http.put(ROOT, json=body, headers=ANNA)
        assert answer.status_code in (400, 422), answer.text
        assert field in answer.text


async def test_a_secret_is_not_confirmed(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        body = {"text": "the database password is hunter22", "version": 0}
        answer = await server.http.post(f"{ROOT}/confirmation", json=body, headers=ANNA)
        assert (answer.status_code, answer.json()["field"]) == (400, "text")
        assert (await server.http.get("/api/v1/memory/core", headers=ANNA)).json()["version"] == 0


async def test_the_command_is_no_question_and_counts_none(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace = (await server.http.post("/api/v1/traces?name=a.txt", content=STACKS, headers=ANNA)).json()["trace"]
        session = "9a0b2d4c-1111-4222-8333-444455556666"
        before = (await server.http.get("/api/v1/me/usage", headers=ANNA)).json()
        asked = await server.http.post(
            f"/api/v1/sessions/{session}/prompts",
            json={"traceId": trace["traceId"], "prompt": " /INIT now"},
            headers=ANNA,
        )
        assert (asked.status_code, asked.json()["field"]) == (400, "prompt")
        assert "/account" in asked.json()["detail"]
        assert (await server.http.get("/api/v1/me/usage", headers=ANNA)).json() == before
        assert (await server.http.get("/api/v1/sessions", headers=ANNA)).json()["sessions"] == []


def test_each_line_of_an_answer_stands_by_itself() -> None:
    assert answer_facts("limits", "- requests stay under 300 ms.\n\n* 2 GB") == [
        "requests stay under 300 ms",
        "Limit: 2 GB",
    ]
    assert answer_facts("leaveOut", "Ignore vendor. tests") == ["Ignore vendor", "Leave out tests"]
    assert answer_facts("purpose", "  \n ") == []
    assert answer_facts("purpose", f"it {'x' * 4_000}") == [f"it {'x' * 4_000}"]


async def test_answers_that_have_no_room_together_are_refused_and_not_cut(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        answers = {"purpose": "x" * 3_000, "limits": "y" * 3_000}
        answer = await server.http.put(ROOT, json={"answers": answers}, headers=ANNA)
        assert (answer.status_code, answer.json()["field"]) == (400, "answers")
        assert "1,106 too many" in answer.json()["detail"]
        assert (await looked(server))["started"] is False


async def test_what_is_confirmed_keeps_every_word_of_the_answers(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        answers = {"purpose": "x" * 3_000, "limits": "y" * 1_890}
        assert (await server.http.put(ROOT, json={"answers": answers}, headers=ANNA)).status_code == 200
        body = {"text": "we import invoices", "version": 0}
        assert (await server.http.post(f"{ROOT}/confirmation", json=body, headers=ANNA)).status_code == 200
        kept = (await server.http.get("/api/v1/memory/export", headers=ANNA)).json()["initialText"]
        assert kept.endswith("y" * 1_890)
        assert "x" * 3_000 in kept
