"""From a deployed graph to the server of its run, over HTTP with the run's token."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from server.errors import DatabaseUnavailable, ModelFailed, ServerError, ServiceUnavailable
from server.ports.invocations import CallCost, Invocation
from server.protocol.base import WireModel
from server.protocol.run_steps import (
    CallEnd,
    CallRecorded,
    CallStart,
    ModelFacts,
    RunSetup,
    StepFailed,
    StepName,
    StepRequest,
)

OVER_BUDGET = "over_budget"
TRIES = 5
PAUSE_S = 0.5
"""Before it is tried again to reach the server; doubled each time: about 7 s in all."""

TIMEOUT = httpx.Timeout(60.0, connect=5.0)
LONGEST_LINE = 64 << 20

Form = TypeVar("Form", bound=WireModel)

_INVOCATION: TypeAdapter[Invocation] = TypeAdapter(Invocation)


class RunAccess(TypedDict):
    """Which run this is, where its server is reached, and by what token."""

    url: str
    run_id: str
    token: str


class StepError(ServerError):
    """A step failed at the server, which says so as a turn does."""

    def __init__(self, failed: StepFailed) -> None:
        super().__init__(failed.message)
        self.failed = failed


@dataclass(frozen=True, slots=True)
class StepUpdate:
    """What a step makes of the state."""

    update: dict[str, Any]


class RunLink:
    """What the graph asks for its run. Raises ServiceUnavailable where the server cannot be reached, ServerError where
    it refuses: above all because the run is over."""

    def __init__(self, access: RunAccess, client: httpx.AsyncClient) -> None:
        """`client` is shared by the runs of a process; addresses and tokens are of each run."""
        self._client = client
        self._url = f"{access['url'].rstrip('/')}/api/v1/runs/{access['run_id']}"
        self._headers = {"Authorization": f"Bearer {access['token']}"}

    async def setup(self) -> RunSetup:
        """What model calls need."""
        answer = await self._ask("GET", "")
        return _read(RunSetup, answer)

    async def step(
        self,
        name: StepName,
        state: dict[str, Any],
        *,
        models: Sequence[ModelFacts],
        page_result: dict[str, Any] | None = None,
    ) -> AsyncIterator[dict[str, Any] | StepUpdate]:
        """The step's events as they come, then what it makes of the state. Raises StepError. A step is not asked for
        again once its answer has come: no tool runs twice."""
        request = StepRequest(state=state, models=list(models), page_result=page_result)
        body = request.model_dump(mode="json", by_alias=True)
        try:
            async with self._client.stream(
                "POST", f"{self._url}/steps/{name}", headers=self._headers, json=body, timeout=TIMEOUT
            ) as answer:
                if answer.status_code != httpx.codes.OK:
                    await answer.aread()
                    raise _refusal(answer)
                async for line in answer.aiter_lines():
                    said = _line(line)
                    if "failed" in said:
                        raise StepError(_parsed(StepFailed, said["failed"]))
                    if "update" in said:
                        yield StepUpdate(said["update"])
                        return
                    yield said["event"]
        except httpx.HTTPError as error:
            raise _away(error) from None
        raise ServiceUnavailable(f"The server ended the step {name} in the middle.", service="flamechat")

    async def begin(self, invocation: Invocation, bound: CallCost) -> None:
        """See `InvocationLog.begin`; ModelFailed where the budget is spent."""
        body = CallStart(
            invocation=_INVOCATION.dump_python(invocation, mode="json"),
            bound_cost_usd=None if bound.cost_usd is None else str(bound.cost_usd),
            bound_tokens=bound.tokens,
        )
        await self._ask("POST", "/invocations", body.model_dump(mode="json", by_alias=True))

    async def record(self, invocation: Invocation, *, estimate: CallCost | None = None) -> int | None:
        """See `InvocationLog.record`."""
        known = estimate is not None and estimate.cost_usd is not None
        body = CallEnd(
            invocation=_INVOCATION.dump_python(invocation, mode="json"),
            estimate_cost_usd=str(estimate.cost_usd) if estimate is not None and known else None,
            estimate_tokens=None if estimate is None else estimate.tokens,
        )
        answer = await self._ask("PUT", "/invocations", body.model_dump(mode="json", by_alias=True))
        return _read(CallRecorded, answer).budget_percent

    async def picture(self, tool_call_id: str) -> bytes | None:
        """What a tool call has drawn; None when it is not to be had."""
        try:
            return (await self._ask("GET", f"/pictures/{tool_call_id}.png")).content
        except ServerError:
            return None

    async def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        """All of these may be asked twice: rows have ids. A server that is being restarted is waited for."""
        for number in range(TRIES):
            try:
                answer = await self._client.request(
                    method, self._url + path, headers=self._headers, json=body, timeout=TIMEOUT
                )
            except httpx.TransportError as error:
                if number + 1 == TRIES:
                    raise _away(error) from None
                await asyncio.sleep(PAUSE_S * 2**number)
                continue
            if answer.is_success:
                return answer
            raise _refusal(answer)
        raise AssertionError("the last try returns or raises")


def _away(error: httpx.HTTPError) -> ServiceUnavailable:
    return ServiceUnavailable(
        f"The server of this run cannot be reached ({type(error).__name__}).", service="flamechat"
    )


def _refusal(answer: httpx.Response) -> ServerError:
    """The error of a problem document."""
    try:
        problem = answer.json()
        text = str(problem["detail"])[:1_000]
    except (ValueError, KeyError, TypeError):
        problem, text = {}, f"The server of this run answered {answer.status_code}."
    if problem.get("limitType") is not None:
        return ModelFailed(text, code=OVER_BUDGET, retryable=False)
    if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
        return DatabaseUnavailable(text)
    return ServerError(text)


def _line(line: str) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except ValueError:
        said = None
    if not isinstance(said, dict) or not said.keys() & {"event", "update", "failed"}:
        raise ServiceUnavailable("The server of this run said what is no part of a step.", service="flamechat")
    return said


def _read(form: type[Form], answer: httpx.Response) -> Form:
    try:
        return _parsed(form, answer.json())
    except ValueError:
        raise ServiceUnavailable("The server of this run answered in another form.", service="flamechat") from None


def _parsed(form: type[Form], given: Any) -> Form:
    """A newer server may say more."""
    try:
        return form.model_validate(given, extra="ignore")
    except ValidationError:
        raise ServiceUnavailable("The server of this run answered in another form.", service="flamechat") from None
