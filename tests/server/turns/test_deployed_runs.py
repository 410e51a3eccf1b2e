"""What a graph elsewhere may ask for its run, and that its token opens nothing else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter

from server.agent.graph.state_json import state_as_json
from server.agent.remote_steps import RemoteSteps
from server.agent.service import first_state
from server.agent.turn import TurnInput
from server.edges.http.run_services import RunServices
from server.ports.conversations import TurnRow, TurnStatus
from server.ports.executor import run_id_of
from server.ports.invocations import Invocation, Outcome, Purpose, invocation_id_of
from server.ports.run_tokens import RunHolder, new_run_token, token_hash_of
from server.protocol.wire_values import AskedOfPage
from server.testing.invocations import MemoryInvocations
from server.testing.run_tokens import MemoryRunTokens
from server.testing.running_turn import row_of
from server.turns.deployed_runs import LANGGRAPH, MOST_STEPS, DeployedRuns
from tests.contracts.langgraph_house import served_runs
from tests.server.agent.turns import Stage, endpoint_models, stage

TURN = "11111111-1111-1111-1111-111111111111"
MODEL = {"name": "fake", "label": "fake"}


def an_invocation() -> Invocation:
    return Invocation(
        invocation_id="i",
        account_id="a",
        user_id="u",
        session_id=None,
        turn_id=None,
        attempt=1,
        call_number=1,
        try_number=1,
        purpose=Purpose.ANSWER,
        executor="e",
        model_asked="fake",
        started_at=datetime(2026, 1, 2, tzinfo=UTC),
    )


@dataclass
class House:
    """`row` is the turn as the database has it; `url` that of its run."""

    scene: Stage
    row: TurnRow | None
    url: str = ""
    token: str = field(default_factory=new_run_token)
    tokens: MemoryRunTokens = field(default_factory=MemoryRunTokens)
    rows: MemoryInvocations = field(default_factory=MemoryInvocations)
    http: httpx.AsyncClient = field(default_factory=lambda: httpx.AsyncClient(trust_env=False))

    async def unended_turn(self, turn_id: str) -> TurnRow | None:
        return self.row if turn_id == TURN else None

    async def inputs(self, row: TurnRow) -> TurnInput:
        return replace(self.scene.turn, attempt=row.attempt)

    async def ask(self, method: str, path: str = "", **body: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return await self.http.request(method, self.url + path, headers=headers, json=body or None)

    async def step(self, name: str, **state: Any) -> httpx.Response:
        given = state_as_json(first_state(self.scene.turn)) | state
        return await self.ask("POST", f"/steps/{name}", state=given, models=[MODEL])


@asynccontextmanager
async def house_of(**turn: Any) -> AsyncIterator[House]:
    scene = stage(endpoint_models("http://127.0.0.1:1/v1"), turn_id=TURN, **turn)
    house = House(scene, row_of(scene.turn))
    deployed = DeployedRuns(
        tokens=house.tokens,
        conversations=house,
        inputs=house.inputs,
        steps=RemoteSteps(scene.agent),
        invocations=house.rows,
        pictures=scene.pictures,
        graph_name="flamechat",
        graph_version="9.9",
    )
    await house.tokens.issue(run_id_of(TURN, 1), RunHolder(TURN, 1), token_hash_of(house.token))
    async with served_runs(SimpleNamespace(runs=RunServices(deployed_runs=deployed))) as address:
        house.url = f"{address}/api/v1/runs/{run_id_of(TURN, 1)}"
        async with house.http:
            yield house


def lines_of(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    return [httpx.Response(200, text=line).json() for line in answer.text.splitlines()]


async def test_a_step_is_made_here_and_its_events_come_first() -> None:
    async with house_of() as house:
        *events, last = lines_of(await house.step("setup"))
        assert [one["event"]["type"] for one in events] == ["turn_started"]
        update = last["update"]
        assert [one["type"] for one in update["messages"]] == ["system", "human"]
        assert update["answered_as"] == "fake"
        setup = (await house.ask("GET")).json()
        assert {tool["function"]["name"] for tool in setup["tools"]} > {"get_top_functions", "query_trace"}
        assert (setup["turnId"], setup["attempt"]) == (TURN, 1)


@pytest.mark.parametrize(
    "over",
    [
        {"row": None},
        {"status": TurnStatus.COMPLETED},
        {"status": TurnStatus.ACCEPTED},
        {"attempt": 2},
        {
            "interrupt": AskedOfPage.model_validate(
                {
                    "interrupt_id": "i1",
                    "tool_call_id": "c1",
                    "tool_name": "ask_person",
                    "args": {},
                    "expires_at": "2026-01-01T00:00:00Z",
                }
            )
        },
        {"token": "another"},
        {"token": ""},
    ],
    ids=["unknown", "ended", "not begun", "overtaken", "waiting", "another token", "no token"],
)
async def test_nothing_is_open_to_a_token_of_no_attempt_that_goes_on(over: dict[str, Any]) -> None:
    async with house_of() as house:
        assert (await house.ask("GET")).status_code == 200
        if "token" in over:
            house.token = over["token"]
        else:
            assert house.row is not None
            house.row = None if "row" in over else replace(house.row, **over)
        row = TypeAdapter(Invocation).dump_python(an_invocation(), mode="json")
        tried = [
            await house.ask("GET"),
            await house.step("setup"),
            await house.ask("POST", "/invocations", invocation=row, boundCostUsd=None, boundTokens=1),
            await house.ask("PUT", "/invocations", invocation=row),
            await house.ask("GET", "/pictures/call_0.png"),
        ]
        assert [one.status_code for one in tried] == [401] * 5
        assert all("is slow" not in one.text for one in tried)
        assert house.rows.rows == {}


async def test_a_run_s_token_does_not_open_another_run() -> None:
    async with house_of() as house:
        house.url = house.url.replace(run_id_of(TURN, 1), run_id_of(TURN, 2))
        assert (await house.ask("GET")).status_code == 401


async def test_a_row_is_the_turn_s_own_whatever_is_written_in_it() -> None:
    async with house_of(request_id="r1") as house:
        given = replace(an_invocation(), account_id="00000000-0000-4000-8000-00000000000b", turn_id="x", attempt=9)
        given = replace(given, call_number=3, executor="in_process", graph_version="mine", request_id="mine")
        row = TypeAdapter(Invocation).dump_python(given, mode="json")
        answer = await house.ask("POST", "/invocations", invocation=row, boundCostUsd="0.5", boundTokens=10)
        assert answer.status_code == 204, answer.text
        (kept,) = house.rows.rows.values()
        turn = house.scene.turn
        assert kept.invocation_id == invocation_id_of(TURN, 1, 3, given.try_number)
        assert (kept.account_id, kept.user_id) == (turn.caller.account_id, turn.caller.user_id)
        assert (kept.turn_id, kept.attempt, kept.executor) == (TURN, 1, LANGGRAPH)
        assert (kept.graph_version, kept.request_id) == ("9.9", "r1")


@pytest.mark.parametrize("cost", ["-1", "NaN", "much", "1e999999999"])
async def test_a_cost_that_is_no_amount_is_refused(cost: str) -> None:
    async with house_of() as house:
        row = TypeAdapter(Invocation).dump_python(an_invocation(), mode="json")
        answer = await house.ask("POST", "/invocations", invocation=row, boundCostUsd=cost, boundTokens=10)
        assert answer.status_code == 400
        assert house.rows.rows == {}


@pytest.mark.parametrize(
    ("changed", "value"), [("input_tokens", -5), ("output_tokens", 1.5), ("outcome", "fine"), ("started_at", "now")]
)
async def test_a_row_that_is_none_is_refused(changed: str, value: object) -> None:
    async with house_of() as house:
        row = TypeAdapter(Invocation).dump_python(an_invocation(), mode="json") | {changed: value}
        answer = await house.ask("PUT", "/invocations", invocation=row)
        assert answer.status_code == 400, answer.text
        assert house.rows.rows == {}


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("tools", {}),
        ("tools", {"messages": [{"type": "human", "content": "x"}], "known": {}, "prompt_version": "1"}),
        ("page", {"messages": [{"type": "human", "content": "x"}], "asked_of_page": []}),
        ("page", {"messages": [{"type": "human", "content": "x"}], "asked_of_page": [{"tool": "rm"}]}),
        ("check", {"messages": []}),
        ("setup", {"messages": [{"type": "robot"}]}),
        ("setup", {"no_such_key": 1}),
    ],
)
async def test_a_state_that_is_none_fails_the_step_and_nothing_else(name: str, state: dict[str, Any]) -> None:
    async with house_of() as house:
        (said,) = lines_of(await house.step(name, **state))
        assert said["failed"]["code"] in {"bad_request", "internal_error"}
        assert len(lines_of(await house.step("setup"))) == 2


async def test_the_limits_of_a_state_are_those_of_the_turn() -> None:
    async with house_of(messages_used=5, messages_limit=4, plan_name="free") as house:
        *_, last = lines_of(await house.step("setup", plan_name="paid", messages_used=0))
        assert "Plan: free." in str(last["update"]["messages"])


async def test_a_graph_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_STEPS > 60
    monkeypatch.setattr("server.turns.deployed_runs.MOST_STEPS", 2)
    async with house_of() as house:
        assert [(await house.step("setup")).status_code for _ in range(4)] == [200, 200, 429, 429]


async def test_what_a_call_came_to_is_settled_once() -> None:
    async with house_of() as house:
        ended = replace(an_invocation(), outcome=Outcome.OK, error_code=None, input_tokens=3, output_tokens=2)
        row = TypeAdapter(Invocation).dump_python(ended, mode="json")
        for _ in range(2):
            answer = await house.ask("PUT", "/invocations", invocation=row, estimateCostUsd="0.1", estimateTokens=5)
            assert answer.json() == {"budgetPercent": None}
        (kept,) = house.rows.rows.values()
        assert (kept.input_tokens, kept.output_tokens, kept.outcome) == (3, 2, Outcome.OK)
