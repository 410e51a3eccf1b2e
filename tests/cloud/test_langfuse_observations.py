"""What Langfuse gets of a turn beyond model calls: its tools, how it ended, and the checks of its answer as scores."""

from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from server.adapters.langfuse.connection import LangfuseConnection
from server.adapters.langfuse.observations import LangfuseObservation
from server.adapters.langfuse.tracing import trace_id_of
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.agent.turn import TurnAnswer
from server.errors import ModelFailed
from server.protocol.events import ToolError, ToolResult, ToolStart
from server.protocol.wire_values import Check, Usage
from tests.server.agent.turns import stage

TURN = stage(ChosenModels(ModelChoice())).turn
ANSWER = TurnAnswer(
    message_id="m",
    text="It is read.",
    usage=Usage(model_calls=2, tool_calls=3, seconds=1.5, cost=0.25),
    citations=(),
    checks=tuple(
        Check(kind="number", claim="1", start=0, end=1, status=status)
        for status in ("verified", "verified", "contradicted")
    ),
    suggestions=(),
    title=None,
    model="gpt",
    prompt_version="p@1",
)


@dataclass
class Observed:
    """One observation of the client's."""

    started: dict[str, Any]
    changed: dict[str, Any] = field(default_factory=dict)
    ends: int = 0

    def update(self, **more: Any) -> "Observed":
        self.changed |= more
        return self

    def end(self) -> None:
        self.ends += 1


@dataclass
class Connection:
    """Notes what its client is given, in place of one that sends it."""

    with_contents: bool = False
    observed: list[Observed] = field(default_factory=list)
    scores: list[dict[str, Any]] = field(default_factory=list)

    @property
    def client(self) -> "Connection":
        return self

    def start_observation(self, **more: Any) -> Observed:
        self.observed.append(Observed(more))
        return self.observed[-1]

    def create_score(self, **more: Any) -> None:
        self.scores.append(more)

    def of_turn(self) -> LangfuseObservation:
        return LangfuseObservation(cast("LangfuseConnection", self), TURN)


def start(call: str) -> ToolStart:
    return ToolStart(tool_call_id=call, tool_name="find_frames", args={"pattern": "secret"}, message="m")


def result(call: str, status: Any = "success") -> ToolResult:
    return ToolResult(tool_call_id=call, tool_name="t", status=status, result_type="text", text_content="secret text")


def test_a_turn_that_was_answered_is_said_to_be_with_what_it_cost() -> None:
    connection = Connection()
    connection.of_turn().ended(ANSWER, None)
    (end,) = connection.observed
    facts = end.started["metadata"]
    assert (end.started["name"], end.started["level"], end.ends) == ("turn_end", "DEFAULT", 1)
    assert facts["outcome"] == "answered"
    assert (facts["model"], facts["fallback"], facts["model_calls"], facts["tool_calls"]) == ("gpt", False, 2, 3)
    assert (facts["seconds"], facts["cost"]) == (1.5, 0.25)
    assert end.started["trace_context"] == {"trace_id": trace_id_of(TURN.turn_id)}
    again = Connection()
    again.of_turn().ended(replace(ANSWER, notes={"model_fallback": "x"}), None)
    assert again.observed[0].started["metadata"]["fallback"]


@pytest.mark.parametrize(
    ("error", "outcome", "level"),
    [
        (ModelFailed("no", code="model_away", retryable=True), "failed", "ERROR"),
        (KeyboardInterrupt(), "cancelled", "DEFAULT"),
    ],
)
def test_a_turn_without_an_answer_failed_or_was_cancelled_and_has_no_scores(
    error: BaseException, outcome: str, level: str
) -> None:
    connection = Connection()
    connection.of_turn().ended(None, error)
    (end,) = connection.observed
    assert (end.started["metadata"]["outcome"], end.started["level"]) == (outcome, level)
    assert type(error).__name__ in end.started["metadata"]["error"]
    assert connection.scores == []


def test_checks_and_cost_are_scores_that_a_second_attempt_replaces() -> None:
    connection = Connection()
    connection.of_turn().ended(ANSWER, None)
    assert {one["name"]: one["value"] for one in connection.scores} == {
        "checks_verified": 2.0,
        "checks_contradicted": 1.0,
        "cost": 0.25,
    }
    assert {one["score_id"] for one in connection.scores} == {
        f"{TURN.turn_id}-{one['name']}" for one in connection.scores
    }
    without = Connection()
    without.of_turn().ended(replace(ANSWER, checks=(), usage=Usage()), None)
    assert without.scores == [], "no price is known, and nothing was checked"


@pytest.mark.parametrize("with_contents", [False, True])
def test_a_tool_is_observed_with_its_outcome_and_its_contents_only_where_they_may_go(*, with_contents: bool) -> None:
    connection = Connection(with_contents)
    watching = connection.of_turn()
    for event in (
        *(start("1"), start("2"), start("3"), result("1"), result("2", "success_with_warning")),
        ToolError(tool_call_id="3", tool_name="t", code="timeout", message="secret"),
        result("1"),
    ):
        watching.seen(event)
    good, warned, failed = connection.observed
    assert [one.changed["level"] for one in (good, warned, failed)] == ["DEFAULT", "WARNING", "ERROR"]
    assert failed.changed["status_message"] == "timeout"
    assert [one.ends for one in (good, warned, failed)] == [1, 1, 1], "an end without a start is of another attempt"
    assert ("secret" in repr(connection.observed)) is with_contents


def test_a_tool_that_did_not_end_is_unfinished_when_the_turn_ends() -> None:
    connection = Connection()
    watching = connection.of_turn()
    watching.seen(start("1"))
    watching.ended(None, KeyboardInterrupt())
    tool, end = connection.observed
    assert (tool.changed["level"], tool.changed["metadata"], tool.ends) == ("WARNING", {"outcome": "unfinished"}, 1)
    assert end.started["metadata"]["outcome"] == "cancelled"
