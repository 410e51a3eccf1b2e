import asyncio
import gc
from asyncio import StreamReader, StreamWriter

from tests.fresh_port import serving_on_a_fresh_port


async def test_what_waits_for_ever_is_kept_until_the_server_ends() -> None:
    client_left, ended = asyncio.Event(), asyncio.Event()

    async def answer(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            await reader.read()
            client_left.set()
            await asyncio.Event().wait()
        finally:
            writer.close()
            ended.set()

    async with asyncio.timeout(20), serving_on_a_fresh_port(answer) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        await writer.wait_closed()
        await client_left.wait()
        del writer, _
        for _ in range(5):
            await asyncio.sleep(0)
            gc.collect()
        assert not ended.is_set()
    assert ended.is_set()
