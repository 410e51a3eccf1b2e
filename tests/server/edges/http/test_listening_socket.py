"""The socket on which a server listens, and what its connections have of it."""

import asyncio
import socket

import anyio
import pytest

from server.edges.http.serving import bound_socket


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_an_answer_of_two_writes_waits_for_no_delayed_ack(host: str) -> None:
    if host == "::1" and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with bound_socket(host, 0) as listening:
        async with await asyncio.start_server(connected, sock=listening):
            await (await anyio.connect_tcp(host, listening.getsockname()[1])).aclose()
            with anyio.fail_after(20):
                assert await accepted != 0
