"""What a model is asked with besides the prompt."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from limits.plans import Plan, SessionsPeriod
from limits.usage import Usage
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.agent.bounds import CHARACTERS_PER_TOKEN
from server.agent.graph.asked_with import asked_with
from server.agent.graph.first_look import first_look
from server.agent.turn import Asker
from server.ports.conversations import TurnKind, TurnRow, TurnStatus
from server.ports.run_labels import RunLabels
from server.turns.asker import asker_of, nearest
from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.agent.turns import HOSTILE, endpoint_models, small_trace, stage

ASKER = Asker(
    name="Ana",
    left=("7 conversations this month", "250 US cents of model calls this month"),
    recordings=12,
    programs=("api", "worker"),
    nearest=("before.json", "after.json"),
)


def asked(asker: Asker | None) -> str:
    scene = stage(endpoint_models("http://127.0.0.1:1/v1"), asker=asker)
    return asked_with(scene.turn, first_look(small_trace(), scene.turn.viewer))


def test_who_asks_and_what_else_they_have_is_said() -> None:
    text = asked(ASKER)
    assert 'They are called "Ana".' in text
    assert "Left of their plan: 7 conversations this month, 250 US cents of model calls this month." in text
    assert 'Other recordings of theirs: 12. Nearest to this one: "before.json", "after.json".' in text
    assert text.endswith('Of the programs: "api", "worker".')
    assert "Plan: local." in text
    assert "Their local time: 2026-01-02 15:04 UTC." in text


def test_nobody_and_nothing_is_said_so() -> None:
    assert "They are called" not in asked(replace(ASKER, name=None))
    assert asked(Asker(name=None, left=(), recordings=0)).endswith("They have no other recording here.")
    assert "recording" not in asked(None)
    assert "Other recordings of theirs: 99 or more." in asked(replace(ASKER, recordings=99, more=True))


def test_what_else_there_is_takes_at_most_its_tokens_and_names_stay_names() -> None:
    long = replace(ASKER, name=HOSTILE, programs=(HOSTILE * 9,) * 5, nearest=("x" * 500, HOSTILE, "y" * 500))
    text = asked(long)
    rest = text.partition("Other recordings")[2]
    assert len(rest) <= 150 * CHARACTERS_PER_TOKEN
    assert HOSTILE not in text
    assert "\n" not in text
    assert "\u202e" not in text
    assert "abcdef" not in text


@pytest.mark.parametrize("is_responses", [False, True])
async def test_it_stands_with_the_prompt_for_both_apis_and_the_prefix_stays_the_same(is_responses: bool) -> None:
    async with openai_endpoint(Reply(text="Slow."), Reply(text="Slow.")) as endpoint:
        for asker in (ASKER, replace(ASKER, recordings=13)):
            choice = ModelChoice(
                base_url=endpoint.base_url, api_key="sk-test-key-123456", model="fake", use_responses_api=is_responses
            )
            scene = stage(ChosenModels(choice), asker=asker)
            await scene.agent.answer(scene.turn, scene.sink)
        first, second = (request.get("input") or request["messages"] for request in endpoint.requests)
    assert first[0] == second[0], "the system prompt"
    assert "12" in str(first[-1]["content"])
    assert "13" in str(second[-1]["content"])
    assert first[-1]["role"] == "user"


def test_an_asker_is_made_of_usage_and_recordings() -> None:
    row = stage(endpoint_models("http://127.0.0.1:1/v1")).turn.trace
    turn = TurnRow(
        turn_id="t",
        session_id="s",
        trace_id=row.trace_id,
        account_id="a",
        user_id="u",
        kind=TurnKind.PROMPT,
        status=TurnStatus.RUNNING,
        prompt="why?",
        model=None,
        context={},
        attempt=1,
        handed_over=0,
        cancel_requested=False,
        plan_name="team",
        messages_used=4,
        messages_limit=10,
        created_at=row.created_at,
    )
    plan = Plan(
        name="team",
        display_name="Team",
        chat_sessions_limit=5,
        chat_sessions_period=SessionsPeriod.MONTHLY,
        monthly_cost_limit_cents=300,
    )
    usage = Usage(
        user_id="u",
        display_name="Ana",
        subscribed_plan="team",
        status="active",
        plan=plan,
        lifetime_sessions=9,
        monthly_sessions=1,
        granted_sessions=2,
        uploads=0,
        traces=3,
        period_start=row.created_at,
        period_end=row.created_at,
        spent_cents=120,
    )
    others = [replace(row, trace_id=name, name=name, run=RunLabels(program="api")) for name in ("b", "c")]
    found = asker_of(turn, row, [row, *others], usage)
    assert found == Asker(
        name="Ana",
        left=(
            "6 messages in this conversation",
            "6 conversations this month",
            "180 US cents of model calls this month",
        ),
        recordings=2,
        programs=("api",),
        nearest=("b", "c"),
    )


def test_the_nearest_are_of_the_same_program_then_of_the_same_time() -> None:
    row = stage(endpoint_models("http://127.0.0.1:1/v1")).turn.trace
    trace = replace(row, run=RunLabels(program="api"))

    def other(name: str, days: int, program: str | None) -> Any:
        at = datetime(2026, 1, 2, tzinfo=UTC) + timedelta(days=days)
        return replace(row, trace_id=name, name=name, created_at=at, run=RunLabels(program=program))

    rows = [other("far", 90, "api"), other("near", -1, "api"), other("else", 0, "worker"), other("none", 1, None)]
    assert nearest(rows, trace) == ("near", "far", "else")
    assert nearest(rows, row) == ("else", "near", "none")
