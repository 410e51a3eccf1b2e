"""`flamechat serve --role web` and `--role worker`: who takes requests and who runs turns, over one database."""

import asyncio
from pathlib import Path

import httpx
import pytest

from server.adapters.postgres.embedded import EmbeddedPostgres
from tests.cloud.s3_server import s3_server
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint
from tests.plugins.laid_databases import lay_database
from tests.server.test_serve import serving
from tests.soak.fleet import STACKS, Fleet, Member, fleet, turns_running

WITHIN_S = 60
ALL_S = 300
"""Only a bound, for an answer that waits until workers were started and one of them was killed."""
QUESTIONS = 8
AT_ONCE = 3
ACCEPTED = "select count(*) from chat_turns where status = 'accepted'"

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]


def client_of(member: Member) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=member.address, trust_env=False, timeout=WITHIN_S)


async def ask(web: Member, servers: Fleet, number: int) -> str:
    async with client_of(web) as http:
        question = {"message": f"Why is this slow ({number})?", "flamechat_trace_id": servers.trace_id}
        answer = await http.post("/api/chat", json=question, timeout=ALL_S)
    assert answer.status_code == 200, answer.text
    said: str = answer.json()["answer"]
    return said


async def test_turns_wait_for_a_worker_and_are_answered_though_one_is_killed(tmp_path: Path) -> None:
    gate = asyncio.Event()
    replies = [Reply(text="It is all in parse.", gate=gate) for _ in range(4 * QUESTIONS)]
    async with (
        openai_endpoint(*replies) as endpoint,
        fleet(
            tmp_path,
            1,
            model_url=endpoint.base_url,
            FLAMECHAT_ROLE="web",
            FLAMECHAT_TURNS_AT_ONCE=str(AT_ONCE),
            FLAMECHAT_MODEL_RESPONSES_API="false",
        ) as servers,
    ):
        await _a_worker_is_killed(servers, endpoint, gate)


async def _a_worker_is_killed(servers: Fleet, endpoint: Endpoint, gate: asyncio.Event) -> None:
    (web,) = servers.members
    async with asyncio.TaskGroup() as asking:
        answers = [asking.create_task(ask(web, servers, number)) for number in range(QUESTIONS)]
        await servers.until(ACCEPTED, [(QUESTIONS,)])
        assert endpoint.requests == [], "who takes requests runs no turn"
        await servers.start(2, "--role", "worker")
        _, first, second = servers.members
        for worker in (first, second):
            await servers.until_running(worker, AT_ONCE)
            async with client_of(worker) as http:
                probes = [(await http.get(path)).status_code for path in ("/health", "/ready", "/api/v1/traces", "/")]
            assert probes == [200, 200, 404, 404]
        assert await turns_running(web) == 0
        await servers.kill(first)
        gate.set()
    assert [answer.result() for answer in answers] == ["It is all in parse."] * QUESTIONS
    assert await servers.select("select status, count(*) from chat_turns group by 1") == [("completed", QUESTIONS)]


async def test_two_machines_share_a_database_and_a_bucket_and_nothing_else(tmp_path: Path) -> None:
    await asyncio.to_thread(lay_database, tmp_path / "postgres")
    async with EmbeddedPostgres(tmp_path / "postgres") as postgres, s3_server() as s3:
        shared = s3.settings() | {
            "FLAMECHAT_DATABASE_URL": postgres.owner_dsn,
            "FLAMECHAT_DATABASE_SESSION_URL": postgres.owner_dsn,
        }
        async with asyncio.timeout(2 * WITHIN_S):
            said = await asyncio.to_thread(_asked_of_two_machines, tmp_path, shared)
    assert "parse" in said
    assert [key for key in s3.objects if key.startswith("team/traces/")]
    assert not (tmp_path / "web" / "objects").exists()


def _asked_of_two_machines(folder: Path, shared: dict[str, str]) -> str:
    """Each has a data folder of its own; the worker has never seen the trace."""
    with (
        serving(folder / "web", "--role", "web", **shared) as (_, web),
        serving(folder / "worker", "--role", "worker", **shared),
        httpx.Client(base_url=web, trust_env=False, timeout=WITHIN_S) as http,
    ):
        stored = http.post("/api/v1/traces?name=stacks.txt", content=STACKS)
        assert stored.status_code == 201, stored.text
        question = {"message": "What is slow?", "flamechat_trace_id": stored.json()["trace"]["traceId"]}
        answer = http.post("/api/chat", json=question)
        assert answer.status_code == 200, answer.text
        said: str = answer.json()["answer"]
        return said
