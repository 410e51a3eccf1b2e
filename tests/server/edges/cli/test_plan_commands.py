"""`flamechat plans` and `flamechat usage`, on a real data folder with and without its server."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.e2e.running_server import NOT_INHERITED, ROOT, RunningServer, running_server

pytestmark = pytest.mark.long

SECONDS = 90


def flamechat(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(NOT_INHERITED)}
    command = [sys.executable, "-c", "from server.app import main; main()", *arguments, "--data", str(data)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS)


def said(data: Path, *arguments: str) -> str:
    done = flamechat(data, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with running_server(tmp_path_factory.mktemp("administered"), {}) as server:
        yield server


def upload(server: RunningServer, fixtures: Path) -> httpx.Response:
    content = (fixtures / "board.chrome-object.json.gz").read_bytes()
    return httpx.post(f"{server.address}/api/v1/traces?name=board.json.gz", content=content, timeout=SECONDS)


@pytest.mark.timeout(400)
def test_a_change_while_a_server_runs_binds_the_next_upload(server: RunningServer, fixtures: Path) -> None:
    said(server.data, "plans", "create", "tiny", "--total-trace-limit", "0", "--reason", "to try")
    foreseen = said(server.data, "usage", "put-on-plan", "tiny", "--dry-run")
    assert "1 of 1 users would be at or over a limit (1 by traces held)" in foreseen
    assert "plan tiny" in said(server.data, "usage", "put-on-plan", "tiny")
    refused = upload(server, fixtures)
    assert (refused.status_code, refused.json()["limitType"]) == (429, "total_traces")
    said(server.data, "plans", "change", "tiny", "--total-trace-limit", "unlimited")
    assert upload(server, fixtures).status_code == 201
    audit = json.loads(said(server.data, "plans", "changes", "--json"))
    assert [change["action"] for change in audit] == ["change_plan", "subscribe", "create_plan"]
    assert audit[-1]["reason"] == "to try"


@pytest.mark.timeout(400)
def test_the_folder_of_a_stopped_server_is_administered_too(tmp_path: Path) -> None:
    assert "free" in said(tmp_path, "plans", "list")
    plan = json.loads(
        said(
            tmp_path,
            "plans",
            "create",
            "p",
            "--chat-sessions-limit",
            "3",
            "--chat-sessions-period",
            "monthly",
            "--json",
        )
    )
    assert (plan["chat_sessions_limit"], plan["chat_sessions_period"]) == (3, "monthly")
    said(tmp_path, "usage", "put-on-plan", "p")
    assert "0 of 5, 5 left" in said(tmp_path, "usage", "grant", "2")
    assert "0 of 3, 3 left" in said(tmp_path, "usage", "reset")
    assert "is_retired" in said(tmp_path, "plans", "retire", "p", "--json")
    wrong = flamechat(tmp_path, "plans", "change", "p", "--retention-days", "soon")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "soon is neither a number nor unlimited" in wrong.stderr
    missing = flamechat(tmp_path, "plans", "show", "nothing")
    assert (missing.returncode, missing.stderr) == (1, "flamechat: There is no plan nothing.\n")
