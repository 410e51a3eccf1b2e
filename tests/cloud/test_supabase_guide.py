"""docs/supabase.md from an empty project to people who are in, line by line: each block of commands is run as it
stands, with the stand-in's values in the places that a reader fills in, and Supabase's own CLI."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest
from anyio import to_thread
from psycopg.conninfo import conninfo_to_dict

from tests.cloud.auth_server import PASSWORD
from tests.cloud.cloud import Cloud, a_cloud
from tests.postgres.supabase_cli import Project, supabase_cli

pytestmark = [pytest.mark.long, pytest.mark.timeout(600), pytest.mark.xdist_group("supabase_cli")]

GUIDE = (Path(__file__).parents[2] / "docs" / "supabase.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(sh|sql)\n(.*?)^```$", GUIDE, flags=re.MULTILINE | re.DOTALL)
STEPS = ("settings", "migrations", "start", "invitation", "administrator", "function")
PERSON = "ada@example.com"
WITHIN_S = 150
PROGRAM = f'#!/bin/sh\nexec "{sys.executable}" -c "from server.app import main; main()" "$@"\n'


async def test_a_reader_who_follows_the_guide_has_a_server_that_people_use(tmp_path: Path) -> None:
    assert [kind for kind, _ in BLOCKS] == ["sh", "sh", "sh", "sh", "sql", "sh"]
    blocks = dict(zip(STEPS, (text for _, text in BLOCKS), strict=True))
    async with a_cloud(tmp_path / "database") as cloud:
        (tmp_path / "flamechat.env").write_text(_filled_in(blocks["settings"], cloud), encoding="utf-8")
        await to_thread.run_sync(_migrate, blocks["migrations"], cloud, tmp_path)
        mails = len(cloud.supabase.auth.mails)
        await to_thread.run_sync(_use, blocks, cloud, tmp_path)
        assert len(cloud.supabase.auth.mails) == mails + 1
    before = GUIDE.partition(blocks["function"])[0]
    assert "**not tried**" in before[before.rindex("## ") :], "nobody here has an account to deploy to"


def _filled_in(block: str, cloud: Cloud) -> str:
    """The file of step 1 with the stand-in's own values, each in the place that the guide gives it."""
    given = cloud.settings() | cloud.supabase.settings()
    values = {name if name.startswith("FLAMECHAT_") else f"FLAMECHAT_{name}": value for name, value in given.items()}
    values["FLAMECHAT_ALLOWED_HOSTS"] = "127.0.0.1"
    lines = [line.partition("=")[0] for line in block.splitlines()]
    assert [name for name in lines if name not in values] == []
    return "".join(f"{name}='{values[name]}'\n" for name in lines)


def _migrate(block: str, cloud: Cloud, folder: Path) -> None:
    link, push = block.splitlines()
    assert link.startswith("supabase link ")
    assert "`link` **not tried**" in GUIDE
    project = Project(supabase_cli(), folder / "project", cloud.owner_dsn)
    assert "Applying migration" in project.run(*push.removeprefix("supabase ").split(), "--yes")
    (statement,) = re.findall(r"`(alter role [^`]+)`", GUIDE)
    with psycopg.connect(cloud.owner_dsn, autocommit=True) as owner:
        password = conninfo_to_dict(cloud.server_dsn)["password"]
        owner.execute(statement.replace("...", str(password)).encode())


def _use(blocks: dict[str, str], cloud: Cloud, folder: Path) -> None:
    program = folder / "bin" / "flamechat"
    program.parent.mkdir()
    program.write_text(PROGRAM, encoding="utf-8")
    program.chmod(0o755)
    sourced, check, serve = blocks["start"].splitlines()
    checked = _shell(f"{sourced}\n{check}", folder)
    assert [line for line in checked.splitlines() if line.startswith("fail")] == [], checked
    assert {line.split()[0] for line in checked.splitlines() if line.split()[1] in {"keys", "storage", "realtime"}} == {
        "ok"
    }
    here = serve.replace("--host 0.0.0.0", "--host 127.0.0.1 --port 0")
    assert here != serve, "tests listen on loopback alone"
    with _serving(f"{sourced}\nexec {here}", folder) as address, _client() as http:
        _shell(f"{sourced}\n{blocks['invitation']}", folder)
        user = {"Authorization": f"Bearer {_token(cloud, http)}"}
        assert http.get(f"{address}/api/v1/traces", headers=user).status_code == 200
        assert http.get(f"{address}/api/v1/admin/plans", headers=user).status_code == 403
    with psycopg.connect(cloud.owner_dsn, autocommit=True) as owner:
        assert owner.execute(blocks["administrator"].encode()).rowcount == 1
        found = owner.execute(
            "select raw_app_meta_data ->> 'flamechat_admin' from auth.users where email = %s", [PERSON]
        )
        assert found.fetchone() == ("true",)


def _token(cloud: Cloud, http: httpx.Client) -> str:
    answer = http.post(
        f"{cloud.supabase.url}/auth/v1/token?grant_type=password",
        headers={"apikey": cloud.supabase.keys.api_key("anon")},
        json={"email": PERSON, "password": PASSWORD},
    )
    assert answer.status_code == 200, answer.text
    token: str = answer.json()["access_token"]
    return token


def _client() -> httpx.Client:
    return httpx.Client(trust_env=False, timeout=WITHIN_S)


def _environment(folder: Path) -> dict[str, str]:
    data = {"FLAMECHAT_DATA": str(folder / "data"), "PYTHONUNBUFFERED": "1"}
    return data | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder)}


def _shell(commands: str, folder: Path) -> str:
    ended = subprocess.run(
        ["sh", "-ec", commands],
        check=False,
        cwd=folder,
        env=_environment(folder),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@contextmanager
def _serving(commands: str, folder: Path) -> Iterator[str]:
    """The server's address; it said before where people sign in."""
    process = subprocess.Popen(
        ["sh", "-ec", commands], cwd=folder, env=_environment(folder), stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        printed = [process.stdout.readline() for _ in range(2)]
        assert any("People sign in at" in line for line in printed), printed
        yield next(found[0] for line in printed if (found := re.search(r"http://127\.0\.0\.1:\d+", line)))
    finally:
        process.terminate()
        process.communicate(timeout=WITHIN_S)
