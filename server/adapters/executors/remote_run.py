"""One run of the deployed graph, followed from its beginning to its end, whatever becomes of the stream."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx
import structlog
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError, ConflictError, LangGraphError, NotFoundError
from pydantic import ValidationError

from server.agent.turn import TurnSink
from server.errors import DatabaseUnavailable, ExecutorUnreachable, ModelFailed
from server.protocol.events import (
    TURN_EVENT,
    Interrupted,
    ModelResponseEnd,
    TurnCancelled,
    TurnEvent,
    TurnFailed,
)
from server.protocol.run_steps import StepFailed

NOT_IN_A_RUN = ModelResponseEnd | TurnCancelled | TurnFailed | Interrupted
"""How a turn ends is decided here and not there."""

JOINS = 4
"""How often a stream that was lost is taken up again without anything new from it."""

PAUSE_S = 0.25
"""Before the first of these; doubled each time."""

GOING_ON = frozenset({"pending", "running"})

UNREACHABLE = (
    httpx.HTTPError,
    LangGraphError,
    httpx.InvalidURL,
    httpx.StreamError,
    json.JSONDecodeError,
    UnicodeDecodeError,
)
"""What its client raises of a server that is gone, or answers in another form."""

log = structlog.get_logger(__name__)


def raised_of(failed: StepFailed) -> Exception:
    """The error by which a turn ends as the graph has said."""
    if failed.code == "database_unavailable":
        return DatabaseUnavailable(failed.message)
    return ModelFailed(failed.message, code=failed.code[:64], retryable=failed.retryable)


@dataclass(slots=True)
class RemoteRun:
    """Events go to `sink`."""

    client: LangGraphClient
    assistant_id: str
    thread_id: str
    sink: TurnSink
    pause_s: float = PAUSE_S
    run_id: str | None = None
    shown: bool = False
    """Whether anything of the run was passed on."""

    _last_event_id: str | None = None
    _failed: StepFailed | None = None

    async def follow(self, request: Mapping[str, Any]) -> None:
        """Run the graph with this request until it has ended. Raises what it failed with, and ExecutorUnreachable."""
        try:
            await self._read(self._created(request))
        except UNREACHABLE as error:
            if self.run_id is None:
                raise unreachable(error) from error
            log.warning("run_stream_lost", run_id=self.run_id, error=type(error).__name__)
        lost = 0
        while self._failed is None and await self._goes_on(lost):
            before = self._last_event_id
            try:
                await self._read(
                    self.client.runs.join_stream(
                        self.thread_id,
                        self.run_id or "",
                        stream_mode="custom",
                        last_event_id=self._last_event_id or "-1",
                    )
                )
            except UNREACHABLE as error:
                log.warning("run_stream_lost", run_id=self.run_id, error=type(error).__name__)
            lost = 0 if self._last_event_id != before else lost + 1
        if self._failed is not None:
            raise raised_of(self._failed)

    async def stop(self) -> None:
        """Cancel it, and wait until it has. Raises nothing."""
        if self.run_id is None:
            return
        try:
            await self.client.runs.cancel(self.thread_id, self.run_id, wait=True, action="interrupt")
        except (NotFoundError, ConflictError):
            pass  # it has ended
        except UNREACHABLE as error:
            log.warning("run_not_cancelled", run_id=self.run_id, error=type(error).__name__)

    def _created(self, request: Mapping[str, Any]) -> AsyncIterator[Any]:
        def created(run: Any) -> None:
            self.run_id = run["run_id"]

        return self.client.runs.stream(
            self.thread_id,
            self.assistant_id,
            stream_mode="custom",
            stream_resumable=True,
            multitask_strategy="reject",
            on_disconnect="continue",
            durability="sync",
            on_run_created=created,
            **request,
        )

    async def _goes_on(self, lost: int) -> bool:
        """Whether the run has not ended, after a pause where its stream was lost before. Raises ExecutorUnreachable
        where that cannot be found out, or nothing comes of it."""
        failures = 0
        while True:
            if lost + failures:
                await asyncio.sleep(self.pause_s * 2 ** (lost + failures - 1))
            if lost + failures > JOINS:
                raise unusable(f"its stream was lost {JOINS} times in a row")
            try:
                run = await self.client.runs.get(self.thread_id, self.run_id or "")
                return _status(run) in GOING_ON
            except NotFoundError:
                raise unusable("it does not know the run any more") from None
            except UNREACHABLE as error:
                failures += 1
                if lost + failures > JOINS:
                    raise unreachable(error) from error

    async def _read(self, parts: AsyncIterator[Any]) -> None:
        """One stream to its end, or to the graph's failure."""
        async with aclosing(parts):  # type: ignore[type-var]
            async for part in parts:
                if getattr(part, "id", None):
                    self._last_event_id = part.id
                if part.event == "custom":
                    await self._take(part.data)
                if self._failed is not None or part.event == "end":
                    return

    async def _take(self, said: Any) -> None:
        if not isinstance(said, dict):
            return
        if "failed" in said:
            try:
                self._failed = StepFailed.model_validate(said["failed"], extra="ignore")
            except ValidationError:
                raise unusable("it failed in a form of its own") from None
        elif "event" in said:
            event = _event(said["event"])
            self.shown = True
            await self.sink.emit(event)


def unusable(why: str) -> ExecutorUnreachable:
    """For people; the log says more."""
    return ExecutorUnreachable(f"The server that runs the graph of this answer cannot be used ({why}). Try again.")


def unreachable(error: BaseException) -> ExecutorUnreachable:
    """Of what its client raises."""
    return unusable(
        f"it answered {error.response.status_code}" if isinstance(error, APIStatusError) else type(error).__name__
    )


def _status(run: Any) -> str:
    status = run.get("status") if isinstance(run, dict) else None
    return status if isinstance(status, str) else ""


def _event(given: Any) -> TurnEvent:
    """Raises ExecutorUnreachable for what is no event of a run."""
    try:
        event = TURN_EVENT.validate_python(given, extra="ignore")
    except ValidationError:
        raise unusable("it sent what is no event") from None
    if isinstance(event, NOT_IN_A_RUN):
        raise unusable("it sent an end, which is not for it to send")
    return event
