"""What a long call reports meanwhile: how far a file is read, or how long a question takes.

Progress is the seconds gone, which always grow, as the protocol demands; the total is what they will be when a known
part of the file is read in a known time. Clients that did not ask for progress are sent nothing.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from server.agent.tools.contract.tool_progress import reporting
from server.quoting import quoted

EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class ImportUnderWay:
    """A file that is read now. `bytes_read` is None where that cannot be learnt."""

    name: str
    bytes_read: int | None
    bytes_in_all: int


class Report(Protocol):
    """Sends one notification, to a client that asked for them."""

    async def __call__(self, progress: float, total: float | None = None, message: str | None = None) -> None: ...


@asynccontextmanager
async def followed(
    report: Report,
    doing: str,
    importing: Callable[[], Awaitable[ImportUnderWay | None]],
    *,
    every_s: float = EVERY_S,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[None]:
    """Report again and again until the block ends."""
    began, before = clock(), 0.0

    async def follow() -> None:
        nonlocal before
        while True:
            await asyncio.sleep(every_s)
            gone = max(clock() - began, before + 1e-3)
            before = gone
            total, message = _stand(gone, doing, await importing())
            await report(gone, total, message)

    async with reporting(follow):
        yield


def _stand(gone: float, doing: str, importing: ImportUnderWay | None) -> tuple[float | None, str]:
    if importing is None:
        return None, f"{doing}: {gone:.0f} s"
    reading, read, size = f"reading {quoted(importing.name, 80)}", importing.bytes_read, importing.bytes_in_all
    if not read or not size:
        return None, f"{reading}: {gone:.0f} s"
    part = min(read / size, 1.0)
    return gone / part, f"{reading}: {part:.0%} of {size / 1e6:.1f} MB"
