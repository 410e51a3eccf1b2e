"""Hosts of a test network: network namespaces of Linux, each with an address, and no way but to the services given."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

LOOPBACK = "127.0.0.1"
PIECE_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class NetworkHost:
    """`command` goes before a command that is to run there; at `services` it finds what listens on our loopback."""

    address: str
    services: str
    command: tuple[str, ...] = ()

    def settings(self, ours: Mapping[str, str]) -> dict[str, str]:
        """As they read from there."""
        return {name: value.replace(LOOPBACK, self.services) for name, value in ours.items()}


HERE = NetworkHost(LOOPBACK, LOOPBACK)


def may_make_hosts() -> bool:
    """Only root may, with iproute2."""
    return os.geteuid() == 0 and shutil.which("ip") is not None


@asynccontextmanager
async def network_host(number: int, services: Mapping[str, str]) -> AsyncIterator[NetworkHost]:
    """Make one until the block ends. It reaches the ports of our loopback that the values of `services` name, and
    nothing else. Where hosts cannot be made, it is this one."""
    if not may_make_hosts():
        yield HERE
        return
    name, ours, theirs = f"flamechat-{os.getpid()}-{number}", f"fc{os.getpid()}o{number}", f"fc{os.getpid()}t{number}"
    net = f"10.213.{number % 256}"
    here, there = f"{net}.1", f"{net}.2"
    async with AsyncExitStack() as stack:
        await _ip("netns", "add", name)
        stack.push_async_callback(_ip, "netns", "delete", name)  # and with it both ends of the line
        await _ip("link", "add", ours, "type", "veth", "peer", "name", theirs, "netns", name)
        await _ip("address", "add", f"{here}/30", "dev", ours)
        await _ip("link", "set", ours, "up")
        for words in (("address", "add", f"{there}/30", "dev", theirs), ("link", "set", theirs, "up")):
            await _ip("-n", name, *words)
        await _ip("-n", name, "link", "set", "lo", "up")
        for port in sorted(_ports(services)):
            relay = await asyncio.start_server(partial(_pass_on, port), here, port)
            await stack.enter_async_context(relay)
        yield NetworkHost(there, here, ("ip", "netns", "exec", name))


def _ports(services: Mapping[str, str]) -> set[int]:
    found = (urlsplit(value).port for value in services.values() if LOOPBACK in value)
    return {port for port in found if port is not None}


async def _ip(*words: str) -> None:
    process = await asyncio.create_subprocess_exec("ip", *words)
    if await process.wait() != 0:
        raise OSError(f"ip {' '.join(words)} ended with {process.returncode}")


async def _pass_on(port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        inner_reader, inner_writer = await asyncio.open_connection(LOOPBACK, port)
    except OSError:
        writer.close()
        return
    async with asyncio.TaskGroup() as group:
        group.create_task(_copy(reader, inner_writer))
        group.create_task(_copy(inner_reader, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(PIECE_BYTES):
            writer.write(piece)
            await writer.drain()
    except OSError:
        pass  # the other end has left
    finally:
        writer.close()
