"""Threads of turns that are over go from the server for graphs, with what still runs in them."""

from collections.abc import Awaitable, Callable

import anyio
import structlog
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from server.adapters.executors.remote_run import UNREACHABLE
from server.errors import DatabaseUnavailable

EVERY_S = 60.0
AT_ONCE = 100

log = structlog.get_logger(__name__)


class GraphServerSweep:
    """`run` ends only by being cancelled. Only threads are looked at that name this `server`: others may use the same
    server for graphs."""

    def __init__(
        self,
        client: LangGraphClient,
        *,
        server: str,
        goes_on: Callable[[str], Awaitable[bool]],
        every_s: float = EVERY_S,
    ) -> None:
        """`goes_on` says of a turn's id whether this server knows it and it has not ended."""
        self._client = client
        self._server = server
        self._goes_on = goes_on
        self._every_s = every_s

    async def run(self) -> None:
        """Sweep now and then again and again; a round that fails is logged, and the next one does its work."""
        while True:
            try:
                await self.sweep()
            except UNREACHABLE as error:
                log.warning("graph_server_not_swept", error=type(error).__name__)
            except DatabaseUnavailable as error:
                log.warning("graph_server_not_swept", error=type(error).__name__)
            await anyio.sleep(self._every_s)

    async def sweep(self) -> int:
        """Remove every thread of this server whose turn is over; returns how many went."""
        gone = kept = 0
        while found := await self._client.threads.search(
            metadata={"server": self._server}, limit=AT_ONCE, offset=kept, sort_by="created_at", sort_order="asc"
        ):
            for thread in found:
                turn_id = (thread.get("metadata") or {}).get("turn_id")
                if isinstance(turn_id, str) and await self._goes_on(turn_id):
                    kept += 1
                elif await self._remove(str(thread["thread_id"])):
                    gone += 1
                else:
                    kept += 1
            if len(found) < AT_ONCE:
                break
        return gone

    async def _remove(self, thread_id: str) -> bool:
        """Cancel what runs in it, then the thread. False where the server refuses."""
        try:
            for status in ("pending", "running"):
                for run in await self._client.runs.list(thread_id, status=status):
                    await self._client.runs.cancel(thread_id, run["run_id"], wait=True, action="interrupt")
            await self._client.threads.delete(thread_id)
        except NotFoundError:
            return True
        except UNREACHABLE as error:
            log.warning("thread_not_removed", thread_id=thread_id, error=type(error).__name__)
            return False
        return True
