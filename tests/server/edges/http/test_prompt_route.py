"""POST /api/chat and GET /api/evals: a question and its answer in one request, and how turns went."""

import json
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import anyio
import pytest

from limits.plans import LOCAL_PLAN
from server.cleaning import HALF_CHARACTER
from server.errors import ModelFailed
from server.protocol.wire_values import OutsideSource
from tests.server.running_server import ScriptedAgent, running_server
from tests.server.talking import new_id

AS_ANNA = {"Authorization": "Bearer anna"}


async def test_a_question_is_answered_in_one_request_and_its_session_goes_on(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        asked = {"message": "Why is it slow?", "flamechat_trace_id": trace_id}
        first = (await server.http.post("/api/chat", json=asked, headers=AS_ANNA)).json()
        assert (first["answer"], first["sources"]) == ("It is read.", [])
        assert first["flamechat_trace_id"] == trace_id
        more = {"message": "And then?", "session_id": first["session_id"]}
        second = (await server.http.post("/api/chat", json=more, headers=AS_ANNA)).json()
        assert second["session_id"] == first["session_id"]
        assert second["trace_id"] != first["trace_id"]
        path = f"/api/v1/sessions/{first['session_id']}/messages"
        history = (await server.http.get(path, headers=AS_ANNA)).json()["messages"]
        assert [one["contentText"] for one in history if one["sender"] == "user"] == ["Why is it slow?", "And then?"]


async def test_whom_an_answer_asked_outside_is_among_its_sources_and_stored_with_it(tmp_path: Path) -> None:
    page = OutsideSource(name="docs.example", url="https://docs.example/7")
    async with running_server(tmp_path, ScriptedAgent(sources=(page, OutsideSource(name="tracker")))) as server:
        await server.trace_id()
        answer = (await server.http.post("/api/chat", json={"message": "?"}, headers=AS_ANNA)).json()
        sources = [
            {"name": "docs.example", "url": page.url, "handle": None},
            {"name": "tracker", "url": None, "handle": None},
        ]
        assert answer["sources"] == sources
        path = f"/api/v1/sessions/{answer['session_id']}/messages"
        history = (await server.http.get(path, headers=AS_ANNA)).json()["messages"]
        assert [one["metadata"]["sources"] for one in history if one["sender"] == "model"] == [sources]


async def test_without_a_trace_the_newest_is_asked_about_and_none_is_said_so(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        none = await server.http.post("/api/chat", json={"message": "?"}, headers=AS_ANNA)
        assert (none.status_code, none.json()["field"]) == (400, "flamechat_trace_id")
        trace_id = await server.trace_id()
        answer = await server.http.post("/api/chat", json={"message": "?"}, headers=AS_ANNA)
        assert answer.json()["flamechat_trace_id"] == trace_id
        listed = (await server.http.get("/api/v1/traces", headers=AS_ANNA)).json()["traces"]
        assert answer.json()["flamechat_trace_name"] == listed[0]["name"]


async def test_too_many_prompts_are_refused_before_anything_is_looked_up(tmp_path: Path) -> None:
    """A trace that is not there would be missed: nothing asks for it, and no session is made to be removed again."""
    async with running_server(tmp_path, prompts_per_minute=3) as server:
        trace_id = await server.trace_id()
        asked = {"message": "Why is it slow?", "flamechat_trace_id": trace_id}
        answers = [await server.http.post("/api/chat", json=asked, headers=AS_ANNA)]
        for unknown in (new_id(), new_id()):
            question = {"message": "?", "flamechat_trace_id": unknown}
            answers.append(await server.http.post("/api/chat", json=question, headers=AS_ANNA))
        assert [one.status_code for one in answers] == [200, 429, 429]
        assert int(answers[-1].headers["retry-after"]) >= 1
        sessions = (await server.http.get("/api/v1/sessions", headers=AS_ANNA)).json()["sessions"]
        assert [one["sessionId"] for one in sessions] == [answers[0].json()["session_id"]]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"message": ""}, 400),
        ({"message": " \n"}, 400),
        ({"message": "?", "surprise": 1}, 400),
        ({"message": "?", "flamechat_trace_id": new_id()}, 404),
    ],
)
async def test_a_bad_question_is_a_problem_document(tmp_path: Path, body: dict[str, object], status: int) -> None:
    async with running_server(tmp_path) as server:
        answer = await server.http.post("/api/chat", json=body, headers=AS_ANNA)
        assert answer.status_code == status
        assert answer.headers["content-type"] == "application/problem+json"


async def test_half_a_character_is_called_so(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        headers = AS_ANNA | {"Content-Type": "application/json"}
        for path, key in (("/api/chat", "message"), (f"/api/v1/sessions/{new_id()}/prompts", "prompt")):
            answer = await server.http.post(path, content=json.dumps({key: "why \ud83d"}).encode(), headers=headers)
            assert answer.status_code == 400
            assert answer.json()["detail"] == HALF_CHARACTER


async def test_a_failed_turn_and_a_ceiling_are_problem_documents(tmp_path: Path) -> None:
    agent = ScriptedAgent(script=[ModelFailed("The provider is away.")])
    plan = replace(LOCAL_PLAN, chat_messages_per_session=1)
    async with running_server(tmp_path, agent=agent, plan=plan) as server:
        asked = {"message": "?", "flamechat_trace_id": await server.trace_id(), "session_id": new_id()}
        failed = await server.http.post("/api/chat", json=asked, headers=AS_ANNA)
        assert failed.status_code >= 500
        assert "away" in failed.json()["detail"]
        agent.script = ()
        refused = await server.http.post("/api/chat", json=asked, headers=AS_ANNA)
        refused = await server.http.post("/api/chat", json=asked, headers=AS_ANNA)
        assert refused.status_code in (402, 403, 429)


async def test_no_session_is_made_for_a_question_that_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def none_is_made(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a session was made")

    plan = replace(LOCAL_PLAN, chat_messages_per_session=0)
    async with running_server(tmp_path, plan=plan) as server:
        asked = {"message": "?", "flamechat_trace_id": await server.trace_id(), "session_id": new_id()}
        monkeypatch.setattr(server.parts.services.chat.conversation, "open", none_is_made)
        monkeypatch.setattr(server.parts.services.chat.conversation, "join", none_is_made)
        refused = await server.http.post("/api/chat", json=asked, headers=AS_ANNA)
        assert (refused.status_code, refused.json()["limitType"]) == (429, "session_messages")
        shown = await server.http.get(f"/api/v1/sessions/{asked['session_id']}/messages", headers=AS_ANNA)
        assert shown.status_code == 404


async def test_whoever_waited_long_enough_learns_where_the_answer_will_be(tmp_path: Path) -> None:
    goes_on = anyio.Event()
    agent = ScriptedAgent(script=[goes_on])
    async with running_server(tmp_path, agent=agent) as server:
        object.__setattr__(server.parts.services.chat, "answer_within_s", 0.2)
        asked = {"message": "?", "flamechat_trace_id": await server.trace_id()}
        answer = await server.http.post("/api/chat", json=asked, headers=AS_ANNA)
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
        goes_on.set()


async def test_evals_report_latency_tools_tokens_and_checks_of_ones_own_turns(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        asked = {"message": "Why?", "flamechat_trace_id": await server.trace_id()}
        answered = (await server.http.post("/api/chat", json=asked, headers=AS_ANNA)).json()
        turns = (await server.http.get("/api/evals", headers=AS_ANNA)).json()["turns"]
        assert [turn["trace_id"] for turn in turns] == [answered["trace_id"]]
        assert turns[0]["completed"]
        assert turns[0]["model"] == "script"
        assert turns[0]["latency_ms"] >= 0
        assert turns[0]["checks"] == {}
        as_ben, as_root = ({"Authorization": f"Bearer {name}"} for name in ("ben", "root"))
        nothing: dict[str, list[object]] = {"recent": [], "turns": [], "totals": []}
        assert (await server.http.get("/api/evals", headers=as_ben)).json() == nothing
        assert (await server.http.get("/api/evals?scope=all", headers=as_ben)).status_code == 403
        found = (await server.http.get("/api/evals?scope=all", headers=as_root)).json()
        assert found["recent"] == turns
        (totals,) = found["totals"]
        assert (totals["model"], totals["turns"], totals["completed_rate"], totals["verified_share"]) == (
            "script",
            1,
            1.0,
            None,
        )
