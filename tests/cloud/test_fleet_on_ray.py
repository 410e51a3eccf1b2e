"""`flamechat batch --engine ray` on a real cluster of four nodes of this machine, of which one dies in the middle."""

import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process, create_subprocess_exec
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.cloud.ray_environment import environment_with_ray
from tests.cloud.s3_server import S3Server, s3_server
from tests.cloud.test_fleet import address, collapsed, fleet, rows

WAIT_S = 180
"""For what takes a tenth of it on a machine that does nothing else."""
MORE = 20
PROGRAM = "from server.app import main; main()"


@asynccontextmanager
async def nodes(python: Path, environment: dict[str, str]) -> AsyncIterator[tuple[str, Process]]:
    """The address of a cluster, and the program that kills one of its nodes for each line."""
    started = await create_subprocess_exec(
        str(python), "-m", "tests.cloud.ray_nodes", env=environment, stdin=PIPE, stdout=PIPE, start_new_session=True
    )
    assert started.stdin is not None
    try:
        yield await line(started), started
    finally:
        started.stdin.close()
        try:
            with anyio.fail_after(WAIT_S):
                await started.wait()
        finally:
            if started.returncode is None:
                os.killpg(started.pid, signal.SIGKILL)


async def line(process: Process) -> str:
    assert process.stdout is not None
    with anyio.fail_after(WAIT_S):
        return (await process.stdout.readline()).decode().strip()


async def batched(python: str, environment: dict[str, str], *words: str) -> dict[str, Any]:
    command = [python, "-c", PROGRAM, "batch", *words, "--json"]
    started = await create_subprocess_exec(*command, env=environment, stdout=PIPE, stderr=PIPE)
    with anyio.fail_after(WAIT_S):
        printed, complaints = await started.communicate()
    assert started.returncode == 0, complaints.decode()
    sys.stderr.write(complaints.decode())
    return dict(json.loads(printed))


def tables(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    columns = {
        "files": "name, version, size, key, outcome, reason, format, program, day",
        "functions": "key, program, day, name, file, self_value, total_value, self_share, total_share, calls",
        "measures": "key, program, day, measure, value, unit",
    }
    return {name: rows(folder, f"select {shown} from {name} order by all") for name, shown in columns.items()}


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_every_file_once_where_a_node_dies_in_the_middle(tmp_path: Path) -> None:
    python = environment_with_ray(tmp_path / "ray")
    async with s3_server() as s3:
        for name, content in fleet(tmp_path / "in").items():
            s3.objects[f"team/in/{name}".replace("\n", " ")] = content
        for number in range(MORE):
            s3.objects[f"team/in/more/{number:02}.txt"] = collapsed(f"f{number % 7}", number % 10 + 1)
        environment = {**os.environ, **bucket(s3), "FLAMECHAT_DATA": str(tmp_path / "data")}
        local = await batched(sys.executable, environment, address(s3, "team/in"), "--out", str(tmp_path / "local"))
        s3.requests.clear()
        async with nodes(python, environment) as (cluster, killer):
            s3.hold_after = 6
            found: dict[str, Any] = {}

            async def on_ray() -> None:
                asked = {**environment, "FLAMECHAT_RAY_ADDRESS": cluster}
                words = (address(s3, "team/in"), "--out", str(tmp_path / "ray-tables"), "--engine", "ray")
                found.update(await batched(str(python), asked, *words))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(on_ray)
                with anyio.fail_after(WAIT_S):
                    for _ in range(4):  # each node has a file
                        await s3.waiting.acquire()
                assert killer.stdin is not None
                killer.stdin.write(b"kill\n")
                assert await line(killer) == "killed"
                s3.hold_after = None
                s3.let_go.set()
    assert found == local
    assert tables(tmp_path / "ray-tables") == tables(tmp_path / "local")
    fetched = Counter(key for _, key in s3.requests if key != "")
    assert max(fetched.values()) > 1, "what the lost node had was read again by another"


def bucket(s3: S3Server) -> dict[str, str]:
    """Of the bucket, without what a server keeps there."""
    return {name: value for name, value in s3.settings().items() if name.startswith("AWS_")}
