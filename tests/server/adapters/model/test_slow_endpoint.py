"""A model that still reads a long prompt and one that is gone end differently."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from langchain_core.messages import HumanMessage

from server.adapters.model import openai
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.model.openai import openai_chat
from server.adapters.model.patience import Patience
from server.agent.model_call.offered_models import ANALYST
from server.errors import ModelFailed
from server.protocol.wire_values import ViewerState, Window
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint
from tests.server.agent.model_call.test_message_history import turn_rows
from tests.server.agent.turns import RecordingSink, Stage, stage

SHORT = Patience(first_s=0.2, silence_s=30, retries=0, longest_pause_s=0)
ANSWER = Reply(text="It is parse_json.")


def staged(endpoint: Endpoint, patience: Patience, fallbacks: tuple[str, ...] = ()) -> Stage:
    choice = ModelChoice(base_url=endpoint.base_url, model="slow", patience=patience, fallbacks=fallbacks)
    return stage(ChosenModels(choice))


def test_a_prompt_that_was_not_read_before_has_the_longer_time() -> None:
    patience = Patience(first_s=120, reading_s=480)
    assert patience.before_first(was_read=False) == 480
    assert patience.before_first(was_read=True) == 120
    assert Patience(first_s=120).before_first(was_read=False) == 120
    assert Patience(first_s=600, reading_s=480).before_first(was_read=False) == 600


async def test_only_the_first_request_of_a_prompt_has_the_longer_time() -> None:
    async with openai_endpoint(ANSWER, Reply(fault="mute")) as endpoint:
        scene = staged(endpoint, replace(SHORT, reading_s=30))
        first = await scene.agent.answer(scene.turn, scene.sink)
        with pytest.raises(ModelFailed, match=r"has not begun its answer within 0\.2 s") as failed:
            await scene.agent.answer(scene.turn, scene.sink)
    assert first.text == ANSWER.text
    assert failed.value.code == "model_timeout"


async def test_one_that_is_there_is_said_to_be_reading() -> None:
    async with openai_endpoint(Reply(fault="mute")) as endpoint:
        scene = staged(endpoint, SHORT)
        with pytest.raises(ModelFailed, match=r"may still be reading.*FLAMECHAT_MODEL_READING_SECONDS"):
            await scene.agent.answer(scene.turn, scene.sink)


async def test_the_analyst_says_that_the_model_was_slow_and_not_that_it_is_gone() -> None:
    async with openai_endpoint(Reply(fault="mute")) as endpoint:
        scene = staged(endpoint, SHORT, (ANALYST,))
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text.startswith("*The language model has not begun its answer in time. The built-in analyst")
    assert "cannot be reached" not in answer.text


async def test_the_system_prompt_stays_the_same_while_the_person_looks_around() -> None:
    async with openai_endpoint(ANSWER, ANSWER) as endpoint:
        scene = staged(endpoint, replace(SHORT, first_s=30))
        seen = ViewerState(view="time_order", profile="p0", window=Window(start=2e8, end=5e8))
        await scene.agent.answer(scene.turn, scene.sink)
        await scene.agent.answer(replace(scene.turn, viewer=seen), RecordingSink())
    first, second = (request["messages"] for request in endpoint.requests)
    assert first[0] == second[0]
    assert "start_time_ms=200" in second[-1]["content"]


async def test_a_follow_up_begins_with_all_that_was_sent_before() -> None:
    """Up to the prompt, around which stands what is of the moment: tools, system prompt with its summary, history."""
    async with openai_endpoint(ANSWER, ANSWER) as endpoint:
        scene = staged(endpoint, replace(SHORT, first_s=30))
        before = tuple(turn_rows("t0", answer="It is parse_json.", results=1))
        after = (*before, *turn_rows("t1", answer="By main.", results=2))
        await scene.agent.answer(replace(scene.turn, history=before), scene.sink)
        later = replace(scene.turn, history=after, local_time=scene.turn.local_time + timedelta(hours=3))
        await scene.agent.answer(later, RecordingSink())
    first, second = endpoint.requests
    assert json.dumps(first["tools"]) == json.dumps(second["tools"])
    earlier = first["messages"][:-1]
    assert len(earlier) > 2
    assert json.dumps(second["messages"][: len(earlier)]) == json.dumps(earlier)
    assert "The trace" in earlier[0]["content"]


async def test_one_that_is_gone_is_not_said_to_be_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "ALIVE_S", 0.2)
    async with openai_endpoint(Reply(fault="mute"), of_itself={"/v1/models": None}) as endpoint:
        chat = openai_chat(model="m", base_url=endpoint.base_url, api_key=None, patience=SHORT)
        with pytest.raises(ModelFailed, match="did not answer in time") as failed:
            async for _ in chat.astream([HumanMessage("hi")]):
                pass
    assert failed.value.code == "model_timeout"
    assert "reading" not in str(failed.value)
