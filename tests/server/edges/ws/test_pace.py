"""A socket whose messages are refused is read more slowly."""

from pathlib import Path

import pytest

from server.edges.ws.pace import AT_ONCE, PAUSE_S, Pace
from tests.server.running_server import running_server


class Sleeps(list[float]):
    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


async def test_some_refusals_cost_no_time_and_then_each_does() -> None:
    sleeps = Sleeps()
    pace = Pace(now=lambda: 0.0, sleep=sleeps)
    for _ in range(int(AT_ONCE)):
        await pace.after_refusal()
    assert sleeps == []
    await pace.after_refusal()
    await pace.after_refusal()
    assert sleeps == [PAUSE_S, PAUSE_S]


async def test_malformed_messages_and_binary_frames_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sleeps = Sleeps()
    monkeypatch.setattr("server.edges.ws.socket.Pace", lambda: Pace(at_once=0, sleep=sleeps))
    async with running_server(tmp_path) as server, server.socket() as socket:
        for frame in ("{", b"\x00", "{}", b"", "{}"):
            await socket.connection.send(frame)
            assert (await socket.next())["type"] == "protocol_error"
        assert len(sleeps) >= 4, "of all before the last"
