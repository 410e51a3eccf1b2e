"""What a long call reports meanwhile."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
from server.edges.mcp.call_progress import ImportUnderWay, followed
from server.edges.mcp.stdio import LocalTraces
from server.ports.traces import Importing, OpenTrace
from tests.server.edges.mcp.local_connection import STACKS, connected, talking_about, words

Reported = list[tuple[float, float | None, str | None]]


async def reports(
    importing: Callable[[], Awaitable[ImportUnderWay | None]], times: list[float], *, count: int
) -> Reported:
    """The first reports of a call that ends when they have come."""
    sent: Reported = []
    enough = anyio.Event()

    async def report(progress: float, total: float | None = None, message: str | None = None) -> None:
        sent.append((progress, total, message))
        if len(sent) == count:
            enough.set()

    with anyio.fail_after(60):
        async with followed(
            report, "query_trace", importing, every_s=0.0, clock=lambda: times.pop(0) if times else 99.0
        ):
            await enough.wait()
    return sent[:count]


async def test_a_question_reports_its_seconds_which_always_grow() -> None:
    async def nothing() -> None:
        return None

    sent = await reports(nothing, [0.0, 2.0, 2.0, 5.0], count=3)
    assert [(round(progress, 2), total) for progress, total, _ in sent] == [(2.0, None), (2.0, None), (5.0, None)]
    assert sent[1][0] > sent[0][0]
    assert sent[2][2] == "query_trace: 5 s"


async def test_a_file_reports_what_part_is_read_and_when_it_will_be() -> None:
    stand = [ImportUnderWay("a.json", None, 4_000_000), ImportUnderWay("a.json", 1_000_000, 4_000_000)]

    async def importing() -> ImportUnderWay:
        return stand.pop(0) if len(stand) > 1 else stand[0]

    sent = await reports(importing, [0.0, 1.0, 2.0], count=2)
    assert sent[0] == (1.0, None, 'reading "a.json": 1 s')
    assert sent[1] == (2.0, 8.0, 'reading "a.json": 25% of 4.0 MB')


async def test_a_listener_who_is_gone_does_not_end_the_call() -> None:
    async def gone(progress: float, total: float | None = None, message: str | None = None) -> None:
        tried.set()
        raise anyio.BrokenResourceError

    async def nothing() -> None:
        return None

    tried = anyio.Event()
    with anyio.fail_after(60):
        async with followed(gone, "query_trace", nothing, every_s=0.0):
            await tried.wait()


async def test_a_failure_of_the_call_is_not_changed() -> None:
    async def report(progress: float, total: float | None = None, message: str | None = None) -> None:
        pass

    async def nothing() -> None:
        return None

    with pytest.raises(ValueError, match=r"^as it was$"):
        async with followed(report, "query_trace", nothing, every_s=60.0):
            raise ValueError("as it was")


class SlowWorkers(InlineTraceWorkers):
    """Reads a file only when somebody was shown that it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.shown = anyio.Event()

    async def open(self, source: Path) -> OpenTrace:
        await self.shown.wait()
        return await super().open(source)

    async def importing(self, source: Path) -> Importing | None:
        return Importing(bytes_read=10)


async def test_a_client_that_asks_for_progress_sees_how_far_its_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.collapsed.txt"
    file.write_text(STACKS)
    workers = SlowWorkers()
    seen: list[str | None] = []

    async def show(progress: float, total: float | None, message: str | None) -> None:
        seen.append(message)
        if str(message).startswith("reading"):
            workers.shown.set()

    async with talking_about(LocalTraces(workers, []), every_s=0.01) as client:
        opened = await client.call_tool("open_trace", {"path": str(file)}, progress_callback=show)
    assert "is open as t1" in words(opened)
    assert 'reading "a.collapsed.txt": 16% of 0.0 MB' in seen


async def test_a_quick_call_reports_nothing(tmp_path: Path) -> None:
    seen: list[Any] = []

    async def show(progress: float, total: float | None, message: str | None) -> None:
        seen.append(message)

    async with connected(tmp_path, STACKS) as client:
        await client.call_tool("get_trace_summary", {}, progress_callback=show)
    assert seen == []
