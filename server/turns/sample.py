"""The trace that a new data folder begins with."""

import hashlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import anyio
import structlog

from server.errors import raised_at
from server.ports.identity import Caller
from server.turns.trace_library import TraceLibrary

Alone = AbstractAsyncContextManager[None]

log = structlog.get_logger(__name__)


async def add_sample_once(
    library: TraceLibrary, user: Caller, sample: Path, *, marker: Path, alone: Callable[[Path], Alone]
) -> None:
    """Store the sample trace unless `marker` says that it was once: a sample that was removed stays removed. `alone`
    lets one process at a time do it: two first starts on a folder come at once."""
    if await anyio.Path(marker).exists():
        return
    try:
        async with alone(marker):
            await _add_sample(library, user, sample, marker)
    except Exception as error:  # noqa: BLE001 - the server is of use without its sample
        log.warning("sample_not_loaded", error=type(error).__name__, where=raised_at(error))


async def _add_sample(library: TraceLibrary, user: Caller, sample: Path, marker: Path) -> None:
    if not await anyio.Path(marker).exists():
        content = await anyio.Path(sample).read_bytes()
        sha256 = hashlib.sha256(content).hexdigest()
        if all(row.sha256 != sha256 for row in await library.rows(user)):  # killed before it could leave its mark
            await library.add(user, sample, name=sample.name, sha256=sha256)
        await anyio.Path(marker).touch()
