"""The way of docs/deploy.md from one machine to several, walked with its own commands: a recording and a conversation
that were there at the first step are there at the last."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import anyio
import httpx
import pytest

from server.adapters.postgres.embedded import EmbeddedPostgres
from tests.cloud.s3_server import s3_server
from tests.server.test_serve import COMMAND, serving, settings

pytestmark = [pytest.mark.long, pytest.mark.timeout(580)]

GUIDE = Path(__file__).parents[2] / "docs" / "deploy.md"
STACKS = b"main;parse;tokens 80\nmain;parse 10\nmain;write 10\n"
WITHIN_S = 150
WALKED = {
    "flamechat serve",
    "flamechat serve --role web",
    "flamechat serve --role worker",
    "flamechat backup",
    "flamechat restore",
}


def test_the_guide_names_no_command_that_is_not_walked_here() -> None:
    chapter = GUIDE.read_text(encoding="utf-8").partition("## From one machine to many")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(flamechat [^`]+)`", chapter)) == WALKED


async def test_what_one_machine_had_is_asked_about_on_several(tmp_path: Path) -> None:
    trace_id = await anyio.to_thread.run_sync(_one_machine_then_two_servers, tmp_path)
    _run(["backup", str(tmp_path / "backup")], FLAMECHAT_DATA=str(tmp_path / "one"))
    async with EmbeddedPostgres(tmp_path / "postgres") as postgres, s3_server() as s3:
        shared = s3.settings() | {
            "FLAMECHAT_DATABASE_URL": postgres.owner_dsn,
            "FLAMECHAT_DATABASE_SESSION_URL": postgres.owner_dsn,
        }
        await anyio.to_thread.run_sync(_several_machines, tmp_path, shared, trace_id)
        assert [key for key in s3.objects if key.startswith("team/traces/")], "the files moved to the bucket"


def _one_machine_then_two_servers(folder: Path) -> str:
    data = folder / "one"
    with _clients(data, 2) as (first, second):
        stored = first.post("/api/v1/traces?name=stacks.txt", content=STACKS)
        assert stored.status_code == 201, stored.text
        trace_id: str = stored.json()["trace"]["traceId"]
        assert "parse" in _answer(first, trace_id)
        assert "parse" in _answer(second, trace_id), "the second server shares the data folder"
    return trace_id


def _several_machines(folder: Path, shared: dict[str, str], trace_id: str) -> None:
    """Three servers of one database, each with a folder of its own; then requests and turns apart."""
    _run(["restore", str(folder / "backup")], FLAMECHAT_DATA=str(folder / "new"), **shared)
    with ExitStack() as running:
        for number in range(3):
            client = running.enter_context(_client(folder / f"machine {number}", **shared))
            assert "parse" in _answer(client, trace_id)
    with ExitStack() as running:
        web = running.enter_context(_client(folder / "web", "--role", "web", **shared))
        running.enter_context(serving(folder / "worker", "--role", "worker", **shared))
        assert "parse" in _answer(web, trace_id)
        conversations = web.get("/api/v1/sessions").json()["sessions"]
        assert len(conversations) == 6, "two of the first machine, three of the three, one of the last"


def _answer(client: httpx.Client, trace_id: str) -> str:
    question = {"message": "Where does the time go?", "flamechat_trace_id": trace_id}
    answer = client.post("/api/chat", json=question)
    assert answer.status_code == 200, answer.text
    text: str = answer.json()["answer"]
    return text


@contextmanager
def _clients(data: Path, servers: int) -> Iterator[list[httpx.Client]]:
    with ExitStack() as running:
        yield [running.enter_context(_client(data)) for _ in range(servers)]


@contextmanager
def _client(data: Path, *options: str, **environment: str) -> Iterator[httpx.Client]:
    with (
        serving(data, *options, **environment) as (_, address),
        httpx.Client(base_url=address, trust_env=False, timeout=WITHIN_S) as client,
    ):
        yield client


def _run(words: list[str], **environment: str) -> None:
    ended = subprocess.run(
        [*COMMAND[:-1], *words],
        check=False,
        env=settings(**environment),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
    )
    assert ended.returncode == 0, ended.stderr
