"""What a process reports to its monitor, and to whom."""

from pathlib import Path

import anyio
import pytest
from prometheus_client.parser import text_string_to_metric_families

from limits.plans import Plan, SessionsPeriod
from server.adapters.prometheus import PrometheusMeasures
from server.errors import ModelFailed
from server.protocol.wire_values import Usage
from tests.process_workers import process_workers
from tests.server.running_server import RunningServer, ScriptedAgent, running_server, saying
from tests.server.talking import END, ask

AS_ROOT = {"Authorization": "Bearer root"}
ONE_EACH = Plan(
    name="one",
    display_name="One",
    chat_sessions_limit=1,
    chat_sessions_period=SessionsPeriod.MONTHLY,
    monthly_upload_limit=1,
)


async def numbers(server: RunningServer) -> dict[str, float]:
    """Every sample by its name and labels."""
    answer = await server.http.get("/metrics", headers=AS_ROOT)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {
        sample.name + "".join(f" {value}" for value in sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def test_turns_are_counted_by_their_end_with_their_wait_their_time_and_their_tokens(tmp_path: Path) -> None:
    agent = ScriptedAgent(usage=Usage(input_tokens=700, output_tokens=30))
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        assert (await numbers(server))["flamechat_turns_ended_total completed"] == 0
        await ask(socket)
        await socket.until(*END)
        agent.script = [*saying("It "), ModelFailed("The provider is down.", code="provider_down")]
        await ask(socket)
        await socket.until(*END)
        agent.script = [*saying("It "), anyio.Event()]
        stopped = await ask(socket)
        await socket.until("model_chunk_start")
        running = await numbers(server)
        await socket.send(type="cancel_turn", turnId=stopped)
        await socket.until(*END)
        counted = await numbers(server)
    assert [counted[f"flamechat_turns_ended_total {end}"] for end in ("completed", "failed", "cancelled")] == [1, 1, 1]
    assert counted["flamechat_turn_failures_total provider_down"] == 1
    assert counted["flamechat_turn_wait_seconds_count"] == counted["flamechat_turn_seconds_count"] == 3
    assert (counted["flamechat_tokens_total in"], counted["flamechat_tokens_total out"]) == (700, 30)
    assert running["flamechat_turns_running"] == 1
    assert running["flamechat_sockets_open"] == 1
    assert counted["process_resident_memory_bytes"] > 0


async def test_what_met_a_limit_is_counted_by_the_limit(tmp_path: Path) -> None:
    async with running_server(tmp_path, plan=ONE_EACH) as server:
        trace_id = await server.trace_id()
        assert (await server.upload()).status_code == 429
        async with server.session(trace_id) as socket:
            await ask(socket)
            await socket.until(*END)
        async with server.session(trace_id) as socket:
            await ask(socket)
            await socket.until("chat_error")
        counted = await numbers(server)
    assert counted["flamechat_refused_total monthly_uploads"] == 1
    assert counted["flamechat_refused_total monthly_sessions"] == 1


async def test_workers_show_what_runs_and_what_waits(tmp_path: Path) -> None:
    shown = PrometheusMeasures(process_workers(tmp_path)).exposition()
    for name in ("imports_running", "imports_waiting", "questions_waiting"):
        assert f"\nflamechat_{name} 0.0\n" in shown


async def test_the_event_loop_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.adapters.prometheus.LOOK_EVERY_S", 0.001)
    measures = PrometheusMeasures()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(measures.watch_loop)
        with anyio.fail_after(60):
            while "event_loop_lag_seconds_count 0.0" in measures.exposition():
                await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()


async def test_two_servers_of_one_process_count_for_themselves(tmp_path: Path) -> None:
    async with running_server(tmp_path) as one, running_server(tmp_path) as other:
        async with one.session(await one.trace_id()) as socket:
            await ask(socket)
            await socket.until(*END)
        assert (await numbers(one))["flamechat_turns_ended_total completed"] == 1
        assert (await numbers(other))["flamechat_turns_ended_total completed"] == 0


async def test_the_numbers_are_an_administrators_or_the_monitors_with_its_own_token(tmp_path: Path) -> None:
    async with running_server(tmp_path, metrics_token="scrape-me") as server:
        for headers, status in (
            ({}, 401),
            ({"Authorization": "Bearer anna"}, 403),
            (AS_ROOT, 200),
            ({"Authorization": "Bearer scrape-me"}, 200),
            ({"Authorization": "Bearer scrape-m"}, 401),
        ):
            assert (await server.http.get("/metrics", headers=headers)).status_code == status
        with_it = {"Authorization": "Bearer scrape-me"}
        assert (await server.http.get("/api/v1/traces", headers=with_it)).status_code == 401
