"""A module's tests in one event loop."""

import os
from collections.abc import AsyncIterator

import anyio
import anyio.to_process
import pytest


@pytest.fixture(scope="module")
async def one_loop() -> AsyncIterator[None]:
    """The worker processes that a loop has started are there for the next test, too, as they are for a server's next
    question: each takes half a second of a processor to start.

    anyio kills them when the outermost task ends that there is when they are first asked for. In tests that is one
    test's or one fixture's: this one's, before there are any, as none can be had here.
    """
    taken = anyio.CapacityLimiter(1)
    await taken.acquire_on_behalf_of(object())
    with anyio.move_on_after(0.01):
        await anyio.to_process.run_sync(os.getpid, limiter=taken)
    yield  # noqa: PT022 - the loop is kept until the fixture ends
