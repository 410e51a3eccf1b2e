"""The graph on any server that speaks LangGraph's API: an Agent whose nodes run there (docs/runs.md)."""

import asyncio
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import anyio
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from server.adapters.executors.remote_run import PAUSE_S, UNREACHABLE, RemoteRun, unreachable, unusable
from server.agent.graph.recorded_events import recorded_before
from server.agent.graph.state import STATE_VERSION, TurnState
from server.agent.graph.state_json import state_as_json, state_of_json
from server.agent.service import answer_of, first_state, too_late
from server.agent.turn import PageQuestion, TurnAnswer, TurnInput, TurnSink, WaitsForPage
from server.ports.executor import run_id_of
from server.ports.run_tokens import RunHolder, RunTokens, new_run_token, token_hash_of
from server.protocol.events import TurnStarted
from server.protocol.run_steps import ACCESS

LIMITS = ("chat_messages_per_session_limit", "plan_name", "messages_used")
"""Keys of the state that a later attempt takes from the plan as it is now."""

STOPS_WITHIN_S = 8.0
"""How long a run that is cancelled is waited for: its model call is to be noted."""

BEFORE_S = 15.0
"""How long an earlier attempt's run is waited for once it is cancelled."""


class LangGraphAgent:
    """Implements `turn.Agent` over the deployed graph. Each turn has a thread of its own there, whose checkpoints let a
    later attempt go on; what happened before the turn is not kept there."""

    def __init__(
        self,
        *,
        client: LangGraphClient,
        assistant_id: str,
        tokens: RunTokens,
        callback_url: str,
        turn_seconds: float,
        clock: Callable[[], float] = time.monotonic,
        pause_s: float = PAUSE_S,
    ) -> None:
        """`callback_url` is where the graph reaches this server; `pause_s` is the first pause before a stream that was
        lost is taken up again."""
        self._client = client
        self._assistant_id = assistant_id
        self._tokens = tokens
        self._callback_url = callback_url
        self._turn_seconds = turn_seconds
        self._clock = clock
        self._pause_s = pause_s

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        """See `turn.Agent.answer`. Raises ExecutorUnreachable, too."""
        run = RemoteRun(self._client, self._assistant_id, thread_of(turn), sink, self._pause_s)
        deadline = asyncio.timeout(self._turn_seconds)
        since = self._clock()
        try:
            async with deadline:
                state = await self._answered(turn, run, sink)
        except TimeoutError:
            raise too_late(self._turn_seconds) from None
        try:
            return answer_of(turn, state, state.get("answered_as", ""), self._clock() - since)
        except (LookupError, AssertionError, ValueError):  # a state that ours would not be in
            raise unusable("its state is not that of an answer") from None

    async def _answered(self, turn: TurnInput, run: RemoteRun, sink: TurnSink) -> TurnState:
        """The state in which the graph has ended."""
        try:
            found = await self._thread(turn, run.thread_id)
        except UNREACHABLE as error:
            raise unreachable(error) from error
        first = state_as_json(first_state(turn))
        given: dict[str, Any] = {"input": first}
        if found is not None:
            known = _values(found)
            if version := known.get("prompt_version"):
                sink.restore(recorded_before(cast("dict[str, Any]", known)))
                label = known.get("answered_as", "")
                await sink.emit(TurnStarted(attempt=turn.attempt, model=label, prompt_version=version))
                if has_ended(known):
                    return known
                given = {"command": _going_on(found, turn, first)}
        token = new_run_token()
        run_id = run_id_of(turn.turn_id, turn.attempt)
        await self._tokens.issue(run_id, RunHolder(turn.turn_id, turn.attempt), token_hash_of(token))
        access = {"url": self._callback_url, "run_id": run_id, "token": token}
        try:
            await run.follow(given | {"context": {ACCESS: access}, "metadata": metadata_of(turn, self._callback_url)})
        except BaseException:
            with anyio.move_on_after(STOPS_WITHIN_S, shield=True):
                await run.stop()
            raise
        return await self._outcome(turn, run)

    async def _outcome(self, turn: TurnInput, run: RemoteRun) -> TurnState:
        """What the thread has come to. Raises WaitsForPage, ExecutorUnreachable where it has come to nothing."""
        try:
            found = await self._client.threads.get_state(run.thread_id)
        except UNREACHABLE as error:
            raise unreachable(error) from error
        known = _values(found)
        for waiting in _interrupts(found):
            raise WaitsForPage(_question(turn, waiting))
        if not has_ended(known):
            raise unusable("its run has ended without an answer")
        return known

    async def _thread(self, turn: TurnInput, thread_id: str) -> dict[str, Any] | None:
        """The turn's thread there; what an earlier attempt has left in it, where there is anything."""
        if turn.attempt == 1:
            await self._create(turn, thread_id)
            return None
        try:
            for status in ("pending", "running"):
                for left in await self._client.runs.list(thread_id, status=cast("Any", status)):
                    with anyio.move_on_after(BEFORE_S):
                        await self._client.runs.cancel(thread_id, left["run_id"], wait=True, action="interrupt")
            return cast("dict[str, Any]", await self._client.threads.get_state(thread_id))
        except NotFoundError:
            await self._create(turn, thread_id)
            return None

    async def _create(self, turn: TurnInput, thread_id: str) -> None:
        metadata = metadata_of(turn, self._callback_url)
        await self._client.threads.create(thread_id=thread_id, metadata=metadata, if_exists="do_nothing")


def thread_of(turn: TurnInput) -> str:
    """Of the turn, by version of the state: such servers take UUIDs only, so uuid5 (RFC 9562)."""
    of = f"{turn.caller.account_id}/{turn.session_id}/{turn.turn_id}/{STATE_VERSION}"
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"thread/{of}"))


def metadata_of(turn: TurnInput, server: str) -> dict[str, Any]:
    """By what people find a turn there, and the sweep this server's threads."""
    return {
        "server": server,
        "session": f"{turn.caller.account_id}:{turn.session_id}",
        "turn_id": turn.turn_id,
        "request_id": turn.request_id or "",
    }


def has_ended(state: TurnState) -> bool:
    """Whether the graph's last node has run."""
    return "title" in state or bool(state.get("session_message_limit_hit_in_graph"))


def _values(found: Any) -> TurnState:
    values = found.get("values") if isinstance(found, dict) else None
    try:
        return state_of_json(values if isinstance(values, dict) else {})
    except ValueError:
        raise unusable("its state has another form") from None


def _interrupts(found: Any) -> list[dict[str, Any]]:
    """The waits of the thread: `id` and `value` of each."""
    tasks = found.get("tasks") if isinstance(found, dict) else None
    waits = [one.get("interrupts") for one in tasks if isinstance(one, dict)] if isinstance(tasks, list) else []
    return [one for some in waits if isinstance(some, list) for one in some if isinstance(one, dict)]


def _question(turn: TurnInput, waiting: dict[str, Any]) -> PageQuestion:
    try:
        question = PageQuestion(**waiting["value"])
        return replace(question, seconds=float(question.seconds), args=dict(question.args))
    except (KeyError, TypeError, ValueError):
        raise unusable("it asks of the page in another form") from None


def _going_on(found: dict[str, Any], turn: TurnInput, first: dict[str, Any]) -> dict[str, Any]:
    """The command by which the graph goes on: with the limits of now, and the page's answer for the node that waits for
    it."""
    command: dict[str, Any] = {"update": {name: first[name] for name in LIMITS}}
    answer = turn.page_answer
    if answer is not None:
        waits = [one for one in _interrupts(found) if _asked(one) == answer.interrupt_id]
        if waits:
            command["resume"] = {one.get("id") or one.get("interrupt_id"): answer.result for one in waits}
    return command


def _asked(waiting: dict[str, Any]) -> Any:
    value = waiting.get("value")
    return value.get("interrupt_id") if isinstance(value, dict) else None
