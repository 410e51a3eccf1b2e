"""Several `flamechat serve` on one data folder, to be killed and started again, and their database."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg
from psycopg import AsyncConnection

from server.adapters.postgres.embedded import EmbeddedPostgres
from tests.plugins.laid_databases import lay_database
from tests.soak.network import HERE, NetworkHost

COMMAND = (sys.executable, "-c", "from server.app import main; main()", "serve", "--port", "0")
START_S = 300.0
STOP_S = 40.0
LOOK_S = 0.1
STACKS = b"main;parse;read 700\nmain;parse 200\nmain;render;paint 80\nmain 20\n"


@dataclass(slots=True)
class Member:
    process: asyncio.subprocess.Process
    address: str

    @property
    def lives(self) -> bool:
        return self.process.returncode is None


async def turns_running(member: Member) -> int:
    async with httpx.AsyncClient(base_url=member.address, trust_env=False, verify=False, timeout=60) as http:
        found = re.search(r"^flamechat_turns_running ([\d.]+)$", (await http.get("/metrics")).text, re.MULTILINE)
    assert found is not None
    return int(float(found[1]))


@dataclass(slots=True)
class Fleet:
    """`members` are the servers that were started and not killed, `addresses` theirs: one list, which changes. What
    they log is kept in `folder`."""

    folder: Path
    settings: dict[str, str]
    postgres: EmbeddedPostgres
    members: list[Member] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    trace_id: str = ""
    left_behind: list[psutil.Process] = field(default_factory=list)
    _started: int = 0

    async def start(self, number: int = 1, *options: str, host: NetworkHost = HERE) -> None:
        """Start so many more, at once, with these options of the command line."""
        started = await asyncio.gather(*(self._one(options, host) for _ in range(number)), return_exceptions=True)
        self.members += [one for one in started if isinstance(one, Member)]
        for error in started:
            if isinstance(error, BaseException):
                raise error
        self.addresses[:] = [member.address for member in self.members]

    async def kill(self, member: Member) -> None:
        """kill -9. Its children are kept an eye on, in `left_behind`."""
        self.members.remove(member)
        self.addresses.remove(member.address)
        self.left_behind += psutil.Process(member.process.pid).children(recursive=True)
        member.process.kill()
        await member.process.wait()

    async def stop(self, member: Member) -> None:
        """SIGTERM, and wait until it has left. Raises TimeoutError."""
        self.members.remove(member)
        self.addresses.remove(member.address)
        member.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(STOP_S):
            await member.process.wait()

    async def select(self, statement: str, parameters: Any = None) -> list[tuple[Any, ...]]:
        """Rows, as the database's owner; it is waited for while it is away. Raises TimeoutError."""
        async with asyncio.timeout(START_S):
            while True:
                try:
                    async with await AsyncConnection.connect(self.postgres.owner_dsn, autocommit=True) as connection:
                        return await (await connection.execute(statement.encode(), parameters)).fetchall()
                except psycopg.OperationalError:
                    await asyncio.sleep(0.2)

    async def until(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        """Until these are the rows. Raises TimeoutError."""
        async with asyncio.timeout(START_S):
            while await self.select(statement) != rows:
                await asyncio.sleep(LOOK_S)

    async def until_running(self, member: Member, turns: int) -> None:
        """Until a member runs so many. Raises TimeoutError."""
        async with asyncio.timeout(START_S):
            while await turns_running(member) < turns:
                await asyncio.sleep(LOOK_S)

    async def _one(self, options: tuple[str, ...], host: NetworkHost) -> Member:
        self._started += 1
        with (self.folder / f"server-{self._started}.log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                *(*host.command, *COMMAND, "--host", host.address, "--data", str(self.folder / "data"), *options),
                env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")} | host.settings(self.settings),
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        assert process.stdout is not None
        try:
            async with asyncio.timeout(START_S):
                line = (await process.stdout.readline()).decode()
        except TimeoutError:
            process.kill()
            raise
        if not line.startswith("Flamechat is at "):
            await process.wait()
            raise AssertionError((self.folder / f"server-{self._started}.log").read_text(encoding="utf-8")[-2000:])
        return Member(process, line.removeprefix("Flamechat is at ").strip())


@asynccontextmanager
async def fleet(folder: Path, number: int, *, model_url: str, **settings: str) -> AsyncIterator[Fleet]:
    """So many servers with a trace to ask about; they and their database stop with the context. The database outlives
    every one of them."""
    folder.mkdir(parents=True, exist_ok=True)
    await asyncio.to_thread(lay_database, folder / "data" / "postgres")
    async with EmbeddedPostgres(folder / "data" / "postgres") as postgres:
        environment = {"FLAMECHAT_MODEL_BASE_URL": model_url, "FLAMECHAT_MODEL": "fake"} | settings
        servers = Fleet(folder, environment, postgres)
        try:
            await servers.start()
            async with httpx.AsyncClient(base_url=servers.addresses[0], trust_env=False, timeout=60) as http:
                stored = await http.post("/api/v1/traces", params={"name": "stacks.txt"}, content=STACKS)
            servers.trace_id = stored.json()["trace"]["traceId"]
            await servers.start(number - 1)
            yield servers
        finally:
            for member in servers.members:
                if member.lives:
                    member.process.send_signal(signal.SIGTERM)
            for member in servers.members:
                try:
                    async with asyncio.timeout(STOP_S):
                        await member.process.wait()
                except TimeoutError:
                    member.process.kill()
