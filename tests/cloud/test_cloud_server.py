"""A server of a project, from outside: who comes in and for how long, what it does without a socket, and how turns end
when a service fails."""

import logging
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from limits.plans import LOCAL_PLAN
from server.agent.turn import TurnAnswer, TurnInput, TurnSink
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET
from server.turns.turn_pictures import picture_path
from tests.cloud.faults import FAULTS, Fault
from tests.cloud.people import ProjectKeys, person_id
from tests.cloud.published_turns import broadcasts_until_end, events_of
from tests.cloud.team_server import PEOPLE, SECRET, TeamServer, team_server
from tests.cloud.test_cloud_identity import KINDS, false_tokens
from tests.server.running_server import STACKS, ScriptedAgent, Socket, saying
from tests.server.talking import END, answer_text, ask, new_id

pytestmark = pytest.mark.long

HUNG_S = 0.5
TWO_MESSAGES = replace(LOCAL_PLAN, name="small", chat_messages_per_session=2)


async def a_trace(team: TeamServer, name: str = "anna") -> str:
    answer = await team.server.upload(STACKS, token=team.token(name))
    assert answer.status_code == 201, answer.text
    trace_id: str = answer.json()["trace"]["traceId"]
    return trace_id


async def joined(team: TeamServer, socket: Socket, trace_id: str, token: str) -> None:
    await socket.send(type="start_analysis", traceId=trace_id, sessionId=new_id(), accessToken=token)
    socket.ack = await socket.next()
    assert socket.ack["type"] == "connection_ack", socket.ack


# Who comes in --------------------------------------------------------------------------------------------------------


async def test_a_page_learns_the_project_and_may_reach_it(tmp_path: Path) -> None:
    async with team_server(tmp_path) as team:
        answer = await team.server.http.get("/api/v1/config")
        assert answer.json() == {
            "identity": "supabase",
            "supabaseUrl": team.supabase.url,
            "supabasePublishableKey": team.supabase.keys.api_key("anon"),
            "supabaseAnonKey": team.supabase.keys.api_key("anon"),
            "realtime": True,
            "memory": False,
            "teams": True,
        }
        policy = answer.headers["content-security-policy"]
        socket_url = team.supabase.url.replace("http", "ws", 1)
        assert f"connect-src 'self' {team.supabase.url} {socket_url};" in policy
        assert team.supabase.keys.api_key("service_role") not in answer.text


@pytest.mark.parametrize("kind", KINDS)
async def test_a_false_token_is_refused_everywhere_and_never_logged(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO)
    async with team_server(tmp_path) as team:
        token, code = false_tokens(team.supabase.keys)[kind]
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = await team.server.http.get("/api/v1/traces", headers=headers)
        assert answer.status_code == 401
        assert answer.json()["code"] == code or kind == "changed"
        async with team.server.socket() as socket:
            await socket.send(type="start_analysis", traceId=new_id(), sessionId=new_id(), accessToken=token)
            assert await socket.closed_with() == 4401
            reason = socket.connection.close_reason or ""
            assert reason.startswith(f"{code}: ") or kind == "changed"
        out = capsys.readouterr()
        written = f"{caplog.text}{out.out}{out.err}{answer.text}{reason}"
        assert not [part for part in (token or "").split(".") if part and part in written]


async def test_another_users_trace_does_not_exist(tmp_path: Path) -> None:
    async with team_server(tmp_path) as team:
        trace_id = await a_trace(team)
        http = team.server.http
        assert (await http.get(f"/api/v1/traces/{trace_id}", headers=team.bearer("ben"))).status_code == 404
        async with team.server.socket() as socket:
            await socket.send(
                type="start_analysis", traceId=trace_id, sessionId=new_id(), accessToken=team.token("ben")
            )
            assert await socket.closed_with() == 4403


async def test_a_socket_outlives_its_token_by_a_moment_and_no_longer(tmp_path: Path) -> None:
    async with team_server(tmp_path, expired_grace_s=0.5) as team:
        trace_id = await a_trace(team)
        async with team.server.socket() as socket:
            await joined(team, socket, trace_id, team.token(exp=int(time.time()) + 6))
            assert await socket.closed_with() == 4401
            assert (socket.connection.close_reason or "").startswith("token_expired: ")


async def test_a_new_token_in_time_keeps_the_socket(tmp_path: Path) -> None:
    async with team_server(tmp_path, expired_grace_s=6) as team:
        trace_id = await a_trace(team)
        async with team.server.socket() as socket:
            first_ends = int(time.time())
            await joined(team, socket, trace_id, team.token(exp=first_ends))
            await socket.send(type="authenticate", accessToken=team.token())
            with anyio.move_on_after(first_ends + 6.5 - time.time()):
                pytest.fail(f"with the first token the server closed the socket, or sent {await socket.next()}")
            await socket.send(type="ping", nonce="n")
            assert (await socket.next())["type"] == "pong"


@pytest.mark.parametrize("kind", ["expired", "foreign project", "alg none", "nothing sensible", "anothers"])
async def test_a_false_new_token_closes_the_socket(kind: str, tmp_path: Path) -> None:
    async with team_server(tmp_path) as team:
        fresh = {"nothing sensible": "x", "anothers": team.token("ben")}
        token = fresh.get(kind) or false_tokens(team.supabase.keys)[kind][0]
        async with team.server.socket() as socket:
            await joined(team, socket, await a_trace(team), team.token())
            await socket.send(type="authenticate", accessToken=token)
            assert await socket.closed_with() == 4401


async def test_while_the_projects_keys_cannot_be_had_a_client_is_asked_to_retry(tmp_path: Path) -> None:
    async with team_server(tmp_path) as team:
        team.supabase.faults.always("auth", "500")
        answer = await team.server.http.get("/api/v1/traces", headers=team.bearer())
        assert answer.status_code == 503
        async with team.server.socket() as socket:
            await socket.send(type="start_analysis", traceId=new_id(), sessionId=new_id(), accessToken=team.token())
            assert await socket.closed_with() == 1013


# Without a socket ----------------------------------------------------------------------------------------------------


async def test_a_prompt_over_http_is_answered_on_realtime(tmp_path: Path) -> None:
    async with team_server(tmp_path) as team:
        trace_id, session_id, turn_id = await a_trace(team), new_id(), new_id()
        http, headers = team.server.http, team.bearer()
        opened = await http.post(f"/api/v1/sessions/{session_id}/join", json={"traceId": trace_id}, headers=headers)
        assert opened.status_code == 200, opened.text
        assert opened.json()["ack"]["opening"]["findings"]
        assert opened.json()["snapshot"] is None
        prompt = {"prompt": "why?", "turnId": turn_id}
        asked = await http.post(f"/api/v1/sessions/{session_id}/prompts", json=prompt, headers=headers)
        assert (asked.status_code, asked.json()["turnId"]) == (202, turn_id)
        broadcasts = await broadcasts_until_end(team.supabase)
        assert {one["topic"] for one in broadcasts} == {f"chat:{session_id}"}
        assert answer_text(events_of(broadcasts)) == "It is read."
        again = await http.post(f"/api/v1/sessions/{session_id}/prompts", json=prompt, headers=headers)
        assert again.status_code == 202
        history = await http.get(f"/api/v1/sessions/{session_id}/messages", headers=headers)
        assert [one["sender"] for one in history.json()["messages"]] == ["user", "model"]


async def test_whoever_comes_late_joins_the_running_turn_and_may_stop_it(tmp_path: Path) -> None:
    gate = anyio.Event()
    async with team_server(tmp_path, ScriptedAgent([*saying("It is "), gate])) as team:
        trace_id, session_id, turn_id = await a_trace(team), new_id(), new_id()
        http, headers = team.server.http, team.bearer()
        prompt = {"prompt": "why?", "turnId": turn_id, "traceId": trace_id}
        await http.post(f"/api/v1/sessions/{session_id}/prompts", json=prompt, headers=headers)
        snapshot: dict[str, Any] | None = None
        with anyio.fail_after(60):
            while not (snapshot and snapshot["messages"]):
                answer = await http.post(
                    f"/api/v1/sessions/{session_id}/join", json={"traceId": trace_id}, headers=headers
                )
                snapshot = answer.json()["snapshot"]
        assert snapshot["messages"][0]["text"] == "It is "
        busy = await http.post(f"/api/v1/sessions/{session_id}/prompts", json={"prompt": "and?"}, headers=headers)
        assert busy.status_code == 409
        assert (await http.post(f"/api/v1/turns/{turn_id}/cancel", headers=headers)).status_code == 204
        assert events_of(await broadcasts_until_end(team.supabase))[-1]["type"] == "turn_cancelled"


async def test_a_picture_is_fetched_from_storage_by_an_address_that_is_new_each_time(tmp_path: Path) -> None:
    async with team_server(tmp_path) as team:
        trace_id = await a_trace(team)
        async with team.server.socket() as socket:
            await joined(team, socket, trace_id, team.token())
            turn_id = await ask(socket)
            await socket.until(*END)
        path = picture_path(PEOPLE["anna"].account_id, turn_id, "call")
        await team.server.parts.objects.put(PICTURES_BUCKET, path, b"png")
        url = f"/api/v1/pictures/{turn_id}/call.png"
        answer = await team.server.http.get(url, headers=team.bearer())
        assert (answer.status_code, answer.headers["cache-control"]) == (307, "no-store")
        assert answer.headers["location"].startswith(f"{team.supabase.url}/storage/v1/object/sign/ai-snapshots/")
        async with httpx.AsyncClient(timeout=60) as anyone:
            assert (await anyone.get(answer.headers["location"])).content == b"png"
        by_cookie = await team.server.http.get(url, headers={"Cookie": f"flamechat_access={team.token()}"})
        assert by_cookie.status_code == 307
        assert (await team.server.http.get(url, headers=team.bearer("ben"))).status_code == 404


async def test_a_trace_goes_with_its_file(tmp_path: Path) -> None:
    async with team_server(tmp_path) as team:
        trace_id = await a_trace(team)
        assert [bucket for bucket, _ in team.supabase.storage.objects] == [TRACES_BUCKET]
        assert next(iter(team.supabase.storage.objects))[1].startswith(f"{PEOPLE['anna'].account_id}/")
        gone = await team.server.http.delete(f"/api/v1/traces/{trace_id}", headers=team.bearer())
        assert gone.status_code == 204
        assert not team.supabase.storage.objects


# A gateway -----------------------------------------------------------------------------------------------------------


def a_turn(trace_id: str, **more: Any) -> dict[str, Any]:
    turn = {"type": "user_prompt", "userId": person_id("anna"), "traceId": trace_id, "sessionId": new_id()}
    return turn | {"turnId": new_id(), "prompt": "why?"} | more


async def test_a_gateway_starts_a_turn_once_and_it_is_sent_to_realtime(tmp_path: Path) -> None:
    async with team_server(tmp_path) as team:
        turn = a_turn(await a_trace(team))
        for _ in range(2):
            answer = await team.server.http.post(
                "/api/v1/ai/process-turn", json=turn, headers={"X-Internal-Auth-Token": SECRET}
            )
            assert (answer.status_code, answer.json()["turnId"]) == (202, turn["turnId"])
        assert answer_text(events_of(await broadcasts_until_end(team.supabase))) == "It is read."
        url = f"/api/v1/sessions/{turn['sessionId']}/messages"
        assert len((await team.server.http.get(url, headers=team.bearer())).json()["messages"]) == 2


@pytest.mark.parametrize("given", [None, "", "wrong", SECRET[:-1], f"Bearer {SECRET}"])
async def test_a_gateway_without_the_secret_is_refused(given: str | None, tmp_path: Path) -> None:
    async with team_server(tmp_path) as team:
        headers = {} if given is None else {"X-Internal-Auth-Token": given}
        answer = await team.server.http.post(
            "/api/v1/ai/process-turn", json=a_turn(await a_trace(team)), headers=headers
        )
        assert answer.status_code == 401


async def test_without_a_secret_no_gateway_is_let_in(tmp_path: Path) -> None:
    async with team_server(tmp_path, secret=None) as team:
        for given in ("", "None"):
            answer = await team.server.http.post(
                "/api/v1/ai/process-turn",
                json=a_turn(await a_trace(team)),
                headers={"X-Internal-Auth-Token": given},
            )
            assert answer.status_code == 401


async def test_a_gateway_opens_only_what_is_its_users(tmp_path: Path) -> None:
    async with team_server(tmp_path) as team:
        turn = a_turn(await a_trace(team))
        for changed in (
            {"userId": person_id("ben")},
            {"userId": person_id("nobody")},
            {"traceId": new_id()},
        ):
            answer = await team.server.http.post(
                "/api/v1/ai/process-turn", json=turn | changed, headers={"X-Internal-Auth-Token": SECRET}
            )
            assert answer.status_code == 404, answer.text
        without = turn | {"prompt": None}
        answer = await team.server.http.post(
            "/api/v1/ai/process-turn", json=without, headers={"X-Internal-Auth-Token": SECRET}
        )
        assert (answer.status_code, answer.json()["field"]) == (400, "prompt")


async def test_a_refusal_at_a_limit_of_a_gateways_turn_reaches_the_page_by_realtime(tmp_path: Path) -> None:
    async with team_server(tmp_path, plan=TWO_MESSAGES) as team:
        turn = a_turn(await a_trace(team))
        headers = {"X-Internal-Auth-Token": SECRET}
        await team.server.http.post("/api/v1/ai/process-turn", json=turn, headers=headers)
        await broadcasts_until_end(team.supabase)
        refused = await team.server.http.post(
            "/api/v1/ai/process-turn", json=turn | {"turnId": new_id()}, headers=headers
        )
        assert refused.status_code == 429
        await team.supabase.realtime.broadcasts.until(lambda broadcasts: broadcasts[-1]["event"] == "chat_error")
        error = team.supabase.realtime.broadcasts[-1]
        assert error["topic"] == f"chat:{turn['sessionId']}"
        assert (error["payload"]["limitType"], error["payload"]["limit"]) == ("session_messages", 2)


# Faults during a turn ------------------------------------------------------------------------------------------------


class Drawing(ScriptedAgent):
    """Stores a picture during its turn, as a tool does."""

    team: TeamServer

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        path = picture_path(turn.caller.account_id, turn.turn_id, "call")
        await self.team.server.parts.objects.put(PICTURES_BUCKET, path, b"png")
        return await super().answer(turn, sink)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("service", ["storage", "realtime", "auth"])
async def test_one_fault_of_a_service_during_a_turn(service: str, fault: Fault, tmp_path: Path) -> None:
    agent = Drawing()
    async with team_server(tmp_path, agent) as team:
        agent.team = team
        trace_id = await a_trace(team)
        async with team.server.socket() as socket:
            await joined(team, socket, trace_id, team.token())
            team.wait_for_answers(HUNG_S if fault == "hang" else 60)
            team.supabase.faults.plan(service, fault)
            await ask(socket)
            messages = await socket.until(*END)
        if (service, fault) == ("storage", "wrong"):  # an answer that is not Storage's is not tried again
            assert (messages[-1]["code"], messages[-1]["retryable"]) == ("service_unavailable", True)
        else:
            assert messages[-1]["type"] == "model_response_end"
            assert answer_text(messages) == "It is read."
            assert answer_text(events_of(await broadcasts_until_end(team.supabase))) == "It is read."


@pytest.mark.parametrize("fault", ["500", "cut", "hang", "wrong"])
async def test_a_turn_that_needs_a_dead_storage_fails_and_says_so(fault: Fault, tmp_path: Path) -> None:
    agent = Drawing()
    async with team_server(tmp_path, agent) as team:
        agent.team = team
        trace_id = await a_trace(team)
        async with team.server.socket() as socket:
            await joined(team, socket, trace_id, team.token())
            team.wait_for_answers(HUNG_S if fault == "hang" else 60)
            team.supabase.faults.always("storage", fault)
            await ask(socket)
            failed = (await socket.until(*END))[-1]
            assert (failed["type"], failed["code"], failed["retryable"]) == (
                "turn_failed",
                "service_unavailable",
                True,
            )
            assert "store of files" in failed["message"]
            team.supabase.faults.always("storage", None)
            team.wait_for_answers(60)
            await ask(socket)
            assert (await socket.until(*END))[-1]["type"] == "model_response_end"


@pytest.mark.parametrize("fault", ["500", "cut", "hang", "wrong"])
async def test_a_dead_realtime_costs_a_turn_nothing_but_itself(fault: Fault, tmp_path: Path) -> None:
    async with team_server(tmp_path) as team:
        team.supabase.faults.always("realtime", fault)
        async with team.server.socket() as socket:
            await joined(team, socket, await a_trace(team), team.token())
            team.wait_for_answers(HUNG_S if fault == "hang" else 60)
            for _ in range(3):
                await ask(socket)
                messages = await socket.until(*END)
                assert messages[-1]["type"] == "model_response_end"
                assert answer_text(messages) == "It is read."


async def test_a_dead_auth_does_not_sign_out_whoever_is_in(tmp_path: Path) -> None:
    async with team_server(tmp_path) as team:
        trace_id = await a_trace(team)
        team.supabase.faults.always("auth", "hang")
        async with team.server.socket() as socket:
            await joined(team, socket, trace_id, team.token())
            await ask(socket)
            assert (await socket.until(*END))[-1]["type"] == "model_response_end"
        stranger = ProjectKeys(team.supabase.url).token(person_id("anna"), key_id="unknown")
        refused = await team.server.http.get("/api/v1/traces", headers={"Authorization": f"Bearer {stranger}"})
        assert refused.status_code == 401


async def test_an_upload_that_cannot_be_stored_is_refused_and_counts_nothing(tmp_path: Path) -> None:
    async with team_server(tmp_path) as team:
        team.supabase.faults.always("storage", "500")
        answer = await team.server.upload(STACKS, token=team.token())
        assert answer.status_code == 503
        assert (await team.server.http.get("/api/v1/traces", headers=team.bearer())).json()["traces"] == []
