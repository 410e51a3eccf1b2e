"""A module's tests in one event loop."""

from collections.abc import AsyncIterator

import pytest


@pytest.fixture(scope="module")
async def one_loop() -> AsyncIterator[None]:
    """The worker processes that a loop has started are there for the next test, too, as they are for a server's next
    question: each takes half a second of a processor to start."""
    yield  # noqa: PT022 - the loop is kept until the fixture ends
