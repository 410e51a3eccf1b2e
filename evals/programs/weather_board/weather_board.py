"""Fills a weather board from five stations over a local socket. With 1 one station is awaited after the other, with 0
all at once."""

import asyncio
import sys

STATIONS = ("harbour", "airport", "summit", "valley", "lighthouse")


async def station(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(0.06)
    writer.write(b"12.5 1013\n" * 200)
    writer.close()


async def read_station(port: int, name: str) -> list[str]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(name.encode())
    data = await reader.read()
    writer.close()
    return data.decode().splitlines()


def smooth(lines: list[str]) -> float:
    values = [float(line.split()[0]) for line in lines]
    return sum(sorted(values)[len(values) // 4 :]) / len(values)


async def refresh_board(port: int, one_after_other: bool) -> dict[str, float]:
    if one_after_other:
        return {name: smooth(await read_station(port, name)) for name in STATIONS}
    read = await asyncio.gather(*(read_station(port, name) for name in STATIONS))
    return {name: smooth(lines) for name, lines in zip(STATIONS, read, strict=True)}


async def main(one_after_other: bool) -> None:
    server = await asyncio.start_server(station, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for _ in range(6):
        await refresh_board(port, one_after_other)
    server.close()


asyncio.run(main(sys.argv[1] == "1"))
