"""One Langfuse project, and the package's client for it: nothing of it is global, and a server stops without it."""

import asyncio
import atexit
import threading
from typing import Any, Self

from langfuse import Langfuse
from opentelemetry.sdk.trace import TracerProvider

from server.agent.model_call.debug_messages import masked

API_SECONDS = 5
"""Longest wait for one request that carries traces or scores; they go from threads of their own."""

SPANS_PER_BATCH = 64
CLOSE_SECONDS = 3.0
"""What is left to send when the server stops gets so long."""


class LangfuseConnection:
    """An async context: what waits is sent when it ends, within CLOSE_SECONDS. `with_contents` says whether prompts,
    answers and what tools found may be sent; keys and pictures never are.

    The package's queues are bounded (2,048 spans, 100,000 scores): past that they drop, and nobody waits for them.
    """

    def __init__(self, *, host: str, public_key: str, secret_key: str, with_contents: bool = False) -> None:
        self.host = host
        self.public_key = public_key
        self.with_contents = with_contents
        # A provider of our own: the package would make itself the process's, and flush at exit for half a minute.
        self._provider = TracerProvider(shutdown_on_exit=False)
        self.client = Langfuse(
            base_url=host,
            public_key=public_key,
            secret_key=secret_key,
            timeout=API_SECONDS,
            flush_at=SPANS_PER_BATCH,
            mask=_without_keys,
            tracer_provider=self._provider,
        )
        if self.client._resources is not None:  # noqa: SLF001 - it too would wait at exit for as long as it takes
            atexit.unregister(self.client._resources.shutdown)  # noqa: SLF001

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        done, loop = asyncio.Event(), asyncio.get_running_loop()

        def close() -> None:
            self.client.shutdown()
            self._provider.shutdown()
            # A loop that has gone on without us may be closed by now: then nobody waits.
            if not loop.is_closed():
                loop.call_soon_threadsafe(done.set)

        threading.Thread(target=close, name="langfuse-close", daemon=True).start()
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await done.wait()
        except TimeoutError:
            return


def _without_keys(*, data: Any, **_: Any) -> Any:
    return masked(data)
