"""FLAMECHAT_ARTIFACTS=langfuse: what model calls really contained, as items of a data set, with what each was answered
in a run of it that has the version's name."""

import asyncio
import threading
from queue import SimpleQueue
from typing import Any, Self

import httpx
import structlog
from langfuse import Langfuse
from langfuse.api.core import ApiError

from server.adapters.langfuse.connection import LangfuseConnection
from server.agent.model_call.call_artifacts import AnsweredCall, content_of_call

DATA_SET = "flamechat-model-calls"
MOST_WAITING = 256
"""Calls that wait to be sent; one more is missing there."""

CLOSE_SECONDS = 5.0
"""What waits when the server stops gets so long."""

log = structlog.get_logger(__name__)


class LangfuseArtifacts:
    """Implements `CallArtifacts`, as an async context. Calls are sent one after the other, and no turn waits for that.
    Pictures stay here: their hashes stand for them."""

    def __init__(self, connection: LangfuseConnection, run_name: str) -> None:
        self._client = connection.client
        self._run_name = run_name
        self._waiting: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self._has_data_set = False
        # Its own: at the process's end nobody waits for a request that hangs.
        self._sending = threading.Thread(target=self._send_all, name="langfuse-artifacts", daemon=True)

    async def __aenter__(self) -> Self:
        self._sending.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._waiting.put(None)
        await asyncio.to_thread(self._sending.join, CLOSE_SECONDS)
        if self._sending.is_alive():
            log.warning("artifacts_not_kept", calls=self._waiting.qsize())

    async def keep(self, call: AnsweredCall) -> None:
        """See `CallArtifacts.keep`; returns at once."""
        content, _ = content_of_call(call)
        if self._waiting.qsize() >= MOST_WAITING:
            log.warning("artifact_not_kept", invocation_id=call.invocation_id, error="too many wait")
            return
        self._waiting.put(content)

    def _send_all(self) -> None:
        while (content := self._waiting.get()) is not None:
            try:
                self._send(content)
            except (ApiError, httpx.HTTPError, ValueError) as error:
                log.warning("artifact_not_kept", invocation_id=content["invocation"], error=type(error).__name__)

    def _send(self, content: dict[str, Any]) -> None:
        if not self._has_data_set:
            self._client.create_dataset(name=DATA_SET, description="What model calls were sent, by their invocation.")
            self._has_data_set = True
        item = self._client.create_dataset_item(
            dataset_name=DATA_SET,
            id=content["invocation"],
            input={name: content[name] for name in ("model", "messages", "tools")},
            metadata={"invocation": content["invocation"]},
        )
        answered = {name: content[name] for name in ("reply", "problem")}
        self._client.run_experiment(
            name=DATA_SET,
            run_name=self._run_name,
            experiment_id=Langfuse.create_trace_id(seed=f"{DATA_SET}/{self._run_name}"),
            data=[item],
            task=lambda **_: answered,
        )
