"""Which model answers, what it cost, who takes over, and what is left out of a conversation that is too long."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.model.patience import Patience
from server.adapters.model.prices import read_prices
from server.agent.model_call.chat_model import Price
from server.agent.model_call.offered_models import ANALYST, ANALYST_LABEL
from server.errors import ConfigError, ModelFailed
from server.ports.conversations import MessageRow, Sender
from server.protocol.events import ToolStart, TurnStarted
from server.turns.ending_record import ending_of
from server.turns.view_of_turn import TurnView
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint
from tests.server.agent.turns import Stage, stage

QUICK = Patience(first_s=30, silence_s=30, retries=0, longest_pause_s=0)
TOOL = Reply(text="I look.", calls=(("get_top_functions", '{"limit": 5}'),))
ANSWER = Reply(text="It is parse_json.")
DOWN = Reply(status=503)
BUSY = Reply(status=429)
TOO_LONG = Reply(status=400, body={"error": {"message": "too many", "code": "context_length_exceeded"}})
APIS = pytest.mark.parametrize("responses", [False, True], ids=["chat", "responses"])


def choice(endpoint: Endpoint, **changes: Any) -> ModelChoice:
    return replace(ModelChoice(base_url=endpoint.base_url, model="first", patience=QUICK), **changes)


def staged(endpoint: Endpoint, *, turn: dict[str, Any] | None = None, **changes: Any) -> Stage:
    return stage(ChosenModels(choice(endpoint, **changes)), **(turn or {}))


def paths(endpoint: Endpoint) -> set[str]:
    return {request["path"] for request in endpoint.requests}


def models(endpoint: Endpoint) -> list[str]:
    return [request["model"] for request in endpoint.requests]


@pytest.mark.parametrize(
    ("setting", "path"),
    [(None, "/v1/chat/completions"), (False, "/v1/chat/completions"), (True, "/v1/responses")],
)
@pytest.mark.parametrize("name", ["gpt-4o", "gpt-5-pro", "gpt-6"])
async def test_the_setting_chooses_the_api_whatever_the_model_is_called(
    name: str, setting: bool | None, path: str
) -> None:
    async with openai_endpoint(TOOL, ANSWER) as endpoint:
        scene = staged(endpoint, model=name, use_responses_api=setting)
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert paths(endpoint) == {path}
    assert answer.text == ANSWER.text
    assert [request.get("store") for request in endpoint.requests] == [False if setting else None] * 2


@APIS
async def test_a_conversation_goes_over_either_api_with_its_tools_and_its_picture(*, responses: bool) -> None:
    draw = Reply(calls=(("generate_flamegraph_screenshot", '{"mode": "left_heavy"}'), ("get_call_tree", "{}")))
    async with openai_endpoint(TOOL, draw, ANSWER) as endpoint:
        scene = staged(endpoint, use_responses_api=responses)
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert [len(endpoint.pictures(request)) for request in range(3)] == [0, 0, 1]
    assert endpoint.pictures(2) == list(scene.pictures.saved.values())
    assert answer.text == scene.sink.text[answer.message_id] == ANSWER.text
    assert (answer.usage.model_calls, answer.usage.tool_calls) == (3, 3)
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (300, 60)
    assert (answer.usage.cost, answer.usage.model) == (None, "first")


@APIS
async def test_what_a_turn_cost_is_the_sum_of_its_calls_at_the_models_price(*, responses: bool) -> None:
    price = Price(input=2.0, cached_input=0.5, output=10.0)
    async with openai_endpoint(replace(TOOL, cached=40), ANSWER) as endpoint:
        scene = staged(endpoint, use_responses_api=responses, prices={"first": price})
        answer = await scene.agent.answer(scene.turn, scene.sink)
    first, second = 60 * 2.0 + 40 * 0.5 + 20 * 10.0, 100 * 2.0 + 20 * 10.0
    assert answer.usage.cost == pytest.approx((first + second) / 1e6)


async def test_a_call_without_token_counts_makes_the_cost_unknown() -> None:
    async with openai_endpoint(TOOL, replace(ANSWER, usage=None)) as endpoint:
        scene = staged(endpoint, prices={"first": Price(input=1, output=1)})
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.usage.cost is None
    assert answer.usage.input_tokens == 100


async def test_the_analyst_costs_nothing_and_says_its_name() -> None:
    scene = stage(ChosenModels(ModelChoice()))
    answer = await scene.agent.answer(scene.turn, scene.sink)
    assert (answer.usage.cost, answer.usage.model) == (0.0, ANALYST_LABEL)


@pytest.mark.parametrize("first", [DOWN, Reply(text="It is dra", fault="drop"), BUSY])
async def test_another_model_takes_over_and_keeps_what_the_tools_said(first: Reply) -> None:
    broken = [first, first] if first.fault else [first]
    async with openai_endpoint(TOOL, *broken, ANSWER) as endpoint:
        scene = staged(endpoint, fallbacks=("second", ANALYST), prices={"second": Price(input=1, output=1)})
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert models(endpoint) == ["first"] * (1 + len(broken)) + ["second"]
    assert [event.tool_name for event in scene.sink.events if isinstance(event, ToolStart)] == ["get_top_functions"]
    assert answer.text == scene.sink.text[answer.message_id] == ANSWER.text
    assert answer.model == answer.usage.model == "second"
    assert answer.usage.cost is None, "nobody said what the first model's call costs"
    assert [event.model for event in scene.sink.events if isinstance(event, TurnStarted)] == ["first", "second"]
    assert answer.notes["model_fallback"].startswith("first did not answer (")
    assert answer.notes["model_fallback"].endswith("); second took over.")


async def test_who_took_over_stays_for_the_rest_of_the_turn() -> None:
    async with openai_endpoint(DOWN, TOOL, ANSWER) as endpoint:
        scene = staged(endpoint, fallbacks=("second",))
        await scene.agent.answer(scene.turn, scene.sink)
    assert models(endpoint) == ["first", "second", "second"]


async def test_the_analyst_answers_when_the_provider_is_down_and_says_so_in_the_answer_and_in_the_history() -> None:
    async with openai_endpoint(TOOL, DOWN, DOWN) as endpoint:
        scene = staged(endpoint, fallbacks=("second", ANALYST))
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text.startswith("*The language model cannot be reached just now. The built-in analyst answers")
    assert answer.text.count("is not a language model.*") == 1
    assert answer.text == scene.sink.text[answer.message_id]
    assert "parse_json" in answer.text
    assert answer.model == ANALYST_LABEL
    view = TurnView.at_start(scene.turn.turn_id, scene.turn.session_id, 1)
    for event in scene.sink.events:
        view.apply(event)
    ending, _ = ending_of(view, "a1", answer)
    events = [message for message in ending.messages if message.sender is Sender.SYSTEM_EVENT]
    assert [message.metadata for message in events] == [{"event": "model_fallback"}]
    assert "first did not answer" in events[0].text
    assert "second did not answer" in events[0].text
    assert events[0].text.endswith(f"{ANALYST_LABEL} took over.")


@pytest.mark.parametrize("reply", [BUSY, Reply(status=401), Reply(refusal="No."), Reply(status=404)])
async def test_the_analyst_does_not_take_the_place_of_a_provider_that_says_no(reply: Reply) -> None:
    async with openai_endpoint(reply) as endpoint:
        scene = staged(endpoint, fallbacks=(ANALYST,))
        with pytest.raises(ModelFailed):
            await scene.agent.answer(scene.turn, scene.sink)
    assert scene.sink.text == {}


def earlier(turns: int, characters: int = 400) -> tuple[MessageRow, ...]:
    """Turns of equal length, whose prompts are numbered."""
    rows: list[MessageRow] = []
    for turn in range(turns):
        for sender, text in ((Sender.USER, f"question {turn}"), (Sender.MODEL, "x" * characters)):
            rows.append(
                MessageRow(
                    message_id=f"m{len(rows)}",
                    session_id="session-1",
                    turn_id=f"earlier-{turn}",
                    position=len(rows),
                    sender=sender,
                    text=text,
                    created_at=datetime(2026, 1, 2, tzinfo=UTC),
                )
            )
    return tuple(rows)


def questions(endpoint: Endpoint, request: int) -> list[str]:
    asked = [message for message in endpoint.requests[request]["messages"] if message["role"] == "user"]
    return [str(message["content"]).partition("\n")[0] for message in asked]


async def test_a_conversation_that_is_too_long_is_asked_once_more_without_its_oldest_turns() -> None:
    async with openai_endpoint(TOO_LONG, TOOL, ANSWER) as endpoint:
        scene = staged(endpoint, turn={"history": earlier(9)})
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert questions(endpoint, 0) == [*(f"question {turn}" for turn in range(9)), "Why is this slow?"]
    assert questions(endpoint, 1) == ["question 7", "question 8", "Why is this slow?"]
    assert questions(endpoint, 2) == questions(endpoint, 1), "what was too long once is not sent again"
    assert endpoint.roles(1) == ["system", "user", "assistant", "user", "assistant", "user"]
    assert answer.notes == {
        "context_trimmed": "The conversation is too long for first: it answers without the 7 oldest turns."
    }


async def test_it_is_left_out_once_only() -> None:
    async with openai_endpoint(TOO_LONG, TOO_LONG, ANSWER) as endpoint:
        scene = staged(endpoint, turn={"history": earlier(9)}, fallbacks=("second", ANALYST))
        with pytest.raises(ModelFailed, match="too long for first") as failed:
            await scene.agent.answer(scene.turn, scene.sink)
    assert (failed.value.code, failed.value.retryable) == ("context_too_long", False)
    assert len(endpoint.requests) == 2


async def test_a_first_question_that_is_too_long_is_not_asked_again() -> None:
    async with openai_endpoint(TOO_LONG, ANSWER) as endpoint:
        scene = staged(endpoint)
        with pytest.raises(ModelFailed, match="Start a new one or ask for less"):
            await scene.agent.answer(scene.turn, scene.sink)
    assert len(endpoint.requests) == 1


async def test_a_plan_offers_its_own_models_and_its_first_is_its_default() -> None:
    async with openai_endpoint() as endpoint:
        models = ChosenModels(choice(endpoint, allowed=("second",)))
    assert models.model(None).name == "first"
    assert models.model("second").name == "second"
    assert models.model(None, offered=("small", "large")).name == "small"
    assert models.model("large", offered=("small", "large")).name == "large"
    assert models.model(ANALYST, offered=("small",)).name == ANALYST
    with pytest.raises(ModelFailed, match="'first' is not offered here; offered are small, large, built-in") as refused:
        models.model("first", offered=("small", "large"))
    assert (refused.value.code, refused.value.retryable) == ("model_not_allowed", False)


def test_a_server_without_a_provider_has_the_analyst_whatever_a_plan_offers() -> None:
    assert ChosenModels(ModelChoice()).model(None, offered=("large",)).name == ANALYST


def test_prices_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('["a.b"]\ninput = 1.5\noutput = 6\n[plain]\ninput = 1\ncached_input = 0.1\noutput = 2\n')
    assert read_prices(file) == {
        "a.b": Price(input=1.5, output=6, version="faf9da2970cc"),
        "plain": Price(input=1, cached_input=0.1, output=2, version="faf9da2970cc"),
    }, "each with the beginning of the file's SHA-256"
    assert read_prices(None) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[m]\ninput = 1\n", "m.output: Field required"),
        ("[m]\ninput = -1\noutput = 1\n", "m.input"),
        ("[m]\ninput = nan\noutput = 1\n", "m.input"),
        ("[m]\ninput = 1\noutput = 1\nper = 3\n", "m.per"),
        ("[m", "cannot be read"),
        ("input = 1\n", "input"),
    ],
)
def test_prices_that_cannot_be_are_refused_with_their_row(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=words):
        read_prices(file)


def test_prices_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nothing\.toml cannot be read"):
        read_prices(tmp_path / "nothing.toml")
