"""Recordings from before measures were kept are measured by and by, each once."""

from pathlib import Path

from server.ports.traces import TraceSearch
from server.testing.history import MemoryHistory
from tests.server.running_server import ANNA, STACKS, running_server


async def test_what_has_no_measures_gets_them_and_what_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        backfill = server.parts.backfill
        assert backfill is not None
        backfill.between_s = 0
        history = backfill.history
        assert isinstance(history, MemoryHistory)
        ids = [
            (await server.upload(STACKS + f"main;x{n} 1\n".encode(), f"{n}.txt")).json()["trace"]["traceId"]
            for n in range(3)
        ]
        assert not await backfill.step(), "uploads are measured at once"
        history._kept.clear()
        lost = await server.parts.services.traces.library.row(ANNA, ids[1])
        await server.parts.objects.delete("traces", lost.object_path)
        await server.parts.services.traces.workers.forget(lost.sha256)
        assert await backfill.step()
        assert not await backfill.step()
        assert backfill.left_alone == {ids[1]}
        assert await history.unmeasured(ANNA, TraceSearch(), limit=9) == [ids[1]]
