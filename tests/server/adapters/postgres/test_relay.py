"""The relay's waits: its writer sleeps until there is something to write, and where no NOTIFY arrives it polls."""

import asyncio
import re
from pathlib import Path
from typing import Any, cast

import pytest

from server.adapters.postgres.announcements import DEAF_POLL_S
from server.adapters.postgres.relay import PostgresRelay
from server.protocol.events import ModelChunkStart


async def test_the_writer_sleeps_until_there_is_something_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[list[Any]] = []
    relay = PostgresRelay(cast("Any", None), None)

    async def write(self: PostgresRelay, batch: list[Any]) -> None:
        written.append(batch)

    monkeypatch.setattr(PostgresRelay, "_write", write)
    writer = asyncio.create_task(relay._write_on())
    for _ in range(5):
        await asyncio.sleep(0)
    assert written == []
    event = ModelChunkStart(seq=1, turn_id="t", session_id="s", message_id="m", chunk="a", offset=0)
    await relay.publish(event)
    for _ in range(5):
        await asyncio.sleep(0)
    assert written == [[event]]
    writer.cancel()
    await asyncio.wait({writer}, timeout=10)


def test_without_notify_it_looks_as_often_as_is_documented() -> None:
    text = (Path(__file__).parents[4] / "docs" / "supabase.md").read_text(encoding="utf-8")
    (documented,) = re.findall(r"`no_notify` and looks every (\d+) ms", text)
    assert int(documented) == round(DEAF_POLL_S * 1000)
